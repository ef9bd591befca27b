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
    /// The reason why no secret was read.
    struct Failure: Error, CustomStringConvertible {
        var description: String
        /// Whether the person ended the prompt with Ctrl-C.
        var isInterrupt = false

        /// The prompt ended without a line.
        static let nothingTyped = Failure(description: "nothing was typed")
        static let tooLong = Failure(description: "the line is too long")
        static let tooLarge = Failure(description: "the value is longer than \(longestValue >> 20) MiB")
        static let interrupted = Failure(description: "interrupted", isInterrupt: true)
    }

    /// The longest value. It also limits a record of a stream, which is a value in base64 and its name.
    private static let longestValue = 64 * 1024 * 1024

    private let thread = WorkerThread()
    private let descriptor: CInt
    private let ownsDescriptor: Bool
    private let reader: Mutex<SecretReader>

    /// Makes an input that reads standard input.
    init() {
        descriptor = STDIN_FILENO
        reader = Mutex(SecretReader(STDIN_FILENO))
        ownsDescriptor = false
    }

    /// Makes an input that reads a file; `-` is standard input.
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

    /// Whether the input is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Reads a line: at a hidden prompt on a terminal, otherwise the next line of the input. Later lines stay unread.
    ///
    /// - Parameter prompt: the prompt on the terminal, without the colon.
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

    /// Reads a new secret. A hidden prompt asks twice, because the person cannot see the line, and asks again if the
    /// two lines differ. It accepts an empty line at once.
    ///
    /// - Parameter prompt: the prompt on the terminal, without the colon.
    func newLine(prompt: String) async throws(Failure) -> SecretBytes {
        while true {
            let line = try await line(prompt: prompt)
            guard isTerminal, line.count > 0 else { return line }
            if line.matches(try await self.line(prompt: "\(prompt) again")) { return line }
            // The process must not end here: a shell would then show the next line that the person types.
            StandardError.write("portcullis: the two entries differ; try again")
        }
    }

    /// Reads the whole input unchanged. On a terminal it reads a line at a hidden prompt.
    func everything(prompt: String) async throws(Failure) -> SecretBytes {
        if isTerminal { return try await line(prompt: prompt) }
        return try await thread.run { [self] () throws(Failure) in
            try read(tooLong: .tooLarge) { reader throws(SecretReader.Failure) in
                try reader.everything(longest: Self.longestValue)
            }
        }
    }

    /// Reads the next line of a long stream, without its line end; `nil` at the end. Empty lines are skipped.
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
