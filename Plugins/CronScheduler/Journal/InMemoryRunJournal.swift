public import PortcullisCore
internal import Synchronization

/// A journal in memory. A later scheduler that gets the same journal finds the records of the earlier one.
public final class InMemoryRunJournal: RunJournal {
    private let kept = Mutex<[ActivityName: RunRecord]>([:])

    /// Makes an empty journal.
    public init() {}

    /// Returns the last records of these jobs.
    public func records(of jobs: [ActivityName]) async throws(RunJournalError) -> [ActivityName: RunRecord] {
        kept.withLock { kept in
            var found: [ActivityName: RunRecord] = [:]
            for job in jobs { found[job] = kept[job] }
            return found
        }
    }

    /// Stores records.
    public func record(_ entries: [JournalEntry]) async throws(RunJournalError) {
        kept.withLock { kept in
            for entry in entries { kept[entry.job] = entry.record }
        }
    }
}
