public import PortcullisCore

/// An action that runs at the times of a cron expression.
///
/// ```swift
/// let backup = CronJob("backup", at: try CronExpression("30 2 * * *"), jitter: .seconds(600)) { run in
///     await makeBackup(of: run.scheduled)
/// }
/// ```
public struct CronJob: Sendable {
    /// The action of a job. It handles its own errors.
    public typealias Action = @Sendable (CronRun) async -> Void

    /// The name of the job, of at most 1,024 bytes. No other job of the scheduler has this name.
    public var name: ActivityName
    /// The times at which the job runs.
    public var expression: CronExpression
    /// The IANA name of the zone whose clocks apply; `nil` for the zone of the scheduler's clock. If the
    /// clock changes to another zone, a job without a zone follows the clock. A zone in the expression
    /// takes precedence.
    public var zone: String?
    /// What happens if a run is due while an earlier run has not ended.
    public var overlap: OverlapPolicy
    /// What happens to runs that were missed.
    public var missed: MissedRunPolicy
    /// The largest delay with which a run still counts as on time. A grace below one second counts as one
    /// second.
    public var grace: Duration
    /// The largest delay of a run after its scheduled time, at most 24 hours. The delay is a whole number of
    /// milliseconds, and is computed from the job's name. All runs of a job have the same delay. Jobs with
    /// different names usually have different delays, which spreads the load. For `@every`, the first pause
    /// begins later by this delay.
    public var jitter: Duration
    /// The action of each run.
    public var action: Action

    /// Makes a job of these parts.
    public init(
        _ name: ActivityName,
        at expression: CronExpression,
        zone: String? = nil,
        overlap: OverlapPolicy = .skip,
        missed: MissedRunPolicy = .once,
        grace: Duration = .seconds(60),
        jitter: Duration = .zero,
        action: @escaping Action
    ) {
        self.name = name
        self.expression = expression
        self.zone = zone
        self.overlap = overlap
        self.missed = missed
        self.grace = grace
        self.jitter = jitter
        self.action = action
    }
}

/// What happens if a run of a job is due while an earlier run has not ended.
public enum OverlapPolicy: Hashable, Sendable {
    /// The new run does not take place, and counts as missed.
    case skip
    /// The new run waits until the earlier runs have ended. If `limit` runs wait already, the new run does
    /// not take place, and counts as missed.
    case queue(limit: Int)
    /// The new run starts while the earlier one still runs.
    case concurrent
}

/// What happens to runs that were missed. Runs may be missed because the process does not run, the machine
/// sleeps, the clock is set forward, or the scheduler is delayed, for example by its journal.
///
/// A run is on time if it starts within the job's grace and before the next run is due. All other runs are
/// missed.
public enum MissedRunPolicy: Hashable, Sendable {
    /// Missed runs do not take place. Runs of a job with this policy are not recorded in the journal.
    case skip
    /// Only the last missed run takes place, late.
    case once
    /// Each missed run takes place late and in order. If more runs than the limit were missed, only the
    /// latest of them take place. With ``OverlapPolicy/concurrent`` they may run at the same time. With every
    /// other policy they run one after the other.
    case all(limit: Int)
}

/// One run of a job.
public struct CronRun: Hashable, Sendable {
    /// The job's name.
    public var job: ActivityName
    /// The scheduled wall time, since 1970-01-01T00:00:00Z. The time includes the jitter only for `@every`.
    public var scheduled: Duration
    /// The wall time at which the run started, since 1970-01-01T00:00:00Z.
    public var started: Duration
    /// The number of runs that were left out since the previous run that took place.
    public var missed: Int

    /// Makes a run of these parts.
    public init(job: ActivityName, scheduled: Duration, started: Duration, missed: Int) {
        self.job = job
        self.scheduled = scheduled
        self.started = started
        self.missed = missed
    }
}

/// The state of a job in a scheduler.
public struct ScheduledJob: Hashable, Sendable {
    /// The times at which the job runs.
    public var expression: CronExpression
    /// The name of the zone whose clocks apply now.
    public var zone: String
    /// The wall time of the next run, including jitter; `nil` if no run is left.
    public var next: Duration?
    /// The scheduled time of the last run that started or was missed; `nil` if no such run is known. Before
    /// the first run, the value is the time at which the job was added in two cases: the scheduler was
    /// restarted with a journal, or the clock was set back and then forward.
    public var last: Duration?
    /// The number of the job's runs that have started and not ended.
    public var running: Int
    /// The number of runs that wait for their turn.
    public var waiting: Int
}
