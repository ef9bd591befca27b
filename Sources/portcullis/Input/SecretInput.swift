internal import AdapterKit
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization
internal import TerminalHost

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads secrets from standard input, a file or a hidden prompt, straight into protected memory.
///
/// Reading blocks, so it happens on a thread of its own.
final class SecretInput: Sendable {
    /// Why there is no secret.
    struct Failure: Error, CustomStringConvertible {
        var description: String
        /// Whether the person ended the prompt with Ctrl-C.
        var isInterrupt = false

        /// A prompt that ended without a line.
        static let nothingTyped = Failure(description: "nothing was typed")
        static let tooLong = Failure(description: "the line is too long")
        static let tooLarge = Failure(description: "the value is longer than \(longestValue >> 20) MiB")
        static let interrupted = Failure(description: "interrupted", isInterrupt: true)
    }

    /// A value, or a record of a stream: a value in base64 and its name.
    private static let longestValue = 64 * 1024 * 1024

    private let thread = WorkerThread()
    private let descriptor: CInt
    private let ownsDescriptor: Bool
    private let reader: Mutex<SecretReader>

    /// Standard input.
    init() {
        descriptor = STDIN_FILENO
        reader = Mutex(SecretReader(STDIN_FILENO))
        ownsDescriptor = false
    }

    /// A file, or standard input for `-`.
    init(path: String) throws(Failure) {
        guard path != "-" else {
            descriptor = STDIN_FILENO
            reader = Mutex(SecretReader(STDIN_FILENO))
            ownsDescriptor = false
            return
        }
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        reader = Mutex(SecretReader(descriptor))
        ownsDescriptor = true
        guard descriptor >= 0 else {
            throw Failure(description: unsafe String(cString: strerror(errno)))
        }
    }

    deinit {
        if ownsDescriptor, descriptor >= 0 { close(descriptor) }
    }

    /// Whether it is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// A line: from a hidden prompt on a terminal, else the next line of the input. What follows it is left
    /// for the next read.
    ///
    /// - Parameter prompt: shown on the terminal, without the colon.
    func line(prompt: String) async throws(Failure) -> SecretBytes {
        if isTerminal { return try await hiddenLine(prompt) }
        return try await thread.run { [self, descriptor] () throws(Failure) in
            guard
                let line = try read({ reader throws(SecretReader.Failure) in
                    try reader.line(longest: HiddenPrompt.longest)
                })
            else {
                let place = descriptor == STDIN_FILENO ? " on standard input" : ""
                throw Failure(description: "the \(prompt.withinSentence) is missing\(place)")
            }
            return line
        }
    }

    private func hiddenLine(_ prompt: String) async throws(Failure) -> SecretBytes {
        let answer: HiddenPrompt.Answer
        do throws(TerminalHostError) {
            answer = try await HiddenPrompt(input: descriptor).line(prompt)
        } catch {
            throw Failure(description: error.message)
        }
        switch answer {
        case .line(let line): return line
        case .tooLong: throw .tooLong
        case .interrupted: throw .interrupted
        case .nothingTyped: throw .nothingTyped
        }
    }

    /// A line that is to be kept, and cannot be looked at: a hidden prompt asks for it twice, and anew where the two differ;
    /// it takes an empty one at once.
    ///
    /// - Parameter prompt: shown on the terminal, without the colon.
    func newLine(prompt: String) async throws(Failure) -> SecretBytes {
        while true {
            let line = try await line(prompt: prompt)
            guard isTerminal, line.count > 0 else { return line }
            if line.matches(try await self.line(prompt: "\(prompt) again")) { return line }
            // To leave would hand what is typed next to a shell, which shows it.
            StandardError.write("portcullis: the two entries differ; try again")
        }
    }

    /// All there is, as it is; at a terminal a line of a hidden prompt.
    func everything(prompt: String) async throws(Failure) -> SecretBytes {
        if isTerminal { return try await line(prompt: prompt) }
        return try await thread.run { [self] () throws(Failure) in
            try read(tooLong: .tooLarge) { reader throws(SecretReader.Failure) in
                try reader.everything(longest: Self.longestValue)
            }
        }
    }

    /// The next line of a long stream, without its end; `nil` at the end. Empty lines are passed over.
    func record() async throws(Failure) -> SecretBytes? {
        try await thread.run { [self] () throws(Failure) in
            try read { reader throws(SecretReader.Failure) in
                try reader.record(longest: Self.longestValue)
            }
        }
    }

    private func read<Found: Sendable>(
        tooLong: Failure = .tooLong,
        _ body: (inout SecretReader) throws(SecretReader.Failure) -> Found
    ) throws(Failure) -> Found {
        do throws(SecretReader.Failure) {
            return try reader.withLock { (reader) throws(SecretReader.Failure) in try body(&reader) }
        } catch {
            switch error {
            case .tooLong: throw tooLong
            case .system(let number): throw Failure(description: unsafe String(cString: strerror(number)))
            }
        }
    }
}
