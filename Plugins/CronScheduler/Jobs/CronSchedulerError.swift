public import PortcullisCore

/// Why a ``CronScheduler`` refused a job, or what it met while running.
public typealias CronSchedulerError = CodedError<CronSchedulerErrorCode>

/// The kinds of a ``CronSchedulerError``, open for more.
public struct CronSchedulerErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// The expression has no time left at which it fires.
    public static let neverFires = Self("neverFires")
    /// There is no time zone of that name.
    public static let unknownZone = Self("unknownZone")
    /// A number of the job is out of range: a negative grace, jitter or limit.
    public static let invalidJob = Self("invalidJob")
    /// The journal could not be read or written; the cause says why.
    public static let journal = Self("journal")
    /// The scheduler was shut down.
    public static let shutDown = Self("shutDown")
}
