internal import LinuxSystem
public import PortcullisCore

/// The error of a failed prompt, screen stage or guarded run.
public typealias TerminalHostError = CodedError<TerminalHostErrorCode>

/// The codes of a ``TerminalHostError``. More codes may be added.
public struct TerminalHostErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Creates a code of this name.
    public init(_ name: String) { self.name = name }

    /// The system refused a thread, a descriptor or a pseudo-terminal.
    public static let systemFailure = Self("systemFailure")
    /// The program could not be started.
    public static let cannotRun = Self("cannotRun")
    /// The program's output cannot be written. A pipe without a reader does not cause this error, but ends
    /// the run as SIGPIPE would.
    public static let outputFailed = Self("outputFailed")
    /// The wanted timeout could not be recorded, so the program was not started. With the timeout that was
    /// recorded earlier, the run could lock later than the person expects.
    public static let timeoutNotSet = Self("timeoutNotSet")
    /// The content is not sealed, because sealing failed or no passcode was set. The program does not run.
    public static let notSealed = Self("notSealed")
    /// The content is sealed, but no passcode is set that could open it.
    public static let sealedWithoutPasscode = Self("sealedWithoutPasscode")
    /// The run is locked, and its input has ended. No answer can come, and the program was not started.
    public static let unanswered = Self("unanswered")
    /// The person pressed Ctrl-C at a prompt, or the task was cancelled.
    public static let interrupted = Self("interrupted")
    /// The input ended without the wanted line, or the terminal was closed.
    public static let missingInput = Self("missingInput")
    /// The line or the value is longer than the reader accepts.
    public static let tooLong = Self("tooLong")
    /// The input cannot be opened or read.
    public static let unreadable = Self("unreadable")
    /// A run or a stage was run a second time. Each can run only once.
    public static let runBefore = Self("runBefore")
}

extension CodedError where Kind == TerminalHostErrorCode {
    /// Creates an error from the failed action and the system's reason (`errno`).
    init(_ code: Code, _ what: String, errno: Int32) {
        self.init(code: code, message: "\(what): \(SystemCallError.text(of: errno))")
    }

    /// Creates an error from a failed system call.
    init(_ error: SystemCallError) {
        self.init(
            code: .systemFailure,
            message: "the system refused \(error.call): \(SystemCallError.text(of: error.errno))",
            cause: error
        )
    }

    /// Creates an error from a refused thread.
    init(_ refusal: ThreadRefusal) { self.init(SystemCallError(refusal)) }
}
