internal import AdapterKit
public import PortcullisCore

/// Runs jobs at the times of cron expressions, and activities at their times of day.
///
/// ```swift
/// let scheduler = CronScheduler(clock: SystemClock(), journal: SecretStoreRunJournal(store))
/// try await scheduler.add(
///     CronJob("backup", at: try CronExpression("30 2 * * *")) { run in await makeBackup() }
/// )
/// // …
/// await scheduler.shutDown()
/// ```
///
/// - One task sleeps to the next time, whatever the number of jobs; it wakes at once when the machine wakes from
///   sleep, and when clock or zone change.
/// - A job fires at the times of its expression in its zone; <doc:CronPolicies> says what that means when clocks
///   change. A wall clock that is set forward makes runs missed (``CronJob/missed``). One that is set back by up
///   to three hours repeats nothing at fixed wall times; set back further it is believed. What follows elapsed
///   time goes on at once.
/// - With a journal every run is written down before it starts, runs that are due together in one write. A job
///   that is added again by a later process goes on from there: each run takes place at most once, and what was
///   missed meanwhile is up to ``CronJob/missed``. While the journal cannot be written runs wait, and
///   ``problems()`` tells. Without a journal the runs are remembered as long as the scheduler lives.
/// - Jobs and activities have names of their own; the same name may be used for one of each.
/// - A scheduler that is dropped plans nothing any more; runs that go on, or are being written down, are left alone.
///   ``shutDown(cancellingRuns:)`` waits for them.
public final class CronScheduler: ActivityScheduler {
    private let core: SchedulerCore

    /// A scheduler without jobs.
    ///
    /// - Parameters:
    ///   - clock: tells the time and wakes it.
    ///   - journal: remembers runs over restarts; default: none.
    ///   - zones: finds the zone of an IANA name; default: the system's data, which is read anew when its files change.
    ///   - executor: runs the scheduler's own tasks and those of the jobs; default: Swift's shared pool.
    public init(
        clock: any LockClock,
        journal: (any RunJournal)? = nil,
        zones: @escaping @Sendable (String) -> ZoneRules? = { ZoneRules($0) },
        executor: (any TaskExecutor)? = nil
    ) {
        core = SchedulerCore(clock: clock, journal: journal, zones: zones, executor: executor)
        core.listen()
    }

    deinit {
        _ = core.stopTasks()
        core.finishStreams()
    }

    /// Problems that the scheduler met while running, from now on: a journal that cannot be written, a zone that
    /// it does not know.
    public func problems() -> AsyncStream<CronSchedulerError> { core.problems.stream() }

    /// Ends the scheduler: nothing starts any more, and the call returns when all runs have ended.
    ///
    /// Runs that wait for their turn do not take place; with a journal they are missed runs of the next start. Not
    /// to be called by a job, which would wait for itself.
    ///
    /// - Parameter cancellingRuns: whether the tasks of the runs are cancelled, rather than left to their end.
    public func shutDown(cancellingRuns: Bool = false) async {
        await core.shutDown(cancellingRuns: cancellingRuns)
    }
}

// Jobs.
extension CronScheduler {
    /// Takes a job on; one of the same name is replaced.
    ///
    /// Replacing a job by one with the same expression and zone keeps its times; with another schedule it begins
    /// anew and makes up for nothing. Runs that go on are left alone and count for ``CronJob/overlap``.
    ///
    /// - Throws: ``CronSchedulerError``: ``CronSchedulerErrorCode/neverFires``,
    ///   ``CronSchedulerErrorCode/unknownZone``, ``CronSchedulerErrorCode/invalidJob``,
    ///   ``CronSchedulerErrorCode/journal``, ``CronSchedulerErrorCode/shutDown``. Then no job is changed.
    public func add(_ job: CronJob) async throws(CronSchedulerError) {
        try await add([job])
    }

    /// Takes jobs on, all or none; the journal is read and written once.
    ///
    /// - Throws: as ``add(_:)-(CronJob)`` for the first job that is refused.
    public func add(_ jobs: [CronJob]) async throws(CronSchedulerError) {
        for job in jobs { try job.validate() }
        if core.read({ $0.isShutDown }) { throw CronSchedulerError.isShutDown }
        let now = core.clock.now
        var zones: [String?: ZoneRules] = [:]
        for job in jobs {
            let zone: ZoneRules
            if let known = zones[job.zoneName] {
                zone = known
            } else {
                zone = try core.zone(named: job.zoneName)
            }
            zones[job.zoneName] = zone
            try job.checkFires(after: now, in: zone)
        }
        let records = try await knownRecords(of: jobs, at: now)
        let replaced = try core.change { (state) throws(CronSchedulerError) in
            if state.isShutDown { throw CronSchedulerError.isShutDown }
            return try core.add(jobs, in: zones, known: records, to: &state)
        }
        // Released here, outside of the lock.
        withExtendedLifetime(replaced) {}
    }

