internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Reads secrets from standard input, a file or a hidden prompt, straight into protected memory.
///
/// Reading blocks, so it happens on a thread of its own. Every method throws a ``TerminalHostError``:
/// `interrupted` after Ctrl-C at a prompt, `missingInput` if the input ends too early, `tooLong`,
/// `unreadable`, or `systemFailure` if a prompt has no descriptor left.
public final class SecretInput: Sendable {
    /// The longest value, in bytes. It also limits a record of a stream.
    public static let longestValue = 64 * 1024 * 1024

    private let thread = WorkerThread()
    private let descriptor: CInt
    private let ownsDescriptor: Bool
    private let reader: Mutex<SecretReader>

    /// Creates an input that reads standard input.
    public init() {
        descriptor = STDIN_FILENO
        reader = Mutex(SecretReader(STDIN_FILENO))
        ownsDescriptor = false
    }

    /// Creates an input that reads a file.
    ///
    /// - Parameter path: the file; `-` is standard input.
    /// - Throws: `unreadable` when the file cannot be opened.
    public init(path: String) throws(TerminalHostError) {
        guard path != "-" else {
            descriptor = STDIN_FILENO
            reader = Mutex(SecretReader(STDIN_FILENO))
            ownsDescriptor = false
            return
        }
        descriptor = Descriptors.aboveStandard(unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY))
        reader = Mutex(SecretReader(descriptor))
        ownsDescriptor = true
        guard descriptor >= 0 else {
            throw TerminalHostError(code: .unreadable, message: SystemCallError.text(of: errno))
        }
    }

    deinit {
        if ownsDescriptor, descriptor >= 0 { close(descriptor) }
    }

    /// Whether the input is a terminal.
    public var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Reads a line: at a hidden prompt on a terminal, otherwise the next line of the input. Later lines stay
    /// unread.
    ///
    /// - Parameter prompt: the prompt on the terminal, without the colon.
    /// - Returns: the line without its end; at most ``HiddenPrompt/longest`` bytes. It may be empty.
    public func line(prompt: String) async throws(TerminalHostError) -> SecretBytes {
        if isTerminal { return try await hiddenLine(prompt) }
        return try await thread.run { [self, descriptor] () throws(TerminalHostError) in
            guard
                let line = try read({ reader throws(SecretReader.Failure) in
                    try reader.line(longest: HiddenPrompt.longest)
                })
            else {
                let place = descriptor == STDIN_FILENO ? " on standard input" : ""
                throw TerminalHostError(
                    code: .missingInput,
                    message: "the \(prompt.withinSentence) is missing\(place)"
                )
            }
            return line
        }
    }

    private func hiddenLine(_ prompt: String) async throws(TerminalHostError) -> SecretBytes {
        switch try await HiddenPrompt(input: descriptor).line(prompt) {
        case .line(let line): return line
        case .tooLong: throw Self.tooLongLine
        case .interrupted: throw TerminalHostError(code: .interrupted, message: "interrupted")
        case .nothingTyped: throw TerminalHostError(code: .missingInput, message: "nothing was typed")
        }
    }

    private static let tooLongLine = TerminalHostError(code: .tooLong, message: "the line is too long")
    private static let tooLongValue = TerminalHostError(
        code: .tooLong,
        message: "the value is longer than \(longestValue >> 20) MiB"
    )

    /// Reads a new secret. On a terminal, a hidden prompt asks twice, because the person cannot see the line.
    /// If the two lines differ, both are asked for again. An empty first line is accepted at once.
    ///
    /// - Parameters:
    ///   - prompt: the prompt on the terminal, without the colon.
    ///   - differ: is called each time that the two lines differ, to tell the person.
    public func newLine(
        prompt: String,
        differ: @Sendable () -> Void
    ) async throws(TerminalHostError) -> SecretBytes {
        while true {
            let line = try await line(prompt: prompt)
            guard isTerminal, line.count > 0 else { return line }
            if line.matches(try await self.line(prompt: "\(prompt) again")) { return line }
            // The person is asked again. If the process ended here, a person who does not notice the end would
            // type the secret once more, and the shell would show it.
            differ()
        }
    }

    /// Reads the whole input unchanged, up to ``longestValue``. On a terminal it reads a line at a hidden
    /// prompt.
    ///
    /// - Parameter prompt: the prompt on the terminal, without the colon.
    public func everything(prompt: String) async throws(TerminalHostError) -> SecretBytes {
        if isTerminal { return try await line(prompt: prompt) }
        return try await thread.run { [self] () throws(TerminalHostError) in
            try read(tooLong: Self.tooLongValue) { reader throws(SecretReader.Failure) in
                try reader.everything(longest: Self.longestValue)
            }
        }
    }

    /// Reads the next line of a long stream, without its line end; `nil` at the end. Empty lines are skipped.
    public func record() async throws(TerminalHostError) -> SecretBytes? {
        try await thread.run { [self] () throws(TerminalHostError) in
            try read { reader throws(SecretReader.Failure) in
                try reader.record(longest: Self.longestValue)
            }
        }
    }

    private func read<Found: Sendable>(
        tooLong: TerminalHostError = tooLongLine,
        _ body: (inout SecretReader) throws(SecretReader.Failure) -> Found
    ) throws(TerminalHostError) -> Found {
        do throws(SecretReader.Failure) {
            return try reader.withLock { (reader) throws(SecretReader.Failure) in try body(&reader) }
        } catch {
            switch error {
            case .tooLong: throw tooLong
            case .system(let number):
                throw TerminalHostError(code: .unreadable, message: SystemCallError.text(of: number))
            }
        }
    }
}
