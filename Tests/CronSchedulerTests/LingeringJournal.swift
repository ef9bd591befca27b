import CronScheduler
import PortcullisCore
import PortcullisTesting
import Synchronization

/// A journal whose calls take long. A removal waits at a gate before it is stored. After a record of a job is
/// stored, the write waits at the job's gate.
final class LingeringJournal: RunJournal {
    private let base: any RunJournal
    private let gates: [ActivityName: Gate]
    private let removals: Gate?
    private let readings: Gate?
    /// Whether the next reading waits at a gate before it returns what it has read.
    let holdsNextReading = Atomic(false)
    /// Whether the next removal is stored and fails all the same.
    let failsAfterRemoval = Atomic(false)

    init(
        _ base: any RunJournal = InMemoryRunJournal(),
        gates: [ActivityName: Gate] = [:],
        removals: Gate? = nil,
        readings: Gate? = nil
    ) {
        self.base = base
        self.gates = gates
        self.removals = removals
        self.readings = readings
    }

    func records(of jobs: [ActivityName]) async throws(RunJournalError) -> [ActivityName: RunRecord] {
        let records = try await base.records(of: jobs)
        if holdsNextReading.exchange(false, ordering: .relaxed) { _ = await readings?.pass() }
        return records
    }

    func record(_ entries: [JournalEntry]) async throws(RunJournalError) {
        let isRemoval = entries.contains { $0.record == nil }
        if isRemoval { _ = await removals?.pass() }
        try await base.record(entries)
        if isRemoval, failsAfterRemoval.exchange(false, ordering: .relaxed) {
            throw RunJournalError(code: .store, message: "late")
        }
        for entry in entries where entry.record != nil { _ = await gates[entry.job]?.pass() }
    }
}
