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
/// - One task for all jobs sleeps until the next time. The task wakes at once when the machine wakes from
///   sleep, and when the clock or the zone changes.
/// - A job fires at the times of its expression in its zone. <doc:CronPolicies> describes what happens when
///   daylight saving time begins or ends. If the wall clock is set forward, the runs of the skipped time are
///   missed (``CronJob/missed``). If the clock is set back by up to three hours, no run at a fixed wall time
///   is repeated. If the clock is set back further, the runs at the repeated times take place again. If the
///   clock is set forward past these times before they come, they do not. An expression that names all 24
///   hours, and an `@every` expression, continue at once after either change.
/// - With a journal, a run is recorded before it starts. Runs of jobs with ``MissedRunPolicy/skip`` are not
///   recorded. Runs that are due together need one write. A job that a later process adds again continues
///   from its record. Each run takes place at most once, and ``CronJob/missed`` decides about runs that were
///   missed while no process ran. If the recorded time is later than the clock, the job continues from the
///   present time, and its records keep the later time. Once the clock is set to the later time, or a process
///   starts after it, the job continues from that time. For a job at fixed wall times, the clock may be up to
///   three hours behind the later time. While the journal cannot be written, runs wait and ``problems()``
///   reports the error. Without a journal, runs are remembered as long as the scheduler lives.
/// - Jobs and activities have separate names: a job and an activity may have the same name.
/// - A scheduler that is released starts no further runs. Runs that have started, or are being recorded, are
///   not interrupted. To wait for these runs, call ``shutDown(cancellingRuns:)`` before the release.
public final class CronScheduler: ActivityScheduler {
    private let core: SchedulerCore

    /// Makes a scheduler without jobs.
    ///
    /// - Parameters:
    ///   - clock: the clock, which also wakes the scheduler.
    ///   - journal: remembers runs across restarts; default: none.
    ///   - zones: finds the zone of an IANA name; default: the system's data, which is read again when its
    ///     files change.
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
        core.stopTasks()
        core.finishStreams()
    }

    /// Returns a stream of the problems from now on, such as a journal that cannot be written or an unknown
    /// zone.
    public func problems() -> AsyncStream<CronSchedulerError> { core.problems.stream() }

    /// Ends the scheduler: no further run starts, and the call returns when all runs have ended.
    ///
    /// Runs that wait for their turn do not take place. With a journal, they count as missed runs when a
    /// scheduler is next started with that journal. A job must not call this method, because the call would
    /// wait for the job's own run.
    ///
    /// A call of ``add(_:)-(CronJob)`` or ``remove(_:)`` that is under way may still write to the journal
    /// after this call has returned. Another scheduler may use the same journal object once these calls have
    /// ended.
    ///
    /// - Parameter cancellingRuns: whether the tasks of the runs are cancelled.
    public func shutDown(cancellingRuns: Bool = false) async {
        await core.shutDown(cancellingRuns: cancellingRuns)
    }
}

// Methods for jobs.
extension CronScheduler {
    /// Adds a job, and replaces the job of the same name.
    ///
    /// If the replaced job has the same expression and zone, the new job continues from the replaced job's
    /// last run. Otherwise the new job starts from the present time and makes up for no missed runs. Runs of
    /// the replaced job that have started continue, and count as earlier runs for ``CronJob/overlap``.
    ///
    /// - Throws: ``CronSchedulerError``: ``CronSchedulerErrorCode/neverFires``,
    ///   ``CronSchedulerErrorCode/unknownZone``, ``CronSchedulerErrorCode/invalidJob``,
    ///   ``CronSchedulerErrorCode/journal``, ``CronSchedulerErrorCode/shutDown``. On an error no job is
    ///   changed.
    public func add(_ job: CronJob) async throws(CronSchedulerError) {
        try await add([job])
    }

    /// Adds all of these jobs or none. The call reads the journal once, and writes it at most once.
    ///
    /// - Throws: the errors of ``add(_:)-(CronJob)`` for the first job that is refused.
    public func add(_ jobs: [CronJob]) async throws(CronSchedulerError) {
        for job in jobs { try job.validate() }
        if core.read({ $0.isShutDown }) { throw CronSchedulerError.isShutDown }
        let now = core.clock.now
        let clockZone = core.clock.zone
        var zones: [String?: ZoneRules] = [:]
        for job in jobs {
            let zone: ZoneRules
            if let known = zones[job.zoneName] {
                zone = known
            } else {
                zone = try core.zone(named: job.zoneName, orOfClock: clockZone)
            }
            zones[job.zoneName] = zone
        }
        let start = core.change { $0.beginAddition() }
        defer { core.change { $0.endAddition() } }
        var records = try await storedRecords(of: jobs)
        for job in jobs {
            if let zone = zones[job.zoneName] {
                try job.checkFires(after: now, known: records[job.name], in: zone)
            }
        }
        let replaced: [CronJob.Action]
        do throws(CronSchedulerError) {
            try await recordNew(jobs, at: now, in: &records)
            replaced = try core.change { (state) throws(CronSchedulerError) in
                if state.isShutDown { throw CronSchedulerError.isShutDown }
                return try core.add(
                    jobs,
                    in: zones,
                    ofClock: clockZone,
                    known: records,
                    since: start,
                    to: &state
                )
            }
        } catch {
            // The records of the refused jobs may have been stored over those of the jobs that go on.
            core.change { $0.noteWrite(of: jobs.lazy.map(\.name)) }
            await core.writeLastCorrections()
            throw error
        }
        // The replaced jobs are released here, where this thread does not hold the scheduler's lock. The
        // actions of the jobs may hold objects that call the scheduler in their deinitializers.
        withExtendedLifetime(replaced) {}
    }

