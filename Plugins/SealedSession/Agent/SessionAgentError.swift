internal import LinuxSystem
public import PortcullisCore

/// The error of a ``SessionAgent`` that could not be started.
public typealias SessionAgentError = CodedError<SessionAgentErrorCode>

/// The kinds of a ``SessionAgentError``. Later versions may add more.
public struct SessionAgentErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code of this name.
    public init(_ name: String) { self.name = name }

    /// The path of the store's file, with its links resolved, is not UTF-8. The agent could not tell the
    /// store from other stores.
    public static let unusablePath = Self("unusablePath")
    /// No folder could be made for the socket, neither in `$XDG_RUNTIME_DIR` nor in a folder for temporary
    /// files.
    public static let noPlace = Self("noPlace")
    /// The folder was made, but the system refused the socket in it.
    public static let notListening = Self("notListening")
    /// The system refused a resource that the agent's thread needs, such as another descriptor.
    public static let systemFailure = Self("systemFailure")
}

extension CodedError where Kind == SessionAgentErrorCode {
    /// Makes an error from a description of the failed action and the system call that failed.
    init(_ code: Code, _ what: String, call: String, errno: Int32) {
        self.init(
            code: code,
            message: "\(what): \(SystemCallError.text(of: errno))",
            cause: SystemCallError(errno: errno, call: call)
        )
    }
}
