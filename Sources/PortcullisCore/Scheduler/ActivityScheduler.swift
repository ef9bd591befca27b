/// Starts and ends named activities at their times of day.
///
/// The smallest promise that a system's activity monitor and a scheduler within the process can both give. What a
/// scheduler offers beyond it is said as data in ``capabilities``.
///
/// An activity takes place in *intervals*, one for each date: it starts at the first instant whose local time is
/// ``ActivitySchedule/start`` on that date or later, and ends at the first one whose local time is
/// ``ActivitySchedule/end`` or later, on that date or the next. Times are wall times of the person's present zone.
///
/// ## For callers
/// - An event may arrive in another process than the one that started the activity; handle it from its name alone.
/// - Starting inside an interval gives ``ActivityEvent/Kind/intervalDidStart`` at once, for that interval. A warning
///   whose moment has passed comes with it.
/// - Stopping inside an interval gives ``ActivityEvent/Kind/intervalDidEnd`` at once; stopping outside gives nothing.
/// - Starting an activity under a name in use replaces its schedule, also by an equal one: it is stopped, then
///   started.
/// - Warnings come from schedulers with ``ActivitySchedulerCapabilities/givesWarnings`` only, single intervals from those
///   with ``ActivitySchedulerCapabilities/takesOneShots``. Others refuse such a schedule.
/// - Without ``ActivitySchedule/repeats`` there is one interval, the one the activity is started in or else the next;
///   after that, or when the machine slept through it, the activity is no longer monitored.
/// - An event may be late, never early; ``ActivityEvent/scheduled`` is the time that was meant.
/// - When the machine slept or nothing ran: the interval that was on ends, late; intervals that were missed whole do
///   not take place; the one that is on now starts, late. A warning that was missed still comes while what it
///   warns of lies ahead.
/// - On days of 23 and 25 hours intervals are shorter and longer. A time inside a gap, when clocks go forward, is the
///   gap's end; one inside an overlap, when they go back, is the first of the two. Where a gap holds both times, or a
///   zone skips the whole date, start and end come together, unless a minute or more late.
/// - When the zone changes, the interval that should be on in the new zone is compared with the one that is, by date:
///   the same goes on with a new end; another one ends, and the one that should be on starts.
/// - When the wall clock is set forward, that is as after a sleep. Set back by up to three hours, it repeats nothing
///   and undoes nothing: the schedule waits until the clock has caught up. Set back further it is believed, and
///   events come again. (The limit is the one that cron(8) has.) A scheduler that was idle counts from its latest
///   event or call.
///
/// ## For implementers
/// - The events of one activity come in the order of their times, and at one time in the order start, warning, end:
///   each start is followed by an end before the next start, also when starts and stops come from many tasks.
/// - Each event is given exactly once to each taker of ``events()``, from the call on. A taker that is slow
///   loses nothing; one that goes away does not disturb the others. Events caused by a call are handed to the
///   streams before it returns.
/// - A call that throws changed nothing.
/// - Cancelling a task that calls does not leave half a change: an activity is monitored or not, and its events fit.
/// - No call blocks a thread of Swift's shared pool or the main actor.
/// - Prove it with the contract suite in `PortcullisTesting`.
public protocol ActivityScheduler: Sendable {
    /// What this scheduler can do beyond the required; `[]` where it does not say.
    var capabilities: ActivitySchedulerCapabilities { get }

    /// Monitors an activity from now on, in the place of one of that name.
    ///
    /// - Throws: ``ActivitySchedulerError``: ``ActivitySchedulerErrorCode/invalidSchedule`` for a schedule that
    ///   ``ActivitySchedule/validate()`` refuses, ``ActivitySchedulerErrorCode/unsupported`` for one that needs a
    ///   capability that the scheduler does not have, ``ActivitySchedulerErrorCode/systemFailure`` when the platform
    ///   fails.
    func start(_ activity: ActivityName, schedule: ActivitySchedule) async throws(ActivitySchedulerError)

    /// No longer monitors these activities; names that are not monitored are passed by.
    func stop(_ activities: Set<ActivityName>) async

    /// The activities that are monitored.
    func monitored() async -> [ActivityName: MonitoredActivity]

    /// The events from now on, until the stream is dropped.
    ///
    /// Several may be taken at once; each gets every event.
    func events() -> AsyncStream<ActivityEvent>
}

extension ActivityScheduler {
    /// Nothing beyond the required.
    public var capabilities: ActivitySchedulerCapabilities { [] }
}

/// What an ``ActivityScheduler`` can do beyond the required, as data.
public struct ActivitySchedulerCapabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32
    /// A set of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// ``MonitoredActivity/nextEvent`` is known for each activity.
    public static let tellsNextEvent = ActivitySchedulerCapabilities(rawValue: 1 << 0)
    /// It also runs plain cron jobs, and ``ActivityScheduler/events()`` reports their runs as
    /// ``ActivityEvent/Kind/job``.
    public static let runsJobs = ActivitySchedulerCapabilities(rawValue: 1 << 1)
    /// It gives warnings before an interval's start and end (``ActivitySchedule/warning``).
    public static let givesWarnings = ActivitySchedulerCapabilities(rawValue: 1 << 2)
    /// It takes activities with a single interval (``ActivitySchedule/repeats`` is `false`).
    public static let takesOneShots = ActivitySchedulerCapabilities(rawValue: 1 << 3)
}
