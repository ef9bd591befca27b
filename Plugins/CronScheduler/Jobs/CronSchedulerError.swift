public import PortcullisCore

/// The error of a ``CronScheduler`` that refused a job, or met a problem while running.
public typealias CronSchedulerError = CodedError<CronSchedulerErrorCode>

/// The kinds of a ``CronSchedulerError``. Later versions may add more.
public struct CronSchedulerErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code of this name.
    public init(_ name: String) { self.name = name }

    /// The expression has no time left at which it fires, and the job has no missed run to make up for.
    public static let neverFires = Self("neverFires")
    /// There is no time zone of that name.
    public static let unknownZone = Self("unknownZone")
    /// A value of the job is out of range: a negative grace, a jitter below 0 or above 24 hours, a limit
    /// below 1, or a name of more than 1,024 bytes. The code is also thrown if the scheduler's jobs use too
    /// many different zones.
    public static let invalidJob = Self("invalidJob")
    /// The journal could not be read or written. The error's cause gives the reason.
    public static let journal = Self("journal")
    /// The scheduler was shut down.
    public static let shutDown = Self("shutDown")
}
