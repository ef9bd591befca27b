internal import AdapterKit
internal import PortcullisCore

/// The state of a running scheduler. One lock guards it.
struct SchedulerState {
    var jobs: JobTable
    private(set) var activities = ActivityTimetable()
    /// The microsecond of the activities' next event; `Int.max` if there is none.
    private(set) var nextActivity = Int.max
    /// The runs that have started and not ended.
    var running = RunningTasks()
    /// The records that are being written or wait for a retry, and the runs that start after the write; `nil`
    /// if there are no such records.
    var held: Held?
    /// The number of writes that the journal has confirmed, of the calls of `noteWrite`, and of the removals
    /// of jobs during additions.
    private(set) var changeCount: UInt64 = 0
    /// The number of additions that read the journal or write to it, and the jobs that were removed since the
    /// first of them began, each with the `changeCount` of its last removal. A record that an addition has
    /// read does not count if the job was removed after the addition began.
    private var additions: (count: Int, removed: [ActivityName: UInt64]) = (0, [:])
    /// The number of notices that the clock or the zone may have changed.
    var clockNotices: UInt64 = 0
    /// The value that `clockNotices` had before all times were last found again.
    var handledNotices: UInt64 = 0
    /// Whether all times have to be found again, because the clock or the zone may have changed.
    var isClockChanged: Bool { clockNotices != handledNotices }
    var isShutDown = false

    /// The task that sleeps until a job or an activity is due next. It ends when nothing will be due any
    /// more, or when another ticker has replaced it.
    var ticker: Task<Void, Never>?
    /// The task that writes records, or wrote the last ones. It ends after all earlier tasks of this kind.
    var writer: Task<Void, Never>?
    /// The number of the present ticker. Each new ticker gets a new number.
    var tickerNumber: UInt64 = 0
    /// The microsecond until which the ticker sleeps; `Int.min` while it is awake, `Int.max` while there is
    /// no ticker.
    var sleepsUntil = Int.max

    /// The removals of records that follow the write under way, which may store these records again.
    var corrections: [JournalEntry] = []

    /// The runs that were dropped at the shutdown. They stay here, because their actions must not be released
    /// under the lock.
    private var droppedRuns: [JobTable.Start] = []

    struct Held {
        var starts: [JobTable.Start]
        var entries: [JournalEntry]
        /// The microsecond of the next attempt to write; `nil` during an attempt.
        var retryAt: Int?
        /// The pause after the next failed attempt.
        var pause = Duration.seconds(1)
    }

    /// The next step of the ticker.
    enum Step {
        case act(start: [JobTable.Start], write: [JournalEntry])
        case sleep(until: Int)
        case rest
    }

    init(jobs: JobTable) { self.jobs = jobs }

    /// The microsecond at which the ticker has something to do; `Int.max` if there is nothing.
    var nextWake: Int {
        if isClockChanged { return .min }
        if held == nil, !corrections.isEmpty || !jobs.unrecorded.isEmpty { return .min }
        let retry = held.map { $0.retryAt ?? .max } ?? .max
        return min(nextActivity, min(jobs.nextDue, retry))
    }

    /// Changes the activities. Returns the events that result.
    mutating func change<E: Error>(
        _ body: (inout ActivityTimetable) throws(E) -> [ActivityEvent]
    ) throws(E) -> [ActivityEvent] {
        let events = try body(&activities)
        nextActivity = activities.nextEvent?.microsecondsRoundedUp ?? .max
        return events
    }

    /// Decides the next step of the ticker at the present time.
    mutating func step(at now: Moment) -> Step {
        let micros = now.wall.microseconds
        let corrected = takeCorrections(boot: now.boot)
        let plan = jobs.takeDue(at: now, isHeld: held != nil)
        if held == nil {
            // If the list has two entries of a job, the journal keeps the last one. The records of the runs
            // that are due now are newer than the corrections. So the corrections are put first.
            let entries = corrected.isEmpty ? plan.entries : corrected + plan.entries
            if !entries.isEmpty { held = Held(starts: plan.recorded, entries: entries, retryAt: micros) }
        }
        if let retryAt = held?.retryAt, retryAt <= micros {
            return .act(start: plan.free, write: attempt(boot: now.boot))
        }
        if !plan.free.isEmpty { return .act(start: plan.free, write: []) }
        return nextWake == .max ? .rest : .sleep(until: nextWake)
    }

    /// Begins an attempt to write the held entries, and returns them.
    private mutating func attempt(boot: BootID) -> [JournalEntry] {
        // The held entries may remove the record of a job that was added again since the last attempt. So
        // records that are to be written anew join the attempt.
        if !jobs.unrecorded.isEmpty { held?.entries += jobs.recordAnew(boot: boot) }
        held?.retryAt = nil
        return held?.entries ?? []
    }

