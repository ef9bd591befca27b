internal import AdapterKit
public import PortcullisCore
internal import Synchronization

/// An ``/PortcullisCore/ActivityScheduler`` that delivers events only when a test asks for them.
///
/// ``deliverDue()`` delivers the events that are due at the clock's present time. ``deliver(_:)`` delivers
/// any event at once, whether or not the event is due. An interval that begins and ends between two calls of
/// ``deliverDue()`` causes no events, as if the machine had slept during the interval. A test that needs each
/// event at its time moves the clock to ``nextEvent`` and then calls ``deliverDue()``.
public final class ManualActivityScheduler: ActivityScheduler {
    /// A call of the port, with its arguments.
    public enum Call: Hashable, Sendable {
        /// A call to start an activity, whether it succeeded or failed.
        case start(ActivityName, ActivitySchedule)
        /// A call that stopped activities.
        case stop(Set<ActivityName>)
    }

    private struct State {
        var timetable = ActivityTimetable()
        var zone: String
        var calls: [Call] = []
        var failures: [ActivitySchedulerError] = []
    }

    private let clock: any LockClock
    private let calendar: DayCalendar
    private let state: Mutex<State>
    private let eventStreams = Broadcaster<ActivityEvent>()

    /// Makes a scheduler that monitors no activity.
    ///
    /// - Parameter clock: decides which events are due; usually a ``ManualClock``.
    public init(clock: any LockClock) {
        self.clock = clock
        self.calendar = DayCalendar(clock)
        self.state = Mutex(State(zone: clock.zone))
    }

    /// The scheduler reports next events, gives warnings and accepts schedules without repeats.
    public var capabilities: ActivitySchedulerCapabilities {
        [.tellsNextEvent, .givesWarnings, .takesOneShots]
    }

    /// The calls so far, including failed calls.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// The wall time of the earliest event to come; `nil` when there is none.
    public var nextEvent: Duration? { state.withLock { $0.timetable.nextEvent } }

    /// Makes the next start throw this error without an effect. If a test calls this method several times,
    /// each start throws one of the errors, in the order of the calls.
    public func failNext(_ error: ActivitySchedulerError) {
        state.withLock { $0.failures.append(error) }
    }

    /// Delivers all events that are due at the clock's present time. If the clock's zone has changed, the
    /// times of the events are calculated again for the new zone.
    public func deliverDue() {
        let zone = clock.zone
        // The lock is held during the delivery, so that events keep the order of their causes.
        state.withLock { state in
            let now = clock.now.wall
            if zone == state.zone {
                eventStreams.send(contentsOf: state.timetable.advance(to: now, in: calendar))
            } else {
                state.zone = zone
                eventStreams.send(contentsOf: state.timetable.recalculate(at: now, in: calendar))
            }
        }
    }

    /// Delivers this event unchanged, whether or not the activity is monitored.
    public func deliver(_ event: ActivityEvent) {
        // The lock is held during the delivery, so that events keep the order of their causes.
        state.withLock { _ in eventStreams.send(event) }
    }

    /// Starts to monitor an activity, and delivers the events that the start causes.
    ///
    /// - Throws: the error that was passed to ``failNext(_:)``, or
    ///   ``/PortcullisCore/ActivitySchedulerErrorCode/invalidSchedule``.
    public func start(
        _ activity: ActivityName,
        schedule: ActivitySchedule
    ) async throws(ActivitySchedulerError) {
        try state.withLock { state throws(ActivitySchedulerError) in
            state.calls.append(.start(activity, schedule))
            if !state.failures.isEmpty { throw state.failures.removeFirst() }
            let now = clock.now.wall
            eventStreams.send(
                contentsOf: try state.timetable.start(activity, schedule: schedule, at: now, in: calendar)
            )
        }
    }

    /// Stops monitoring these activities, and delivers the events that the stop causes.
    public func stop(_ activities: Set<ActivityName>) async {
        state.withLock { state in
            state.calls.append(.stop(activities))
            eventStreams.send(contentsOf: state.timetable.stop(activities, at: clock.now.wall, in: calendar))
        }
    }

    /// Returns the monitored activities.
    public func monitored() async -> [ActivityName: MonitoredActivity] {
        state.withLock { $0.timetable.monitored }
    }

    /// A stream of the events from now on. The stream ends when its reader drops it, or when the scheduler is
    /// deallocated.
    public func events() -> AsyncStream<ActivityEvent> {
        eventStreams.stream()
    }
}
