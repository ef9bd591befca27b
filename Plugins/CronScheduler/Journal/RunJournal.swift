public import PortcullisCore

/// Remembers the last run of each job, so that a restarted scheduler neither loses nor repeats a run.
///
/// ## For implementers
/// - When ``record(_:)`` returns, all its records are stored as durably as the journal can. If the call
///   throws, any number of the records may be stored. The scheduler then repeats the call, and starts the
///   runs when a call has succeeded. If the process ends before that, a run with a stored record counts as
///   done after the restart, and never starts. So store the records of one call in one step if possible.
/// - A record replaces each record of the same job that was passed before it, in the same call or in a
///   previous call. A `nil` record removes the job.
/// - Only one scheduler writes to a journal at a time.
public protocol RunJournal: Sendable {
    /// Returns the last records of these jobs. Jobs without a record are left out.
    ///
    /// - Throws: ``RunJournalError`` if the journal cannot be read.
    func records(of jobs: [ActivityName]) async throws(RunJournalError) -> [ActivityName: RunRecord]

    /// Writes records, in one step if the journal can.
    ///
    /// - Throws: ``RunJournalError`` if the journal cannot be written. Some of the records may be stored
    ///   nevertheless.
    func record(_ entries: [JournalEntry]) async throws(RunJournalError)
}

/// One change of a ``RunJournal``.
public struct JournalEntry: Hashable, Sendable {
    /// The job's name.
    public var job: ActivityName
    /// The record of the job; `nil` to remove the job.
    public var record: RunRecord?

    /// Makes an entry of these parts.
    public init(job: ActivityName, record: RunRecord?) {
        self.job = job
        self.record = record
    }
}

/// The record of a job in a ``RunJournal``.
public struct RunRecord: Hashable, Sendable, Codable {
    /// A digest of expression and zone. A record with another digest does not count for the job.
    public var schedule: UInt64
    /// The scheduled time of the last run, since 1970-01-01T00:00:00Z. For a job that never ran, the time at
    /// which it was added.
    public var last: Duration
    /// The boot of the system in which ``last`` was recorded.
    public var boot: BootID
    /// The times of earlier records that are later than ``last``. Usually there are none. They exist after
    /// the clock was set back.
    ///
    /// Once the clock is set to such a time, or a process starts after it, all runs up to this time count as
    /// done. For a job at fixed wall times, the clock may be up to three hours behind this time. The
    /// scheduler keeps at most three times: the first one and the last two.
    public var ahead: [Duration]

    /// Makes a record of these parts.
    public init(schedule: UInt64, last: Duration, boot: BootID, ahead: [Duration] = []) {
        self.schedule = schedule
        self.last = last
        self.boot = boot
        self.ahead = ahead
    }

    /// Decodes a record. If ``ahead`` is missing, there are no later times.
    public init(from decoder: any Decoder) throws {
        let parts = try decoder.container(keyedBy: CodingKeys.self)
        schedule = try parts.decode(UInt64.self, forKey: .schedule)
        last = try parts.decode(Duration.self, forKey: .last)
        boot = try parts.decode(BootID.self, forKey: .boot)
        ahead = try parts.decodeIfPresent([Duration].self, forKey: .ahead) ?? []
    }
}

/// The error of a ``RunJournal`` that could not be read or written.
public typealias RunJournalError = CodedError<RunJournalErrorCode>

/// The kinds of a ``RunJournalError``. Later versions may add more.
public struct RunJournalErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code of this name.
    public init(_ name: String) { self.name = name }

    /// The store of the journal failed. The error's cause gives the reason.
    public static let store = Self("store")
    /// The stored records cannot be decoded.
    public static let damaged = Self("damaged")
    /// Another scheduler has taken the journal over.
    public static let otherWriter = Self("otherWriter")
}
