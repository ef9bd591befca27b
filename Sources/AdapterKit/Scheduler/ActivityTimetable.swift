public import PortcullisCore

/// The rules of an ``/PortcullisCore/ActivityScheduler`` as a value: the monitored activities and the times
/// of their events.
///
/// Each change returns the events that it causes, in order. The caller delivers them.
public struct ActivityTimetable: Sendable {
    private struct Entry {
        var watch: ActivityWatch
        /// The position of the activity's start among all starts. If events of two activities have the same
        /// time, the events of the activity that was started earlier come first.
        var order: UInt64
    }

    private var entries: [ActivityName: Entry] = [:]
    private var starts: UInt64 = 0
    private var latest: Duration?

    /// Makes a timetable without activities.
    public init() {}

    /// The monitored activities with their next events.
    public var monitored: [ActivityName: MonitoredActivity] {
        entries.mapValues { entry in
            MonitoredActivity(schedule: entry.watch.schedule, nextEvent: entry.watch.nextEvent)
        }
    }

    /// The wall time of the earliest next event; `nil` when no event comes. The call examines each activity.
    public var nextEvent: Duration? { entries.values.lazy.compactMap(\.watch.nextEvent).min() }

    /// Monitors an activity. An activity of the same name that is already monitored is stopped first.
    ///
    /// - Returns: the events of ``stop(_:at:in:)``, then the events of the new activity that are due.
    /// - Throws: ``/PortcullisCore/ActivitySchedulerErrorCode/invalidSchedule``; if it is thrown, nothing
    ///   changes.
    public mutating func start(
        _ activity: ActivityName,
        schedule: ActivitySchedule,
        at now: Duration,
        in calendar: DayCalendar
    ) throws(ActivitySchedulerError) -> [ActivityEvent] {
        var watch = try ActivityWatch(activity, schedule, at: now, in: calendar)
        let before = stop([activity], at: now, in: calendar)
        let events = watch.advance(to: now, in: calendar)
        starts += 1
        entries[activity] = Entry(watch: watch, order: starts)
        return before + events
    }

    /// Stops monitoring these activities, and returns the resulting events.
    ///
    /// The due events of all activities are returned first. So an interval that has already ended gets an end
    /// event with the time of its end. An interval in progress gets an end event with the time `now`.
    public mutating func stop(
        _ activities: Set<ActivityName>,
        at now: Duration,
        in calendar: DayCalendar
    ) -> [ActivityEvent] {
        var events = advance(to: now, in: calendar)
        events += change(inOrder(activities)) { $0.stop(at: now) }
        return events
    }

    /// Returns all events that are due up to a wall time.
    ///
    /// A wall time before the wall time of the previous call means that the clock was set back. In that case
    /// this call does the same as ``recalculate(at:in:)``.
    public mutating func advance(to now: Duration, in calendar: DayCalendar) -> [ActivityEvent] {
        if let latest, now < latest { return recalculate(at: now, in: calendar) }
        latest = now
        let due = entries.values.filter { entry in
            entry.watch.nextEvent.map { $0 <= now } ?? false
        }
        let names = due.sorted { $0.order < $1.order }.map(\.watch.name)
        return change(names) { $0.advance(to: now, in: calendar) }.inOrderOfTime()
    }

    /// Computes the present intervals and next events again, after the wall clock was set or the zone
    /// changed.
    ///
    /// To find how far the clock was set back, the timetable compares `now` with the wall time of the
    /// previous call. The clock may have shown a later time before it was set back. A caller that knows this
    /// time may first call ``advance(to:in:)`` with this time.
    public mutating func recalculate(at now: Duration, in calendar: DayCalendar) -> [ActivityEvent] {
        let reached = latest ?? now
        latest = now
        return change(inOrder(entries.keys)) { $0.recalculate(at: now, reached: reached, in: calendar) }
    }

    private func inOrder(_ names: some Sequence<ActivityName>) -> [ActivityName] {
        names.compactMap { name in entries[name].map { (name, $0.order) } }
            .sorted { $0.1 < $1.1 }
            .map(\.0)
    }

    private mutating func change(
        _ names: [ActivityName],
        _ body: (inout ActivityWatch) -> [ActivityEvent]
    ) -> [ActivityEvent] {
        var events: [ActivityEvent] = []
        for name in names {
            guard var entry = entries[name] else { continue }
            events += body(&entry.watch)
            entries[name] = entry.watch.isOver ? nil : entry
        }
        return events
    }
}
