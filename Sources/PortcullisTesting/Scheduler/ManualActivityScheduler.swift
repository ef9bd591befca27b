internal import AdapterKit
public import PortcullisCore
internal import Synchronization

/// An ``/PortcullisCore/ActivityScheduler`` that does nothing until a test says so.
///
/// ``deliverDue()`` hands out what is due by the clock, ``deliver(_:)`` any event at once, as the monitor of another
/// process would. Between two calls of ``deliverDue()`` the machine slept, as far as the activities can tell; to see
/// each event at its time, move the clock to ``nextEvent`` and deliver.
public final class ManualActivityScheduler: ActivityScheduler {
    /// A call of the port, as it was made.
    public enum Call: Hashable, Sendable {
        /// An activity was started, or was refused.
        case start(ActivityName, ActivitySchedule)
        /// Activities were stopped.
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

    /// A scheduler that monitors nothing yet.
    ///
    /// - Parameter clock: says what is due; usually a ``ManualClock``.
    public init(clock: any LockClock) {
        self.clock = clock
        self.calendar = DayCalendar(clock)
        self.state = Mutex(State(zone: clock.zone))
    }

    /// It tells next events.
    public var capabilities: ActivitySchedulerCapabilities {
        [.tellsNextEvent, .givesWarnings, .takesOneShots]
    }

    /// The calls so far, those that failed included.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// The wall time of the next event of all activities; `nil` when there is none.
    public var nextEvent: Duration? { state.withLock { $0.timetable.nextEvent } }

    /// Lets the next start fail without an effect; several failures come one after the other.
    public func failNext(_ error: ActivitySchedulerError) {
        state.withLock { $0.failures.append(error) }
    }

    /// Hands out all that is due by the clock and its present zone.
    public func deliverDue() {
        let zone = clock.zone
        // Handing out within the lock keeps the events in the order of what caused them.
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

    /// Hands out an event as it is, whatever is monitored.
    public func deliver(_ event: ActivityEvent) {
        // Within the lock, as above.
        state.withLock { _ in eventStreams.send(event) }
    }

    /// Monitors an activity, and hands out what that causes.
    ///
    /// - Throws: what ``failNext(_:)`` was told, or ``/PortcullisCore/ActivitySchedulerErrorCode/invalidSchedule``.
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

    /// No longer monitors these activities, and hands out what that causes.
    public func stop(_ activities: Set<ActivityName>) async {
        state.withLock { state in
            state.calls.append(.stop(activities))
            eventStreams.send(contentsOf: state.timetable.stop(activities, at: clock.now.wall, in: calendar))
        }
    }

    /// What is monitored.
    public func monitored() async -> [ActivityName: MonitoredActivity] {
        state.withLock { $0.timetable.monitored }
    }

    /// The events from now on, until the stream or the scheduler is dropped.
    public func events() -> AsyncStream<ActivityEvent> {
        eventStreams.stream()
    }
}
