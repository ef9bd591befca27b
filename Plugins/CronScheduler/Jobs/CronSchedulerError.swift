public import PortcullisCore

/// The error of a ``CronScheduler`` that refused a job, or met a problem while running.
public typealias CronSchedulerError = CodedError<CronSchedulerErrorCode>

/// The kinds of a ``CronSchedulerError``. Later versions may add more.
public struct CronSchedulerErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code of this name.
    public init(_ name: String) { self.name = name }

    /// The expression has no time left at which it fires.
    public static let neverFires = Self("neverFires")
    /// There is no time zone of that name.
    public static let unknownZone = Self("unknownZone")
    /// A number of the job is out of range: its grace is negative, its jitter is negative or longer than 24
    /// hours, or a limit is below 1. Or the job's name has more than 1,024 bytes.
    public static let invalidJob = Self("invalidJob")
    /// The journal could not be read or written. The error's cause gives the reason.
    public static let journal = Self("journal")
    /// The scheduler was shut down.
    public static let shutDown = Self("shutDown")
}
