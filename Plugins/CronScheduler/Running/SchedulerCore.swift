internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

/// Runs a scheduler: one task that sleeps to the next time, whatever the number of jobs and activities.
///
/// The task is replaced when something earlier comes up while it sleeps, and only then; while it is awake it looks
/// at everything again before it sleeps.
final class SchedulerCore: Sendable {
    let clock: any LockClock
    let journal: (any RunJournal)?
    let executor: (any TaskExecutor)?
    let calendar: DayCalendar
    let events = Broadcaster<ActivityEvent>()
    let problems = Broadcaster<CronSchedulerError>()
    private let findZone: @Sendable (String) -> ZoneRules?
    private let state: Mutex<SchedulerState>
    private let listener = Mutex<Task<Void, Never>?>(nil)

    init(
        clock: any LockClock,
        journal: (any RunJournal)?,
        zones: @escaping @Sendable (String) -> ZoneRules?,
        executor: (any TaskExecutor)?
    ) {
        self.clock = clock
        self.journal = journal
        self.executor = executor
        self.calendar = DayCalendar(clock)
        self.findZone = zones
        self.state = Mutex(SchedulerState(jobs: JobTable(at: clock.now, isJournalled: journal != nil)))
    }

    /// Changes the state, and lets the ticker know when something is due earlier by that.
    func change<Value: Sendable, E: Error>(
        _ body: (inout sending SchedulerState) throws(E) -> sending Value
    ) throws(E) -> Value {
        let (value, overtaken) = try state.withLock { (state) throws(E) in
            let value = try body(&state)
            return (value, wake(&state))
        }
        // With no lock held: the clock hears of it under locks of its own.
        overtaken?.cancel()
        return value
    }

    func read<Value: Sendable>(_ body: (borrowing SchedulerState) -> Value) -> Value {
        state.withLock { body($0) }
    }

    /// Starts a ticker where the present one sleeps for too long.
    ///
    /// - Returns: the ticker that was overtaken, to be cancelled.
    private func wake(_ state: inout SchedulerState) -> Task<Void, Never>? {
        guard state.nextWake < state.sleepsUntil else { return nil }
        let overtaken = state.ticker
        state.tickerNumber += 1
        state.sleepsUntil = .min
        let number = state.tickerNumber
        state.ticker = detached { [self] in await tick(number) }
        return overtaken
    }

    /// A task that has neither priority nor task-local values of the task that happened to add the first job.
    private func detached(_ body: sending @escaping @isolated(any) () async -> Void) -> Task<Void, Never> {
        // Preferring no executor has a cost, too.
        guard let executor else { return Task.detached(operation: body) }
        return Task.detached(executorPreference: executor, operation: body)
    }
}

// The ticker.
extension SchedulerCore {
    private func tick(_ number: UInt64) async {
        var known: SchedulerState.Step?
        while let step = known ?? nextStep(number) {
            known = nil
            switch step {
            case .act(let starts, let entries):
                if !entries.isEmpty { write(entries) }
                start(starts)
                known = sleepNext(number, after: starts)
            case .sleep(let micros):
                do throws(CancellationError) {
                    try await clock.sleep(until: .wall(.microseconds(micros)))
                } catch {
                    // Another ticker has taken over, or all is shut down.
                    return
                }
            case .rest: return
            }
        }
    }

    /// What the ticker of a number does next; `nil` when it is no longer the one.
    private func nextStep(_ number: UInt64) -> SchedulerState.Step? {
        let now = clock.now
        let renewed = zonesToRenew()
        let zone = zoneToFollow()
        return state.withLock { state in
            guard number == state.tickerNumber else { return nil }
            if state.isClockChanged || state.jobs.isOutOfStep(with: now) {
                followClock(&state, at: now, zone, renewing: renewed)
            }
            if state.nextActivity <= now.wall.microseconds {
                events.send(contentsOf: state.change { $0.advance(to: now.wall, in: calendar) })
            }
            let step = state.step(at: now)
            state.note(step)
            return step
        }
    }

    /// That the ticker sleeps, when nothing was due after what it started; `nil` when it has to look.
    private func sleepNext(_ number: UInt64, after starts: [JobTable.Start]) -> SchedulerState.Step? {
        guard let started = starts.first?.run.started else { return nil }
        return state.withLock { state in
            guard number == state.tickerNumber, state.nextWake > started.microseconds else { return nil }
            let step: SchedulerState.Step = state.nextWake == .max ? .rest : .sleep(until: state.nextWake)
            state.note(step)
            return step
        }
    }
}

// Runs.
extension SchedulerCore {
    /// Writes records in a task of its own, then starts what waits for them: a journal that takes its time, or
    /// hangs, keeps nothing else back.
    private func write(_ entries: [JournalEntry]) {
        let writer = detached { [self] in
            do throws(RunJournalError) {
                try await journal?.record(entries)
                let now = clock.now
                let (starts, dropped) = change { $0.takeHeld(at: now) }
                // Also when all is shut down meanwhile: what is recorded has to run.
                start(starts)
                withExtendedLifetime(dropped) {}
            } catch {
                let now = clock.now
                change { $0.postpone(at: now) }
                problems.send(contentsOf: [
                    CronSchedulerError(
                        code: .journal,
                        message: "runs wait because the journal cannot be written: \(error.message)",
                        cause: error
                    )
                ])
            }
        }
        state.withLock { $0.writer = writer }
    }

