/// Why a ``ShieldController`` could not do a requested operation.
public typealias ShieldError = CodedError<ShieldErrorCode>

/// The codes of a ``ShieldError``. An adapter can add its own.
public struct ShieldErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code with this name.
    public init(_ name: String) { self.name = name }

    /// The permission to shield is missing or was withdrawn.
    public static let notAuthorized = Self("notAuthorized")
    /// The controller cannot read or write its stored state. The shields that are in force stay in force.
    public static let stateUnreadable = Self("stateUnreadable")
    /// No shield controller was configured.
    public static let unavailable = Self("unavailable")
    /// The platform failed. The message has the details.
    public static let systemFailure = Self("systemFailure")
}
