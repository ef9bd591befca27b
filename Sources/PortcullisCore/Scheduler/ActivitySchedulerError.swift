/// Why an ``ActivityScheduler`` refused an activity.
public typealias ActivitySchedulerError = CodedError<ActivitySchedulerErrorCode>

/// The codes of an ``ActivitySchedulerError``. An adapter can add its own.
public struct ActivitySchedulerErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code with this name.
    public init(_ name: String) { self.name = name }

    /// The schedule can never take place, or ``ActivitySchedule/validate()`` refuses it.
    public static let invalidSchedule = Self("invalidSchedule")
    /// The schedule needs a capability that the scheduler does not have.
    public static let unsupported = Self("unsupported")
    /// No scheduler was configured, or the scheduler was shut down.
    public static let unavailable = Self("unavailable")
    /// The platform failed. The message has the details.
    public static let systemFailure = Self("systemFailure")
}
