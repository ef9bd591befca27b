internal import AdapterKit
internal import PortcullisCore

/// What a running scheduler keeps, guarded by one lock.
struct SchedulerState {
    var jobs: JobTable
    private(set) var activities = ActivityTimetable()
    /// The microsecond of the activities' next event; `Int.max` when there is none.
    private(set) var nextActivity = Int.max
    /// The runs that go on.
    var running = RunningTasks()
    /// Runs that the journal has to know of before they start.
    var held: Held?
    /// Whether all times have to be found anew.
    var isClockChanged = false
    var isShutDown = false

    /// The one task that sleeps, or did last; it ends when nothing is ahead.
    var ticker: Task<Void, Never>?
    /// The task that writes records, or wrote them last.
    var writer: Task<Void, Never>?
    /// Tells the present ticker from those it replaced.
    var tickerNumber: UInt64 = 0
    /// The microsecond that the ticker sleeps to; `Int.min` while it is awake, `Int.max` while there is none.
    var sleepsUntil = Int.max

    /// Records that correct what an earlier write may have said of a job that was replaced or removed since.
    var corrections: [JournalEntry] = []

    struct Held {
        var starts: [JobTable.Start]
        var entries: [JournalEntry]
        /// The microsecond of the next try; `nil` while one is made.
        var retryAt: Int?
        /// How long the pause after the next failure is.
        var pause = Duration.seconds(1)
    }

    /// What the ticker does next.
    enum Step {
        case act(start: [JobTable.Start], write: [JournalEntry])
        case sleep(until: Int)
        case rest
    }

    init(jobs: JobTable) { self.jobs = jobs }

    /// When there is something to do, in microseconds.
    var nextWake: Int {
        if isClockChanged || held == nil && !corrections.isEmpty { return .min }
        let retry = held.map { $0.retryAt ?? .max } ?? .max
        return min(nextActivity, min(jobs.nextDue, retry))
    }

    /// Changes the activities; gives the events that follow.
    mutating func change<E: Error>(
        _ body: (inout ActivityTimetable) throws(E) -> [ActivityEvent]
    ) throws(E) -> [ActivityEvent] {
        let events = try body(&activities)
        nextActivity = activities.nextEvent?.microsecondsRoundedUp ?? .max
        return events
    }

    /// Finds out what to do at a moment.
    mutating func step(at now: Moment) -> Step {
        let micros = now.wall.microseconds
        let plan = jobs.takeDue(at: now, isHeld: held != nil)
        if held == nil {
            // Corrections first: what is due now is newer than what they correct.
            let entries = corrections.isEmpty ? plan.entries : corrections + plan.entries
            corrections = []
            if !entries.isEmpty { held = Held(starts: plan.recorded, entries: entries, retryAt: micros) }
        }
        if let retryAt = held?.retryAt, retryAt <= micros, let entries = held?.entries {
            held?.retryAt = nil
            return .act(start: plan.free, write: entries)
        }
        if !plan.free.isEmpty { return .act(start: plan.free, write: []) }
        return nextWake == .max ? .rest : .sleep(until: nextWake)
    }

    /// Notes whether the ticker sleeps or ends with a step.
    mutating func note(_ step: Step) {
        switch step {
        case .sleep(let micros): sleepsUntil = micros
        case .rest: sleepsUntil = .max
        case .act: sleepsUntil = .min
        }
    }

    /// Takes the runs whose records were written, and those that may no longer start.
    mutating func takeHeld(at now: Moment) -> (starts: [JobTable.Start], dropped: [JobTable.Start]) {
        let starts = held?.starts ?? []
        held = nil
        jobs.unpark()
        return jobs.current(starts, at: now)
    }

    /// Puts off the runs whose records could not be written.
    mutating func postpone(at now: Moment) {
        guard let pause = held?.pause else { return }
        held?.retryAt = (now.wall + pause).microseconds
        held?.pause = min(pause * 2, .seconds(60))
    }

    /// Corrects what the journal may be told of a job that went or has another schedule by now.
    mutating func correct(_ entry: JournalEntry) {
        // What is being written comes first, what waits to be tried again has the correction at its end.
        if held?.retryAt != nil { held?.entries.append(entry) } else { corrections.append(entry) }
    }

    /// Lets no retry wait for a time that the clock was set back from.
    mutating func hastenRetry(at now: Moment) {
        if let retryAt = held?.retryAt { held?.retryAt = min(retryAt, now.wall.microseconds) }
    }
}
