internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

/// Starts the due jobs and activities of a scheduler from one task, the ticker. The ticker sleeps until the
/// next time at which a job or an activity is due.
///
/// A change during the sleep, such as an added job, may bring an earlier due time. Then a new ticker replaces
/// the sleeping one. Each time the ticker wakes, it checks all times again before it sleeps.
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

    /// Changes the state. If something is then due before the ticker's sleep ends, a new ticker starts.
    func change<Value: Sendable, E: Error>(
        _ body: (inout sending SchedulerState) throws(E) -> sending Value
    ) throws(E) -> Value {
        let (value, overtaken) = try state.withLock { (state) throws(E) in
            let value = try body(&state)
            return (value, wake(&state))
        }
        // The task is cancelled outside of the lock, because the clock handles the cancellation under locks
        // of its own.
        overtaken?.cancel()
        return value
    }

    func read<Value: Sendable>(_ body: (borrowing SchedulerState) -> Value) -> Value {
        state.withLock { body($0) }
    }

    /// Starts a new ticker if something is due before the present ticker wakes.
    ///
    /// - Returns: the old ticker, which the caller cancels; `nil` if no new ticker was started.
    private func wake(_ state: inout SchedulerState) -> Task<Void, Never>? {
        guard state.nextWake < state.sleepsUntil else { return nil }
        let overtaken = state.ticker
        state.tickerNumber += 1
        state.sleepsUntil = .min
        let number = state.tickerNumber
        state.ticker = detached { [self] in await tick(number) }
        return overtaken
    }

    /// Makes a task that does not inherit the priority and task-local values of the current task.
    private func detached(_ body: sending @escaping @isolated(any) () async -> Void) -> Task<Void, Never> {
        // An executor preference costs time even if it is `nil`. So without an executor no preference is
        // given.
        guard let executor else { return Task.detached(operation: body) }
        return Task.detached(executorPreference: executor, operation: body)
    }
}

// The steps of the ticker.
extension SchedulerCore {
    private func tick(_ number: UInt64) async {
        var known: SchedulerState.Step?
        while let step = known ?? nextStep(number) {
            known = nil
            switch step {
            case .act(let starts, let entries):
                if !entries.isEmpty { state.withLock { write(entries, in: &$0) } }
                start(starts)
                known = sleepNext(number, after: starts)
            case .sleep(let micros):
                do throws(CancellationError) {
                    try await clock.sleep(until: .wall(.microseconds(micros)))
                } catch {
                    // Another ticker has replaced this one, or the scheduler was shut down.
                    return
                }
            case .rest: return
            }
        }
    }

    /// Returns the next step of a ticker; `nil` if another ticker has replaced it.
    private func nextStep(_ number: UInt64) -> SchedulerState.Step? {
        // The time and the zones are read below this line. So a notice that comes after this line may tell of
        // a later change, and is handled in the next step.
        let notices = state.withLock { $0.clockNotices }
        let now = clock.now
        let renewed = zonesToRenew()
        let zone = zoneToFollow()
        return state.withLock { state in
            guard number == state.tickerNumber else { return nil }
            // Notices of a new zone may be missing, for example if the system has no inotify instance left.
            // So each step compares the zone.
            let isMoved = zone?.zone != nil
            if state.isClockChanged || isMoved || state.jobs.isOutOfStep(with: now) {
                followClock(&state, at: now, zone, renewing: renewed)
                state.handledNotices = notices
            }
            if state.nextActivity <= now.wall.microseconds {
                events.send(contentsOf: state.change { $0.advance(to: now.wall, in: calendar) })
            }
            let step = state.step(at: now)
            state.note(step)
            return step
        }
    }

    /// Returns the ticker's next step after it started the runs in `starts`: `sleep`, or `rest` to end the
    /// ticker. The result is `nil` if ``nextStep(_:)`` has to find the step, for example because something
    /// else was due when the runs started.
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

// The start and the end of runs.
extension SchedulerCore {
    /// Writes records in a separate task, then starts the runs that wait for these records. Because of the
    /// separate task, a journal that is slow or hangs does not delay other runs.
    private func write(_ entries: [JournalEntry], in state: inout SchedulerState) {
        let earlier = state.writer
        state.writer = detached { [self] in
            await record(entries)
            // The earlier writer may not have started its runs yet, and `shutDown` waits only for the last
            // writer.
            await earlier?.value
        }
    }

    private func record(_ entries: [JournalEntry]) async {
        do throws(RunJournalError) {
            try await journal?.record(entries)
            let now = clock.now
            let (starts, held) = change { $0.takeHeld(at: now) }
            // The runs start even after a shutdown. Their records are written, so no later scheduler makes
            // up for them.
            start(starts)
            withExtendedLifetime(held) {}
        } catch {
            // The clock is read under the lock. So if it is set back afterwards, the notice of this change
            // finds the planned retry, and hastens it.
            change { $0.postpone(at: clock.now) }
            problems.send(CronSchedulerError(error, "runs wait because the journal cannot be written"))
        }
    }

