internal import LinuxSystem
public import PortcullisCore

/// Why a ``SessionAgent`` could not be started.
public typealias SessionAgentError = CodedError<SessionAgentErrorCode>

/// The kinds of a ``SessionAgentError``, open for more.
public struct SessionAgentErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// No folder could be made for the socket, neither in `$XDG_RUNTIME_DIR` nor where temporary files go.
    public static let noPlace = Self("noPlace")
    /// There is a folder, and the system refused the socket in it.
    public static let notListening = Self("notListening")
    /// The system refused what the agent's thread needs, such as another descriptor.
    public static let systemFailure = Self("systemFailure")
}

extension CodedError where Kind == SessionAgentErrorCode {
    /// What could not be done, and the call that the system refused.
    init(_ code: Code, _ what: String, call: String, errno: Int32) {
        self.init(
            code: code,
            message: "\(what): \(SystemCallError.text(of: errno))",
            cause: SystemCallError(errno: errno, call: call)
        )
    }
}
