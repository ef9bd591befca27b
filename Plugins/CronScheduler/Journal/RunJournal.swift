public import PortcullisCore

/// Remembers when jobs ran last, so that a scheduler that starts again neither loses nor repeats a run.
///
/// ## For implementers
/// - When ``record(_:)`` returns, all its records are kept as durably as the journal can, all or none.
/// - A later record of a job replaces the earlier one, also within one call; `nil` forgets the job.
/// - One scheduler writes a journal at a time.
public protocol RunJournal: Sendable {
    /// The last records of these jobs; those that it does not know are left out.
    ///
    /// - Throws: ``RunJournalError`` when it cannot be read.
    func records(of jobs: [ActivityName]) async throws(RunJournalError) -> [ActivityName: RunRecord]

    /// Writes records, in one step.
    ///
    /// - Throws: ``RunJournalError`` when it cannot be written; nothing was changed then.
    func record(_ entries: [JournalEntry]) async throws(RunJournalError)
}

/// One line of what a ``RunJournal`` is told.
public struct JournalEntry: Hashable, Sendable {
    /// The job.
    public var job: ActivityName
    /// What to remember of it; `nil`: nothing any more.
    public var record: RunRecord?

    /// An entry of these parts.
    public init(job: ActivityName, record: RunRecord?) {
        self.job = job
        self.record = record
    }
}

/// What a ``RunJournal`` remembers of a job.
public struct RunRecord: Hashable, Sendable, Codable {
    /// A digest of expression and zone: a job whose schedule is another one has not run yet.
    public var schedule: UInt64
    /// The scheduled time of the last run, since 1970-01-01T00:00:00Z; for a job that never ran, when it was added.
    public var last: Duration
    /// The boot in which that was.
    public var boot: BootID

    /// A record of these parts.
    public init(schedule: UInt64, last: Duration, boot: BootID) {
        self.schedule = schedule
        self.last = last
        self.boot = boot
    }
}

/// Why a ``RunJournal`` could not be read or written.
public typealias RunJournalError = CodedError<RunJournalErrorCode>

/// The kinds of a ``RunJournalError``, open for more.
public struct RunJournalErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// The store behind it failed; the cause says how.
    public static let store = Self("store")
    /// What is kept cannot be understood.
    public static let damaged = Self("damaged")
    /// Another scheduler writes the same journal.
    public static let otherWriter = Self("otherWriter")
}
