public import PortcullisCore

/// Something that is done again and again at the times of a cron expression.
///
/// ```swift
/// let backup = CronJob("backup", at: try CronExpression("30 2 * * *"), jitter: .seconds(600)) { run in
///     await makeBackup(of: run.scheduled)
/// }
/// ```
public struct CronJob: Sendable {
    /// What a job does; it deals with its own errors.
    public typealias Action = @Sendable (CronRun) async -> Void

    /// The name, which no other job of the scheduler has.
    public var name: ActivityName
    /// When it runs.
    public var expression: CronExpression
    /// The IANA zone whose clocks it goes by; `nil`: the zone of the scheduler's clock, also after it changed. A
    /// zone in the expression goes before it.
    public var zone: String?
    /// What happens when a run is due while another one still goes on.
    public var overlap: OverlapPolicy
    /// What happens with runs that were missed.
    public var missed: MissedRunPolicy
    /// How late a run may start and still be on time; at least a second.
    public var grace: Duration
    /// Runs start up to this much later than the expression says, to spread load: how much is random among jobs
    /// and always the same for one name. In whole milliseconds, up to 24 hours.
    public var jitter: Duration
    /// What it does.
    public var action: Action

    /// A job of these parts.
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

/// What happens when a run of a job is due while another one still goes on.
public enum OverlapPolicy: Hashable, Sendable {
    /// It does not take place, and counts as missed.
    case skip
    /// It waits for its turn; when this many wait already it does not take place, and counts as missed.
    case queue(limit: Int)
    /// It starts beside the other.
    case concurrent
}

/// What happens with runs that were missed: because the process did not run, the machine slept, the clock was set
/// forward, or the scheduler could not go on.
///
/// A run is on time when it starts within the job's grace and before the next one is due; all others are missed.
public enum MissedRunPolicy: Hashable, Sendable {
    /// They do not take place. Nothing is written to the journal for such a job.
    case skip
    /// The last of them takes place, late, for them all.
    case once
    /// Each of them takes place, late and in order, up to this many, of which the latest are taken. They run one
    /// after the other unless the job's runs may overlap.
    case all(limit: Int)
}

/// One run of a job.
public struct CronRun: Hashable, Sendable {
    /// The job.
    public var job: ActivityName
    /// The wall time that it was meant for, since 1970-01-01T00:00:00Z, without jitter.
    public var scheduled: Duration
    /// The wall time at which it was started.
    public var started: Duration
    /// How many runs before it did not take place since the last one that did.
    public var missed: Int

    /// A run of these parts.
    public init(job: ActivityName, scheduled: Duration, started: Duration, missed: Int) {
        self.job = job
        self.scheduled = scheduled
        self.started = started
        self.missed = missed
    }
}

/// What a scheduler knows of a job.
public struct ScheduledJob: Hashable, Sendable {
    /// When it runs.
    public var expression: CronExpression
    /// The zone whose clocks it goes by now.
    public var zone: String
    /// The wall time at which it runs next, jitter included; `nil` when its last time has come.
    public var next: Duration?
    /// The scheduled time of the last run that was started or missed; `nil` when there was none yet. After a
    /// restart the journal's word: when the job was added, if it had not run.
    public var last: Duration?
    /// How many of its runs go on now.
    public var running: Int
    /// How many wait for their turn.
    public var waiting: Int
}
