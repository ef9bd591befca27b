internal import LinuxSystem
public import PortcullisCore

/// Why a terminal, or a program behind a lock, could not be hosted.
public typealias TerminalHostError = CodedError<TerminalHostErrorCode>

/// The kinds of a ``TerminalHostError``, open for more.
public struct TerminalHostErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// The system refused what the host needs: a thread, a descriptor, a pseudo-terminal.
    public static let systemFailure = Self("systemFailure")
    /// The program could not be started.
    public static let cannotRun = Self("cannotRun")
    /// What the program wrote cannot be written; not for a reader that went away, which ends the program by SIGPIPE.
    public static let outputFailed = Self("outputFailed")
    /// The wanted timeout could not be recorded: the program would lock later than the person thinks.
    public static let timeoutNotSet = Self("timeoutNotSet")
    /// What was to be sealed is not, and the program does not run without.
    public static let notSealed = Self("notSealed")
    /// What is sealed already has no passcode that opens it: none is set.
    public static let sealedWithoutPasscode = Self("sealedWithoutPasscode")
    /// It is locked, and the input has ended: no answer can come, and the program was not started.
    public static let unanswered = Self("unanswered")
    /// A run, or a stage, was run a second time: each is for once.
    public static let runBefore = Self("runBefore")
}

extension CodedError where Kind == TerminalHostErrorCode {
    /// What could not be done, and the system's reason for it (`errno`).
    init(_ code: Code, _ what: String, errno: Int32) {
        self.init(code: code, message: "\(what): \(SystemCallError.text(of: errno))")
    }

    /// A call without which nothing can be hosted.
    init(_ error: SystemCallError) {
        self.init(
            code: .systemFailure,
            message: "the system refused \(error.call): \(SystemCallError.text(of: error.errno))",
            cause: error
        )
    }

    /// The same of a thread.
    init(_ refusal: ThreadRefusal) { self.init(SystemCallError(refusal)) }
}
