/// Starts and ends named activities at their times of day.
///
/// This port requires only abilities that are common to a system's activity monitor and a scheduler within
/// the process. ``capabilities`` lists the optional abilities of a scheduler.
///
/// An activity takes place in *intervals*, one for each date. The interval of a date starts at the first instant whose
/// local time is ``ActivitySchedule/start`` on that date or later. It ends at the first instant whose local time is
/// ``ActivitySchedule/end`` or later, on that date or the next. Times are wall times in the person's present zone.
///
/// ## For callers
/// - An event may arrive in another process than the one that started the activity. The handler should
///   therefore need only the activity's name.
/// - Starting an activity inside an interval gives ``ActivityEvent/Kind/intervalDidStart`` at once, for that
///   interval. If the time of a warning has passed, the warning comes together with this event.
/// - Stopping an activity inside an interval gives ``ActivityEvent/Kind/intervalDidEnd`` at once. Stopping
///   it outside of an interval gives no event.
/// - Starting an activity whose name is monitored already replaces the old activity: the old activity is
///   stopped, then the new activity is started. This happens even if the two schedules are equal.
/// - A schedule with a warning needs the capability ``ActivitySchedulerCapabilities/givesWarnings``. A
///   schedule with a single interval needs ``ActivitySchedulerCapabilities/takesOneShots``. A scheduler
///   without the capability refuses the schedule.
/// - Without ``ActivitySchedule/repeats`` there is one interval: the present one if the activity is started
///   inside it, otherwise the next. After the interval, or if the machine slept through it, the activity is
///   no longer monitored.
/// - An event may be late, never early. ``ActivityEvent/scheduled`` is its planned time.
/// - After the machine slept or no process ran, an interval that had started ends late. Intervals that passed
///   completely do not take place. The present interval starts late. A missed warning still comes if the
///   start or end that it warns of lies ahead.
/// - Intervals are an hour shorter or longer on days of 23 and 25 hours. A time inside a gap, where clocks
///   go forward, becomes the gap's end. A time inside an overlap, where clocks go back, is the first of the
///   two instants. If both times lie in one gap, or the zone skips the whole date, start and end come at the
///   same instant. The scheduler omits both events if they would come a minute or more late.
/// - When the zone changes, the scheduler compares the date of the running interval with the date of the
///   interval that should run in the new zone. If the dates are equal, the running interval continues with a
///   new end. Otherwise the running interval ends, and the interval of the new zone starts.
/// - Setting the wall clock forward has the same effect as a sleep. After a clock was set back by up to three
///   hours (the limit of cron(8)), no event is repeated or undone: the schedule waits until the clock has
///   caught up. After a clock was set back further, the schedule follows the new time and repeats events. To
///   find how far the clock was set back, the scheduler compares the new time with the time of its latest
///   event or call. The clock went on after that event or call. If that was long ago, the result is much too
///   small.
///
/// ## For implementers
/// - The events of one activity come in the order of their times. If events of one interval have the same
///   time, their order is start, warning, end. Each start is followed by an end before the next start, even
///   if many tasks start and stop the activity.
/// - Each stream of ``events()`` gets every event from its opening on, exactly once. A slow reader loses no
///   event. A reader that stops does not disturb the other readers. When a call returns, the events that
///   the call caused are already in the streams.
/// - A call that throws changes nothing.
/// - Cancelling the calling task never leaves half a change: an activity is either monitored or not, and its
///   events match that state.
/// - No call blocks a thread of Swift's shared pool or the main actor.
/// - The contract suite in `PortcullisTesting` checks these rules.
public protocol ActivityScheduler: Sendable {
    /// The optional capabilities of this scheduler; `[]` by default.
    var capabilities: ActivitySchedulerCapabilities { get }

    /// Monitors an activity from now on. An activity of the same name that is already monitored is replaced.
    ///
    /// - Throws: ``ActivitySchedulerError``: ``ActivitySchedulerErrorCode/invalidSchedule`` if
    ///   ``ActivitySchedule/validate()`` refuses the schedule, ``ActivitySchedulerErrorCode/unsupported`` if
    ///   the schedule needs a capability that the scheduler does not have,
    ///   ``ActivitySchedulerErrorCode/systemFailure`` if the platform fails.
    func start(_ activity: ActivityName, schedule: ActivitySchedule) async throws(ActivitySchedulerError)

    /// Stops monitoring these activities; names that are not monitored are ignored.
    func stop(_ activities: Set<ActivityName>) async

    /// The activities that are monitored.
    func monitored() async -> [ActivityName: MonitoredActivity]

    /// Returns a stream of the events from now on. The stream ends when its reader drops it.
    ///
    /// Several streams may be open at once; each stream gets every event.
    func events() -> AsyncStream<ActivityEvent>
}

extension ActivityScheduler {
    /// The default: no optional capabilities.
    public var capabilities: ActivitySchedulerCapabilities { [] }
}

/// The optional capabilities of an ``ActivityScheduler``.
public struct ActivitySchedulerCapabilities: OptionSet, Hashable, Sendable {
    /// The capabilities as bits.
    public let rawValue: UInt32
    /// Makes a set from these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// ``MonitoredActivity/nextEvent`` is known for each activity.
    public static let tellsNextEvent = ActivitySchedulerCapabilities(rawValue: 1 << 0)
    /// The scheduler also runs plain cron jobs, and ``ActivityScheduler/events()`` reports their runs as
    /// ``ActivityEvent/Kind/job``.
    public static let runsJobs = ActivitySchedulerCapabilities(rawValue: 1 << 1)
    /// The scheduler gives warnings before an interval's start and end (``ActivitySchedule/warning``).
    public static let givesWarnings = ActivitySchedulerCapabilities(rawValue: 1 << 2)
    /// The scheduler accepts activities with a single interval (``ActivitySchedule/repeats`` is `false`).
    public static let takesOneShots = ActivitySchedulerCapabilities(rawValue: 1 << 3)
}
