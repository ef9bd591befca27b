internal import LinuxSystem
public import PortcullisCore

/// Why there is no source of progress.
public typealias ProgressSourceError = CodedError<ProgressSourceErrorCode>

/// The kinds of a ``ProgressSourceError``, open for more.
public struct ProgressSourceErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// A command would run as root.
    public static let rootCommand = Self("rootCommand")
    /// The system has no descriptor left for this process; `cause` says so.
    public static let system = Self("system")
}

extension Wake {
    /// One of a source's own.
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
