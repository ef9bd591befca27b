import PortcullisCore
import PortcullisTesting

/// What should happen, found by looking at each minute of the time; knows nothing of calendars.
struct ActivityModel {
    /// An interval, in minutes since the origin.
    struct Interval: Equatable {
        var start: Int
        var end: Int
        var startWarning: Int?
        var endWarning: Int?
    }

    let name = ActivityName("activity")
    private let repeats: Bool
    private let intervals: [Interval]
    private var pending: [Interval] = []
    private var on: Interval?
    private var isStartWarned = false
    private var isEndWarned = false
    private(set) var isMonitored = false

    init(_ schedule: ActivitySchedule, in zone: ManualZone, days: Range<Int>) {
        let start = schedule.start.hour * 60 + schedule.start.minute
        let end = schedule.end.hour * 60 + schedule.end.minute
        var starts: [Int: Int] = [:]
        var ends: [Int: Int] = [:]
        var farthest = Int.min
        let minutes = (days.lowerBound * 1_440)..<(days.upperBound * 1_440)
        for (minute, local) in zip(minutes, zone.localMinutes(minutes)) {
            guard local > farthest else { continue }
            for shown in (farthest == Int.min ? local : farthest + 1)...local {
                // The minute of the day may be that of a start, of an end, or both.
                let (day, ofDay) = ((shown + 1_440_000) / 1_440 - 1_000, (shown + 1_440_000) % 1_440)
                if ofDay == start { starts[day] = minute }
                if ofDay == end { ends[end <= start ? day - 1 : day] = minute }
            }
            farthest = local
        }
        let warning = schedule.warning.map { Int($0.components.seconds / 60) }
        self.repeats = schedule.repeats
        self.intervals = starts.keys.sorted().compactMap { day in
            guard let start = starts[day], let end = ends[day] else { return nil }
            return Interval(
                start: start,
                end: end,
                startWarning: warning.map { max(start - $0, starts[day - 1] ?? Int.min) },
                endWarning: warning.map { max(start, end - $0) }
            )
        }
    }

    mutating func start(at now: Int) -> [ActivityEvent] {
        let ended = stop(at: now)
        isMonitored = true
        (isStartWarned, isEndWarned) = (true, false)
        pending = intervals.filter { $0.end > now || $0.start > now }
        if let first = pending.first, first.start > now { isStartWarned = false }
        return ended + step(to: now)
    }

    mutating func stop(at now: Int) -> [ActivityEvent] {
        let due = step(to: now)
        defer { (on, isMonitored) = (nil, false) }
        return due + (on == nil ? [] : [event(.intervalDidEnd, now)])
    }

    /// What is due through a minute, when nobody looked since the last one.
    mutating func step(to now: Int) -> [ActivityEvent] {
        guard isMonitored else { return [] }
        var events: [(ActivityEvent.Kind, Int)] = []
        func end() {
            if let interval = on, interval.end <= now {
                events.append((.intervalDidEnd, interval.end))
                on = nil
                if !repeats { isMonitored = false }
            }
        }
        func warnOfEnd() {
            if let warning = on?.endWarning, warning <= now, !isEndWarned {
                events.append((.intervalWillEndWarning, warning))
                isEndWarned = true
            }
        }
        end()
        while isMonitored, on == nil, let next = pending.first, next.start <= now {
            pending.removeFirst()
            (isStartWarned, isEndWarned) = (false, false)
            if next.end > now || (next.start == next.end && next.end == now) {
                on = next
                events.append((.intervalDidStart, next.start))
                warnOfEnd()
                end()
            } else if !repeats {
                isMonitored = false
            }
        }
        warnOfEnd()
        let mayStart = isMonitored && (repeats || on == nil)
        if mayStart, !isStartWarned, let next = pending.first, let warning = next.startWarning, warning <= now
        {
            events.append((.intervalWillStartWarning, warning))
            isStartWarned = true
        }
        return events.enumerated()
            .sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
            .map { event($0.element.0, $0.element.1) }
    }

    private func event(_ kind: ActivityEvent.Kind, _ minute: Int) -> ActivityEvent {
        ActivityEvent(activity: name, kind: kind, scheduled: TransitionZones.origin + .seconds(minute * 60))
    }
}
