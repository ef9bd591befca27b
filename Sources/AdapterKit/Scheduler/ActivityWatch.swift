internal import PortcullisCore

/// The rules of one activity as a value. They compute when the activity's intervals start and end, and when
/// the warnings before these times are due.
///
/// The owner calls ``advance(to:in:)`` at the time ``nextEvent``, and ``recalculate(at:reached:in:)`` after
/// the wall clock was set or the zone changed. An earlier or later call of ``advance(to:in:)`` is allowed.
struct ActivityWatch: Sendable {
    /// If the clock is set back by at most this time, no event is repeated. cron(8) uses the same limit of
    /// three hours.
    private static let longestStandstill = Duration.seconds(3 * 3_600)
    /// The events of an interval without length are returned only if ``advance(to:in:)`` is called less than
    /// this time after the interval. The delay is allowed because timers always fire a little late.
    private static let patience = Duration.seconds(60)

    /// The activity.
    let name: ActivityName
    /// The activity's schedule.
    let schedule: ActivitySchedule
    /// Whether the activity has no more events, because its only interval has ended or it was stopped.
    private(set) var isOver = false

    private var on: ActivityInterval?
    private var isEndWarned = false
    private var next: ActivityInterval
    private var nextWarning: Duration?
    /// The latest wall time that the rules have handled.
    private var mark: Duration

    /// Makes the rules of an activity that is monitored from `now` on. The first ``advance(to:in:)`` also
    /// returns the start of an interval that is already in progress.
    ///
    /// - Throws: ``/PortcullisCore/ActivitySchedulerErrorCode/invalidSchedule``.
    init(
        _ name: ActivityName,
        _ schedule: ActivitySchedule,
        at now: Duration,
        in calendar: DayCalendar
    ) throws(ActivitySchedulerError) {
        try schedule.validate()
        self.name = name
        self.schedule = schedule
        self.mark = now
        self.next = calendar.interval(of: schedule, at: now)
        if next.end <= now { moveOn(in: calendar) }
    }

    /// The wall time of the next event; `nil` when no more events come.
    var nextEvent: Duration? {
        if isOver { return nil }
        var nextOfNext = nextWarning.map { min($0, next.start) } ?? next.start
        guard let on else { return nextOfNext }
        if !schedule.repeats { nextOfNext = on.end }
        guard let warning = schedule.warning, !isEndWarned else { return min(on.end, nextOfNext) }
        return min(on.endWarning(warning), nextOfNext)
    }

    /// Handles everything that is due up to a wall time.
    ///
    /// - Returns: the events in order. An interval that began and ended since the last call gives no events,
    ///   with one exception: the start and the end are the same instant, and this instant has just passed.
    mutating func advance(to now: Duration, in calendar: DayCalendar) -> [ActivityEvent] {
        guard let nextEvent, nextEvent <= now else { return [] }
        mark = max(mark, now)
        var events: [ActivityEvent] = []
        end(at: now, &events)
        start(at: now, in: calendar, &events)
        warnOfEnd(at: now, &events)
        if let nextWarning, nextWarning <= now, on == nil || schedule.repeats, !isOver {
            events.append(event(.intervalWillStartWarning, nextWarning))
            self.nextWarning = nil
        }
        return events.inOrderOfTime()
    }

    private mutating func end(at now: Duration, _ events: inout [ActivityEvent]) {
        guard let interval = on, interval.end <= now else { return }
        leave(at: interval.end, &events)
    }

    private mutating func leave(at time: Duration, _ events: inout [ActivityEvent]) {
        events.append(event(.intervalDidEnd, time))
        on = nil
        isOver = !schedule.repeats
    }

    private mutating func start(
        at now: Duration,
        in calendar: DayCalendar,
        _ events: inout [ActivityEvent]
    ) {
        if schedule.repeats, now - next.start > .seconds(4 * 86_400) {
            // Each interval ends at the latest when the next one starts. So all intervals before the present
            // one are over, and the loop need not go through them.
            next = calendar.interval(of: schedule, at: now)
        }
        while !isOver, next.start <= now {
            let interval = next
            let isInstant = interval.start == interval.end && now - interval.end < Self.patience
            moveOn(in: calendar)
            if interval.end > now || isInstant {
                events.append(event(.intervalDidStart, interval.start))
                on = interval
                isEndWarned = false
                if isInstant {
                    warnOfEnd(at: now, &events)
                    end(at: now, &events)
                }
            } else {
                isOver = !schedule.repeats
            }
        }
    }

    private mutating func warnOfEnd(at now: Duration, _ events: inout [ActivityEvent]) {
        guard let on, let warning = schedule.warning, !isEndWarned, on.endWarning(warning) <= now else {
            return
        }
        events.append(event(.intervalWillEndWarning, on.endWarning(warning)))
        isEndWarned = true
    }

    /// Advances `next` to the interval of the following date.
    private mutating func moveOn(in calendar: DayCalendar) {
        let previous = next
        next = calendar.interval(of: schedule, after: previous)
        nextWarning = schedule.warning.map { max(previous.start, next.start - $0) }
    }

    private func event(_ kind: ActivityEvent.Kind, _ time: Duration) -> ActivityEvent {
        ActivityEvent(activity: name, kind: kind, scheduled: time)
    }
}

extension ActivityWatch {
    /// Stops monitoring the activity.
    ///
    /// - Returns: the event that ends the present interval; no event if no interval is in progress.
    mutating func stop(at now: Duration) -> [ActivityEvent] {
        isOver = true
        guard on != nil else { return [] }
        return [event(.intervalDidEnd, now)]
    }

    /// Computes the present interval and the next events again, after the wall clock was set or the zone
    /// changed.
    ///
    /// - Parameters:
    ///   - now: the wall time of the changed clock.
    ///   - reached: the latest known wall time of the clock before the change.
    ///   - calendar: the calendar of the present zone.
    /// - Returns: the events in order. The end of an interval that should no longer be in progress comes
    ///   first. The start of an interval that should be in progress follows.
    mutating func recalculate(
        at now: Duration,
        reached: Duration,
        in calendar: DayCalendar
    ) -> [ActivityEvent] {
        mark = max(mark, reached)
        let isBelieved = mark - now > Self.longestStandstill
        let time = isBelieved ? now : max(now, mark)
        mark = time
        let old = (next: next, warning: nextWarning)
        let present = calendar.interval(of: schedule, at: time)
        var events: [ActivityEvent] = []
        next = present
        if let on, present.date == on.date, present.end > time {
            self.on = present
            // If the clock was set back further than the limit, to a time before the warning, the warning is
            // given again.
            if isBelieved, let warning = schedule.warning, present.endWarning(warning) > time {
                isEndWarned = false
            }
            moveOn(in: calendar)
        } else {
            if let on { leave(at: min(on.end, now), &events) }
            let isNew = present.date >= old.next.date
            if present.end <= time, present.start < present.end || !isNew { moveOn(in: calendar) }
        }
        if !isBelieved, next.date == old.next.date, old.warning == nil { nextWarning = nil }
        return events + advance(to: time, in: calendar)
    }
}

extension [ActivityEvent] {
    /// Sorts by time. Events of the same time keep their order.
    func inOrderOfTime() -> Self {
        enumerated()
            .sorted { ($0.element.scheduled, $0.offset) < ($1.element.scheduled, $1.offset) }
            .map(\.element)
    }
}
