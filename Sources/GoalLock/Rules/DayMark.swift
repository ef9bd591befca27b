package import AdapterKit
package import PortcullisCore

/// A date, with the clock times by which its end is known even if the wall clock is set.
///
/// Within one boot the date follows the boot clock. The wall clock counts while it stays within ``tolerance``
/// of the boot clock, when the system calls it synchronised, and after a restart.
package struct DayMark: Sendable, Hashable, Codable {
    /// The largest shift of the wall clock against the boot clock at which the wall clock still counts.
    package static let tolerance = Duration.seconds(600)

    /// The date.
    package var date: CivilDate
    /// The wall time at which the date was read.
    package var wall: Duration
    /// The last moment at which the wall clock was known to be right: the system called it synchronised, or a
    /// boot's first reading was taken.
    ///
    /// A clock that the system does not call synchronised never moves the anchor. Otherwise many shifts of
    /// ten minutes each could add up to a day.
    package var anchor: Moment
    /// The time at which the day of this date started. If a later start was set since, it holds from the next day on.
    /// The value is `nil` in an older record without this member: then the present start of days counts.
    package var dayStart: TimeOfDay?

    /// Makes a mark.
    package init(date: CivilDate, wall: Duration, anchor: Moment, dayStart: TimeOfDay?) {
        self.date = date
        self.wall = wall
        self.anchor = anchor
        self.dayStart = dayStart
    }

    /// Whether a clock could have shown every time in the mark.
    var isSane: Bool {
        let anyDate = Duration.seconds(-400_000_000_000)...Duration.seconds(400_000_000_000)
        let anyYear = -20_000...20_000
        return anyDate.contains(wall) && anyDate.contains(anchor.wall) && anyDate.contains(anchor.sinceBoot)
            && dayStart.map { $0.isSane && GoalRules.isValid(dayStart: $0) } ?? true
            && anyYear.contains(date.year) && (1...12).contains(date.month) && (1...31).contains(date.day)
    }
}

/// The clocks at an instant.
package struct Clocks: Sendable {
    package var now: Moment
    /// Whether the system calls the wall clock synchronised.
    package var isSynchronised: Bool
    /// The calendar of days in the present time zone.
    package var calendar: DayCalendar

    package init(now: Moment, isSynchronised: Bool, calendar: DayCalendar) {
        self.now = now
        self.isSynchronised = isSynchronised
        self.calendar = calendar
    }

    /// Reads a clock now.
    init(_ clock: any LockClock) {
        self.init(now: clock.now, isSynchronised: clock.isSynchronised, calendar: DayCalendar(clock))
    }
}

/// The current date, as far as the clocks can tell.
package struct DayReading: Sendable, Hashable {
    /// The mark to store. It is the given mark if that is still right.
    package var mark: DayMark
    /// The wall time that the lock trusts: the wall clock's, or the one that the boot clock gives.
    package var wall: Duration
    /// The time until the next day begins.
    package var left: Duration

    package var date: CivilDate { mark.date }

    /// The largest drift of a synchronised clock from the boot clock before the mark is written anew.
    private static let drift = Duration.seconds(60)

    /// Reads the date.
    ///
    /// - Parameters:
    ///   - mark: the stored mark.
    ///   - clocks: the clocks now.
    ///   - dayStart: the time at which days start.
    package init(after mark: DayMark?, at clocks: Clocks, dayStart: TimeOfDay) {
        let now = clocks.now
        let anchor = mark?.anchor
        let isAnchored = anchor?.boot == now.boot
        let expected = anchor.map { $0.wall + now.sinceBoot - $0.sinceBoot } ?? now.wall
        let shift = now.wall < expected ? expected - now.wall : now.wall - expected
        // After a restart the stored boot time says nothing about the wall clock, so the wall clock is trusted.
        let isTrusted = clocks.isSynchronised || !isAnchored

        var wall = isTrusted || shift <= DayMark.tolerance ? now.wall : expected
        // If a clock was put back a little, the date stays until the clock has caught up, so no day is repeated. Only a
        // trusted clock may go back by more.
        if let mark, mark.wall > wall, !isTrusted || mark.wall - wall <= DayMark.tolerance {
            wall = mark.wall
        }

        let start = Duration(sinceMidnight: dayStart)
        let date = clocks.calendar.civilDate(at: wall, dayStart: start)
        let next = clocks.calendar.nextDayStart(after: wall, dayStart: start)
        // If the start of days is set later, a day that has begun goes on. The day before does not come back.
        let isLonger =
            if let mark, mark.date > date, let began = mark.dayStart {
                clocks.calendar.civilDate(at: wall, dayStart: Duration(sinceMidnight: began)) >= mark.date
            } else {
                false
            }
        let end = isLonger ? clocks.calendar.nextDayStart(after: next, dayStart: start) : next
        self.wall = wall
        self.left = end - wall

        var today = DayMark(
            date: date,
            wall: wall,
            anchor: isTrusted ? now : anchor ?? now,
            dayStart: dayStart
        )
        if let mark, isLonger { (today.date, today.dayStart) = (mark.date, mark.dayStart) }
        let mustRebase = !isAnchored || (clocks.isSynchronised && shift > Self.drift)
        if let mark, mark.date == today.date, !mustRebase {
            (today.wall, today.anchor) = (mark.wall, mark.anchor)
        }
        self.mark = today
    }
}

extension Duration {
    /// The time from midnight to a time of day on the wall clock.
    init(sinceMidnight time: TimeOfDay) { self = .seconds(time.minutes * 60) }
}
