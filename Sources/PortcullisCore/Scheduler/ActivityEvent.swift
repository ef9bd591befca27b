/// An event that an ``ActivityScheduler`` reports.
public struct ActivityEvent: Hashable, Sendable {
    /// The kinds of event.
    public enum Kind: Hashable, Sendable {
        /// The interval starts soon. The event comes ``ActivitySchedule/warning`` before the start.
        case intervalWillStartWarning
        /// The interval began, or the activity was started inside it.
        case intervalDidStart
        /// The interval ends soon. The event comes ``ActivitySchedule/warning`` before the end.
        case intervalWillEndWarning
        /// The interval ended, or the activity was stopped inside it.
        case intervalDidEnd
        /// A plain cron job runs. The event's activity is the job's name. Only schedulers with
        /// ``ActivitySchedulerCapabilities/runsJobs`` report it.
        case job
    }

    /// The activity.
    public var activity: ActivityName
    /// The kind of the event.
    public var kind: Kind
    /// The planned wall time of the event, since 1970-01-01T00:00:00Z.
    ///
    /// If an interval ends because it was stopped, or because the clock or zone was changed, this is the time
    /// of the stop or change.
    public var scheduled: Duration

    /// Makes an event from these parts.
    public init(activity: ActivityName, kind: Kind, scheduled: Duration) {
        self.activity = activity
        self.kind = kind
        self.scheduled = scheduled
    }
}