    /// What the journal knows of the present schedules of jobs; new ones are written down as known from now on.
    private func knownRecords(
        of jobs: [CronJob],
        at now: Moment
    ) async throws(CronSchedulerError) -> [ActivityName: RunRecord] {
        guard let journal = core.journal, !jobs.isEmpty else { return [:] }
        do throws(RunJournalError) {
            var records = try await journal.records(of: jobs.map(\.name))
            var new: [JournalEntry] = []
            for job in jobs {
                let record = job.record(at: now)
                if job.missed != .skip, records[job.name]?.schedule == record.schedule { continue }
                // A job that skips missed runs needs no record: one would only become outdated.
                let isRemembered = job.missed != .skip && !job.expression.isReboot
                if isRemembered || records[job.name] != nil {
                    new.append(JournalEntry(job: job.name, record: isRemembered ? record : nil))
                }
                records[job.name] = nil
            }
            if !new.isEmpty { try await journal.record(new) }
            return records
        } catch {
            throw CronSchedulerError(
                code: .journal,
                message: "the journal cannot be used: \(error.message)",
                cause: error
            )
        }
    }

    /// Lets jobs go; names that it does not have are passed by. Runs that go on are left alone.
    ///
    /// - Throws: ``CronSchedulerErrorCode/journal`` when the journal cannot forget them; they are gone all the
    ///   same, but one added again under such a name and schedule would go on where it was.
    public func remove(_ names: Set<ActivityName>) async throws(CronSchedulerError) {
        let actions = core.change { state in
            // A run of theirs may be being written down just now, or be about to be.
            if state.held != nil { for name in names { state.correct(JournalEntry(job: name, record: nil)) } }
            return state.jobs.remove(names)
        }
        // Released here, outside of the lock.
        withExtendedLifetime(actions) {}
        guard let journal = core.journal else { return }
        do throws(RunJournalError) {
            try await journal.record(names.map { JournalEntry(job: $0, record: nil) })
        } catch {
            throw CronSchedulerError(
                code: .journal,
                message: "the journal cannot be written: \(error.message)",
                cause: error
            )
        }
    }

    /// All jobs; looks at each.
    public func jobs() -> [ActivityName: ScheduledJob] {
        core.read { state in
            state.jobs.places.mapValues { state.jobs.job(at: $0) }
        }
    }

    /// What is known of a job; `nil` when there is none of that name.
    public func job(_ name: ActivityName) -> ScheduledJob? {
        core.read { state in state.jobs.places[name].map { state.jobs.job(at: $0) } }
    }
}

// Activities.
extension CronScheduler {
    /// It tells next events and runs jobs.
    public var capabilities: ActivitySchedulerCapabilities {
        [.tellsNextEvent, .runsJobs, .givesWarnings, .takesOneShots]
    }

    /// Starts watching over an activity, by the zone of the clock.
    public func start(
        _ activity: ActivityName,
        schedule: ActivitySchedule
    ) async throws(ActivitySchedulerError) {
        try core.change { (state) throws(ActivitySchedulerError) in
            if state.isShutDown {
                throw ActivitySchedulerError(code: .unavailable, message: "the scheduler was shut down")
            }
            let now = core.clock.now.wall
            core.events.send(
                contentsOf: try state.change { (activities) throws(ActivitySchedulerError) in
                    try activities.start(activity, schedule: schedule, at: now, in: core.calendar)
                }
            )
        }
    }

    /// Stops these activities.
    public func stop(_ activities: Set<ActivityName>) async {
        core.change { state in
            let now = core.clock.now.wall
            core.events.send(contentsOf: state.change { $0.stop(activities, at: now, in: core.calendar) })
        }
    }

    /// What is watched over.
    public func monitored() async -> [ActivityName: MonitoredActivity] {
        core.read { $0.activities.monitored }
    }

    /// The events from now on: those of activities, and the start of each run of a job.
    public func events() -> AsyncStream<ActivityEvent> { core.events.stream() }
}
