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

    /// The one task that sleeps; it ends when nothing is ahead.
    var ticker: Task<Void, Never>?
    /// Tells the present ticker from those it replaced.
    var tickerNumber: UInt64 = 0
    /// The microsecond that the ticker sleeps to; `nil` while it is awake.
    var sleepsUntil: Int?

    struct Held {
        var plan: JobTable.Plan
        /// The microsecond of the next try.
        var retryAt: Int
        /// How long the pause after the next failure is.
        var pause: Duration
    }

    /// What the ticker does next.
    enum Step {
        case write([ActivityName: RunRecord?])
        case start([JobTable.Start])
        case sleep(until: Int)
        case rest
    }

    init(jobs: JobTable) { self.jobs = jobs }

    /// When there is something to do, in microseconds.
    var nextWake: Int {
        if isClockChanged { return .min }
        return min(nextActivity, held?.retryAt ?? jobs.nextDue)
    }

    /// Changes the activities; gives the events that follow.
    mutating func change<E: Error>(
        _ body: (inout ActivityTimetable) throws(E) -> [ActivityEvent]
    ) throws(E) -> [ActivityEvent] {
        let events = try body(&activities)
        nextActivity = activities.nextEvent?.microseconds ?? .max
        return events
    }

    /// Finds out what to do at a moment.
    mutating func step(at now: Moment) -> Step {
        let micros = now.wall.microseconds
        if let held {
            return held.retryAt <= micros ? .write(held.plan.records) : .sleep(until: nextWake)
        }
        let plan = jobs.takeDue(at: now)
        if !plan.records.isEmpty {
            held = Held(plan: plan, retryAt: micros, pause: .seconds(1))
            return .write(plan.records)
        }
        if !plan.starts.isEmpty { return .start(plan.starts) }
        return nextWake == .max ? .rest : .sleep(until: nextWake)
    }

    /// Notes whether the ticker sleeps or ends with a step.
    mutating func note(_ step: Step) {
        switch step {
        case .sleep(let micros): sleepsUntil = micros
        case .rest: ticker = nil
        case .start, .write: break
        }
    }

    /// Takes the runs whose records were written.
    mutating func takeHeld() -> [JobTable.Start] {
        defer { held = nil }
        return held?.plan.starts ?? []
    }

    /// Puts off the runs whose records could not be written.
    mutating func postpone(at now: Moment) {
        guard let pause = held?.pause else { return }
        held?.retryAt = (now.wall + pause).microseconds
        held?.pause = min(pause * 2, .seconds(60))
    }
}
