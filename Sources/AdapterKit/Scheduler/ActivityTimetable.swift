public import PortcullisCore

/// The rules of an ``/PortcullisCore/ActivityScheduler``, as a value: which activities are monitored, and what is due when.
///
/// Each change gives the events that it causes, in their order; the timetable's owner hands them out.
public struct ActivityTimetable: Sendable {
    private struct Entry {
        var watch: ActivityWatch
        /// Of activities with events at one time, the one that was started first comes first.
        var order: UInt64
    }

    private var entries: [ActivityName: Entry] = [:]
    private var starts: UInt64 = 0
    private var latest: Duration?

    /// A timetable without activities.
    public init() {}

    /// The activities that are monitored, with their next events.
    public var monitored: [ActivityName: MonitoredActivity] {
        entries.mapValues { entry in
            MonitoredActivity(schedule: entry.watch.schedule, nextEvent: entry.watch.nextEvent)
        }
    }

    /// The wall time of the next event of all; looks at each activity.
    public var nextEvent: Duration? { entries.values.lazy.compactMap(\.watch.nextEvent).min() }

    /// Monitors an activity, in the place of one of that name.
    ///
    /// - Throws: ``/PortcullisCore/ActivitySchedulerErrorCode/invalidSchedule``; then nothing is changed.
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

    /// No longer monitors these activities.
    ///
    /// What is due by then takes place first, so that an interval that is over ends at its own time.
    public mutating func stop(
        _ activities: Set<ActivityName>,
        at now: Duration,
        in calendar: DayCalendar
    ) -> [ActivityEvent] {
        var events = advance(to: now, in: calendar)
        events += change(inOrder(activities)) { $0.stop(at: now) }
        return events
    }

    /// Deals with all that is due through a wall time.
    ///
    /// A wall time before the latest one counts as a clock that was set back.
    public mutating func advance(to now: Duration, in calendar: DayCalendar) -> [ActivityEvent] {
        if let latest, now < latest { return recalculate(at: now, in: calendar) }
        latest = now
        let due = entries.values.filter { entry in
            entry.watch.nextEvent.map { $0 <= now } ?? false
        }
        let names = due.sorted { $0.order < $1.order }.map(\.watch.name)
        return change(names) { $0.advance(to: now, in: calendar) }.inOrderOfTime()
    }

    /// Finds out anew what is on and what comes, after the wall clock was set or the zone changed.
    ///
    /// How far the clock was set back is counted from the latest time that the timetable was given. A caller
    /// that knows how far the clock had come may advance to that time first.
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
