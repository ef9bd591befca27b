internal import LinuxSystem
public import PortcullisCore

/// The error that is thrown when a progress source cannot be made.
public typealias ProgressSourceError = CodedError<ProgressSourceErrorCode>

/// The kinds of a ``ProgressSourceError``. Later versions may add more.
public struct ProgressSourceErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code of this name.
    public init(_ name: String) { self.name = name }

    /// The command would run as root.
    public static let rootCommand = Self("rootCommand")
    /// The system has no descriptor left for this process. The error's cause names the failed call.
    public static let system = Self("system")
}

extension Wake {
    /// Makes the object that wakes a source when the source is stopped.
    static func wake() throws(ProgressSourceError) -> Wake {
        do { return try Wake() } catch {
            throw ProgressSourceError(
                code: .system,
                message: "the process has no descriptor left",
                cause: error
            )
        }
    }
}