    private func start(_ starts: [JobTable.Start]) {
        guard !starts.isEmpty else { return }
        events.send(
            contentsOf: starts.lazy.map {
                ActivityEvent(activity: $0.run.job, kind: .job, scheduled: $0.run.scheduled)
            }
        )
        // A manual executor runs tasks in the order in which they are made.
        let size = executor == nil && starts.count > Self.crowd ? Self.batch : starts.count
        for first in stride(from: 0, to: starts.count, by: size) {
            let batch = starts[first..<min(first + size, starts.count)]
            guard size < starts.count else { return launch(batch, immediately: false) }
            let number = state.withLock { $0.running.reserve(1)[0] }
            let starter = detached { [self] in
                launch(batch, immediately: true)
                state.withLock { $0.running.end(number) }
            }
            state.withLock { $0.running.note(starter, as: number) }
        }
    }

    /// From how many runs on that are due together they are started in batches.
    private static let crowd = 64
    /// How many runs one task starts, one after the other, each up to where it first waits: enough to save most of
    /// the cost of handing each to another thread, and few enough that one that computes for long holds back a few.
    private static let batch = 16

    /// Makes the tasks of runs and notes them.
    ///
    /// - Parameter immediately: whether they begin here, on this thread, where the platform has that.
    private func launch(_ starts: ArraySlice<JobTable.Start>, immediately: Bool) {
        let numbers = state.withLock { $0.running.reserve(starts.count) }
        // Not under the lock, which runs that end at once ask for.
        let tasks = zip(starts, numbers).map { start, number in
            if immediately, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                return Task.immediateDetached { [self] in await perform(start, number) }
            }
            return detached { [self] in await perform(start, number) }
        }
        state.withLock { state in
            for (task, number) in zip(tasks, numbers) { state.running.note(task, as: number) }
        }
    }

    private func perform(_ start: JobTable.Start, _ number: Int) async {
        await start.action(start.run)
        ended(number, slot: start.slot, serial: start.serial)
    }

    private func ended(_ number: Int, slot: UInt32, serial: UInt32) {
        let overtaken = state.withLock { state in
            state.running.end(number)
            return state.jobs.ended(slot: slot, serial: serial) ? wake(&state) : nil
        }
        overtaken?.cancel()
    }
}

// The clock and the zone.
extension SchedulerCore {
    /// Follows changes of clock and zone until the scheduler goes.
    func listen() {
        let notices = clock.notices()
        let task = detached { [self] in
            for await _ in notices { change { $0.isClockChanged = true } }
        }
        listener.withLock { $0 = task }
    }

    /// The zones of jobs whose data is another one since they were found; read outside of the lock.
    ///
    /// One whose new data cannot be read goes on with what it had.
    private func zonesToRenew() -> [(place: Int, zone: ZoneRules)] {
        let known = state.withLock { $0.isClockChanged ? $0.jobs.zones : [] }
        return known.enumerated().compactMap { place, zone in
            guard !zone.isCurrent else { return nil }
            guard let new = findZone(zone.name) else {
                problems.send(unknownZone(zone.name))
                return nil
            }
            return (place, new)
        }
    }

    /// The clock's zone when it is another one than the jobs go by; looked up outside of the lock.
    private func zoneToFollow() -> (name: String, zone: ZoneRules?)? {
        let known = state.withLock { $0.isClockChanged ? $0.jobs.clockZoneName : nil }
        let name = clock.zone
        guard let known, known != name else { return nil }
        return (name, findZone(name))
    }

    private func followClock(
        _ state: inout SchedulerState,
        at now: Moment,
        _ change: (name: String, zone: ZoneRules?)?,
        renewing zones: [(place: Int, zone: ZoneRules)]
    ) {
        state.isClockChanged = false
        for (place, zone) in zones { state.jobs.renewZone(zone, at: place) }
        if let change {
            if let zone = change.zone {
                state.jobs.followZone(zone, named: change.name)
            } else {
                problems.send(unknownZone(change.name))
            }
        }
        state.jobs.recalculate(at: now)
        state.hastenRetry(at: now)
        events.send(contentsOf: state.change { $0.recalculate(at: now.wall, in: calendar) })
    }

    /// The zone that a job asks for, or the clock's.
    func zone(named name: String?) throws(CronSchedulerError) -> ZoneRules {
        if let zone = state.withLock({ $0.jobs.knownZone(name) }) { return zone }
        let name = name ?? clock.zone
        guard let zone = findZone(name) else { throw unknownZone(name) }
        return zone
    }

    private func unknownZone(_ name: String) -> CronSchedulerError {
        CronSchedulerError(code: .unknownZone, message: "there is no time zone “\(name)”")
    }
}

// The end.
extension SchedulerCore {
    /// Ends the tasks of the scheduler, but not the runs, and not a write that is under way; gives the ticker.
    func stopTasks() -> Task<Void, Never>? {
        let ticker = state.withLock { state in
            state.isShutDown = true
            // No ticker has this number, and none is made for what never sleeps.
            state.tickerNumber += 1
            state.sleepsUntil = .min
            return state.ticker
        }
        listener.withLock { $0 }?.cancel()
        ticker?.cancel()
        return ticker
    }

    func finishStreams() {
        events.finish()
        problems.finish()
    }

    func shutDown(cancellingRuns: Bool) async {
        // It may be about to start runs, or to write what is to start them.
        await stopTasks()?.value
        await state.withLock { $0.writer }?.value
        // A task that starts a batch of runs is one of them, and ends when they have begun.
        while true {
            let runs = state.withLock { $0.running.all }
            guard !runs.isEmpty else { break }
            if cancellingRuns { for run in runs { run.cancel() } }
            for run in runs { await run.value }
        }
        finishStreams()
    }
}