    /// Returns the entries that correct the journal. There are none while an earlier write is under way or
    /// waits for a retry.
    private mutating func takeCorrections(boot: BootID) -> [JournalEntry] {
        guard held == nil else { return [] }
        defer { corrections = [] }
        return corrections + jobs.recordAnew(boot: boot)
    }

    /// Returns the entries that correct the journal, for a write without runs after the last step.
    ///
    /// - Parameter retries: whether a planned retry is due now.
    mutating func holdCorrections(at now: Moment, retries: Bool) -> [JournalEntry] {
        dropHeldRuns(at: now)
        if retries, held?.retryAt != nil { return attempt(boot: now.boot) }
        let entries = takeCorrections(boot: now.boot)
        if !entries.isEmpty { held = Held(starts: [], entries: entries) }
        return entries
    }

    /// Drops the runs that wait for a retry, because no run starts any more. The journal keeps the records
    /// that their jobs had before, so these runs count as missed. What the retry was to correct for other
    /// jobs becomes a correction without runs.
    private mutating func dropHeldRuns(at now: Moment) {
        guard let dropped = held, dropped.retryAt != nil, !dropped.starts.isEmpty else { return }
        held = nil
        droppedRuns = dropped.starts
        corrections += dropped.entries.filter { $0.record == nil && jobs.places[$0.job] == nil }
        for entry in dropped.entries { jobs.mistrustRecord(of: entry.job) }
        jobs.unrecorded.subtract(jobs.current(dropped.starts, at: now).map(\.slot))
    }

    /// Sets `sleepsUntil` to the value for the ticker's next step.
    mutating func note(_ step: Step) {
        switch step {
        case .sleep(let micros): sleepsUntil = micros
        case .rest: sleepsUntil = .max
        case .act: sleepsUntil = .min
        }
    }

    /// Removes the runs whose records were written.
    ///
    /// - Returns: the runs that may start, and all removed runs, which the caller releases outside of the
    ///   lock.
    mutating func takeHeld(at now: Moment) -> (starts: [JobTable.Start], held: [JobTable.Start]) {
        let all = held?.starts ?? []
        held = nil
        changeCount += 1
        jobs.unpark()
        return (jobs.current(all, at: now), all)
    }

    /// Postpones the runs whose records could not be written.
    mutating func postpone(at now: Moment) {
        guard let pause = held?.pause else { return }
        held?.retryAt = (now.wall + pause).microseconds
        held?.pause = min(pause * 2, .seconds(60))
        // Corrections that came during the attempt are added to the retry. Corrections that come from now on
        // are added to it too, and must be written after these older ones.
        held?.entries += corrections
        corrections = []
    }

    /// Corrects the journal after a job was removed.
    mutating func correct(_ entry: JournalEntry) {
        // If a retry is planned, the correction is written with the entries of the retry. During a write the
        // correction waits for the next write.
        if held?.retryAt != nil { held?.entries.append(entry) } else { corrections.append(entry) }
    }

    /// Notes that entries of these jobs may have been written that do not belong to the present jobs. A removal
    /// does so, and an addition that fails. The jobs that exist get their records anew.
    mutating func noteWrite(of names: some Sequence<ActivityName>) {
        changeCount += 1
        for name in names { jobs.mistrustRecord(of: name) }
    }

    /// Notes that an addition is about to read the journal.
    ///
    /// - Returns: the `changeCount` at the addition's beginning.
    mutating func beginAddition() -> UInt64 {
        additions.count += 1
        return changeCount
    }

    /// Notes that an addition has ended, whether it has added its jobs or not.
    mutating func endAddition() {
        additions.count -= 1
        if additions.count == 0 { additions.removed = [:] }
    }

    /// Whether a job was removed since an addition that began at this `changeCount`.
    func wasRemoved(_ job: ActivityName, since count: UInt64) -> Bool {
        additions.removed[job].map { $0 > count } ?? false
    }

    /// Removes jobs.
    ///
    /// - Returns: the jobs' actions, which the caller releases outside of the lock.
    mutating func remove(_ names: Set<ActivityName>) -> [CronJob.Action] {
        if additions.count > 0 {
            changeCount += 1
            for name in names { additions.removed[name] = changeCount }
        }
        return jobs.remove(names)
    }

    /// Whether a write is under way.
    var isWriting: Bool { held != nil && held?.retryAt == nil }

    /// Whether the journal may still get entries that were made before now.
    var isWritePending: Bool { held != nil || !corrections.isEmpty }

    /// Makes a pending retry due now. After the wall clock was set back, the retry's planned time would come
    /// too late.
    mutating func hastenRetry(at now: Moment) {
        if let retryAt = held?.retryAt { held?.retryAt = min(retryAt, now.wall.microseconds) }
    }
}