    private func start(_ starts: [JobTable.Start]) {
        guard !starts.isEmpty else { return }
        events.send(
            contentsOf: starts.lazy.map {
                ActivityEvent(activity: $0.run.job, kind: .job, scheduled: $0.run.scheduled)
            }
        )
        // Batches are made only without an executor. A manual executor runs tasks in the order in which they
        // are made, and batches would change the order in which it starts the runs.
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

    /// If more runs than this number are due together, they are started in batches.
    private static let crowd = 64
    /// The number of runs that one task starts, one after the other, each up to its first suspension. It is
    /// large enough to save most of the cost of handing each run to another thread. It is small enough that
    /// only a few runs are delayed by a run with a long computation.
    private static let batch = 16

    /// Makes the tasks of runs, and lists them in the state.
    ///
    /// - Parameter immediately: whether the tasks begin on this thread before the call returns, if the
    ///   platform supports that.
    private func launch(_ starts: ArraySlice<JobTable.Start>, immediately: Bool) {
        let numbers = state.withLock { $0.running.reserve(starts.count) }
        // The tasks are made outside of the lock, because a run that ends at once takes the lock.
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

// Changes of the clock and the zone.
extension SchedulerCore {
    /// Follows changes of clock and zone as long as the scheduler lives.
    func listen() {
        let notices = clock.notices()
        let task = detached { [self] in
            for await _ in notices { change { $0.clockNotices += 1 } }
        }
        listener.withLock { $0 = task }
    }

    /// Returns the new data of each zone whose data has changed. The data is read outside of the lock, and
    /// only if the clock or the zone may have changed.
    ///
    /// If the new data of a zone cannot be read, a problem is reported and the zone's jobs keep the old data.
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

    /// Returns the clock's zone if the jobs without a zone of their own still use an earlier one; else `nil`.
    /// In the result, `zone` is `nil` if no zone has the name. The zone is looked up outside of the lock.
    private func zoneToFollow() -> (name: String, zone: ZoneRules?)? {
        let known = state.withLock { $0.jobs.clockZoneName }
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

    /// Returns the zone of this name, or the clock's zone for `nil`.
    func zone(
        named name: String?,
        orOfClock clockZone: String
    ) throws(CronSchedulerError) -> ZoneRules {
        if let zone = state.withLock({ $0.jobs.knownZone(name) }) { return zone }
        let name = name ?? clockZone
        guard let zone = findZone(name) else { throw unknownZone(name) }
        return zone
    }

    private func unknownZone(_ name: String) -> CronSchedulerError {
        CronSchedulerError(code: .unknownZone, message: "there is no time zone “\(name)”")
    }
}

// How the scheduler shuts down.
extension SchedulerCore {
    /// Stops the ticker and the task that follows the clock. Runs that have started, and a write that is
    /// under way, continue.
    func stopTasks() {
        let ticker = state.withLock { state in
            state.isShutDown = true
            // No ticker has the new number, so the running ticker ends. `wake` starts no new ticker, because
            // nothing is due earlier than `.min`.
            state.tickerNumber += 1
            state.sleepsUntil = .min
            return state.ticker
        }
        listener.withLock { $0 }?.cancel()
        ticker?.cancel()
    }

    func finishStreams() {
        events.finish()
        problems.finish()
    }

    func shutDown(cancellingRuns: Bool) async {
        stopTasks()
        await writeLastCorrections()
        // The list of running tasks also contains the tasks that start batches. A task of this kind adds the
        // runs of its batch to the list. So the list is read again until it is empty.
        while true {
            let runs = state.withLock { $0.running.all }
            guard !runs.isEmpty else { break }
            if cancellingRuns { for run in runs { run.cancel() } }
            for run in runs { await run.value }
        }
        finishStreams()
    }

    /// Writes what still corrects the journal after a shutdown, and waits for all writes. The call does
    /// nothing before a shutdown.
    ///
    /// No step of the ticker writes these corrections any more. If an earlier write of them has failed, this
    /// call tries once. Runs that wait for a retry are dropped.
    func writeLastCorrections() async {
        let (isShutDown, ticker) = state.withLock { ($0.isShutDown, $0.ticker) }
        guard isShutDown else { return }
        // The ticker may be about to start runs, or to start a writer that starts runs itself. So this method
        // first waits for the end of the ticker, and then for the end of the last writer.
        await ticker?.value
        var hasWritten = false
        while true {
            let (writer, isOver) = state.withLock { state in
                let corrections = state.holdCorrections(at: clock.now, retries: !hasWritten)
                if !corrections.isEmpty {
                    write(corrections, in: &state)
                    hasWritten = true
                }
                return (state.writer, !state.isWriting)
            }
            await writer?.value
            if isOver { return }
        }
    }
}