    /// Returns the journal's records of the jobs, also those of earlier schedules.
    private func storedRecords(
        of jobs: [CronJob]
    ) async throws(CronSchedulerError) -> [ActivityName: RunRecord] {
        guard let journal = core.journal, !jobs.isEmpty else { return [:] }
        do throws(RunJournalError) { return try await journal.records(of: jobs.map(\.name)) } catch {
            throw CronSchedulerError(error, "the journal cannot be used")
        }
    }

    /// Leaves only the records of the jobs' present schedules in `records`. For a job with a new schedule, a
    /// record with the present time is written. Records that are no longer needed are removed.
    private func recordNew(
        _ jobs: [CronJob],
        at now: Moment,
        in records: inout [ActivityName: RunRecord]
    ) async throws(CronSchedulerError) {
        guard let journal = core.journal else { return }
        var new: [JournalEntry] = []
        for job in jobs where !job.continues(from: records[job.name]) {
            // If the job gets no record, an old one is removed.
            let record = job.firstRecord(at: now)
            if record != nil || records[job.name] != nil {
                new.append(JournalEntry(job: job.name, record: record))
            }
            records[job.name] = nil
        }
        guard !new.isEmpty else { return }
        do throws(RunJournalError) { try await journal.record(new) } catch {
            throw CronSchedulerError(error, "the journal cannot be used")
        }
    }

    /// Removes jobs, and ignores unknown names. Runs that have started continue.
    ///
    /// - Throws: ``CronSchedulerErrorCode/journal`` if the journal cannot remove the records of the jobs. The
    ///   jobs are removed nevertheless. A job that is added later with the same name and schedule then
    ///   continues from the old record.
    public func remove(_ names: Set<ActivityName>) async throws(CronSchedulerError) {
        let actions = core.change { state in
            // A write that is under way or waits for a retry may contain records of these jobs. It may store
            // the records again after the removal below. So a second removal is queued behind this write.
            if state.isWritePending {
                for name in names { state.correct(JournalEntry(job: name, record: nil)) }
            }
            return state.remove(names)
        }
        // The actions are released here, where this thread does not hold the scheduler's lock. The actions
        // may hold objects that call the scheduler in their deinitializers.
        withExtendedLifetime(actions) {}
        guard let journal = core.journal else { return }
        var failure: CronSchedulerError?
        do throws(RunJournalError) {
            try await journal.record(names.map { JournalEntry(job: $0, record: nil) })
        } catch {
            failure = CronSchedulerError(error, "the journal cannot be written")
        }
        // A removal that fails may have been stored all the same.
        core.change { $0.noteWrite(of: names) }
        await core.writeLastCorrections()
        if let failure { throw failure }
    }

    /// Returns the states of all jobs. The time that the call takes grows with the number of jobs.
    public func jobs() -> [ActivityName: ScheduledJob] {
        core.read { state in
            state.jobs.places.mapValues { state.jobs.job(at: $0) }
        }
    }

    /// Returns the state of a job; `nil` if no job has this name.
    public func job(_ name: ActivityName) -> ScheduledJob? {
        core.read { state in state.jobs.places[name].map { state.jobs.job(at: $0) } }
    }
}

// Methods for activities.
extension CronScheduler {
    /// The scheduler reports next events, runs jobs, gives warnings and accepts one-shot activities.
    public var capabilities: ActivitySchedulerCapabilities {
        [.tellsNextEvent, .runsJobs, .givesWarnings, .takesOneShots]
    }

    /// Starts to monitor an activity. Its schedule follows the zone of the scheduler's clock.
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

    /// Stops monitoring these activities.
    public func stop(_ activities: Set<ActivityName>) async {
        core.change { state in
            let now = core.clock.now.wall
            core.events.send(contentsOf: state.change { $0.stop(activities, at: now, in: core.calendar) })
        }
    }

    /// Returns the activities that are monitored.
    public func monitored() async -> [ActivityName: MonitoredActivity] {
        core.read { $0.activities.monitored }
    }

    /// Returns a stream of all events after this call: the events of activities, and the start of each run of
    /// a job.
    public func events() -> AsyncStream<ActivityEvent> { core.events.stream() }
}
