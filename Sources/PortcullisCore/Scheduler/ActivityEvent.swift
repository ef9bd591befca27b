/// What an ``ActivityScheduler`` reports.
public struct ActivityEvent: Hashable, Sendable {
    /// The kinds of event.
    public enum Kind: Hashable, Sendable {
        /// The interval starts soon.
        case intervalWillStartWarning
        /// The interval began, or the activity was started inside it.
        case intervalDidStart
        /// The interval ends soon.
        case intervalWillEndWarning
        /// The interval ended, or the activity was stopped inside it.
        case intervalDidEnd
        /// A plain cron job of this name runs; only from schedulers with
        /// ``ActivitySchedulerCapabilities/runsJobs``.
        case job
    }

    /// The activity.
    public var activity: ActivityName
    /// What happened.
    public var kind: Kind
    /// The wall time it was meant for, since 1970-01-01T00:00:00Z.
    ///
    /// An end that was caused by stopping, or by a clock or zone that was changed, was meant for the time of that.
    public var scheduled: Duration

    /// An event of these parts.
    public init(activity: ActivityName, kind: Kind, scheduled: Duration) {
        self.activity = activity
        self.kind = kind
        self.scheduled = scheduled
    }
}
