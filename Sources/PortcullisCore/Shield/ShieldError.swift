/// Why a ``ShieldController`` could not do what it was asked.
public typealias ShieldError = CodedError<ShieldErrorCode>

/// The kinds of a ``ShieldError``, open for more.
public struct ShieldErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// The right to shield is missing or was taken away.
    public static let notAuthorized = Self("notAuthorized")
    /// What the controller remembers of its shields cannot be read or written; what is in force stays.
    public static let stateUnreadable = Self("stateUnreadable")
    /// No shield controller was configured.
    public static let unavailable = Self("unavailable")
    /// The platform failed; the message says how.
    public static let systemFailure = Self("systemFailure")
}
