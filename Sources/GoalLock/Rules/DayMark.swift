package import AdapterKit
package import PortcullisCore

/// A date together with clock times. With these times the lock finds the end of the day even if the wall
/// clock is changed.
///
/// Within one boot the lock computes the expected wall time: the wall time of ``anchor`` plus the time that
/// the boot clock has advanced since then. The lock trusts the wall clock instead of the expected time in
/// three cases:
/// - the wall clock differs from the expected time by at most ``tolerance``,
/// - the system reports the wall clock as synchronised,
/// - the machine was restarted after the anchor was stored.
package struct DayMark: Sendable, Hashable, Codable {
    /// The largest difference from the expected wall time at which the lock trusts the wall clock.
    package static let tolerance = Duration.seconds(600)

    /// The date.
    package var date: CivilDate
    /// The wall time at which the date was read.
    package var wall: Duration
    /// The moment from which the lock computes the expected wall time. The first reading of the clocks after
    /// a boot sets the anchor.
    ///
    /// Later in the same boot, only a wall clock that the system reports as synchronised can move the anchor.
    /// If any clock could move it, a person could shift the clock by ten minutes again and again, until the
    /// shifts add up to a day.
    package var anchor: Moment
    /// The start of days that applied when the date was found. With this value, today's date does not move
    /// back by a day if the person sets a later start of days. `nil` in a record of an older version: the
    /// current start of days applies.
    package var dayStart: TimeOfDay?

    package init(date: CivilDate, wall: Duration, anchor: Moment, dayStart: TimeOfDay?) {
        self.date = date
        self.wall = wall
        self.anchor = anchor
        self.dayStart = dayStart
    }

    /// Whether every value in the mark is possible for a clock.
    var isSane: Bool {
        let anyDate = CivilDay.times
        let anyYear = -20_000...20_000
        return anyDate.contains(wall) && anyDate.contains(anchor.wall) && anyDate.contains(anchor.sinceBoot)
            && dayStart.map { $0.isSane && GoalRules.isValid(dayStart: $0) } ?? true
            && anyYear.contains(date.year) && (1...12).contains(date.month) && (1...31).contains(date.day)
    }
}

/// The readings of the clocks at one instant.
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

    /// Reads the present values of a clock.
    init(_ clock: any LockClock) {
        self.init(now: clock.now, isSynchronised: clock.isSynchronised, calendar: DayCalendar(clock))
    }
}

/// The current date according to the clocks.
package struct DayReading: Sendable, Hashable {
    /// The mark to store: the earlier mark if it is still correct, otherwise a new mark.
    package var mark: DayMark
    /// The wall time that the lock trusts: the wall clock's time, or the time computed from the boot clock.
    package var wall: Duration
    /// The time until the next day begins.
    package var left: Duration

    package var date: CivilDate { mark.date }

    /// The difference from the expected wall time above which a synchronised wall clock moves the anchor
    /// while the date stays the same. The present moment then becomes the new anchor.
    private static let drift = Duration.seconds(60)

    /// Reads the date.
    ///
    /// - Parameters:
    ///   - mark: the stored mark.
    ///   - clocks: the clocks now.
    ///   - dayStart: the time at which days start.
    package init(after mark: DayMark?, at clocks: Clocks, dayStart: TimeOfDay) {
        // Sums and differences of times in this range do not overflow.
        let now = clocks.now.clamped(to: CivilDay.times)
        let mark = mark?.clamped(to: CivilDay.times)
        let anchor = mark?.anchor
        let isAnchored = anchor?.boot == now.boot
        let expected = (anchor.map { $0.wall + now.sinceBoot - $0.sinceBoot } ?? now.wall)
            .clamped(to: CivilDay.times)
        let shift = now.wall < expected ? expected - now.wall : now.wall - expected
        // Times since boot can be compared only within one boot. Without an anchor of this boot, the wall
        // clock cannot be checked, so it is trusted.
        let isTrusted = clocks.isSynchronised || !isAnchored

        var wall = isTrusted || shift <= DayMark.tolerance ? now.wall : expected
        // The time does not go back before the mark's time, so that no day is repeated. The only exception is
        // a trusted clock that was put back by more than the tolerance.
        if let mark, mark.wall > wall, !isTrusted || mark.wall - wall <= DayMark.tolerance {
            wall = mark.wall
        }

        let start = Duration(sinceMidnight: dayStart)
        let date = clocks.calendar.civilDate(at: wall, dayStart: start)
        let next = clocks.calendar.nextDayStart(after: wall, dayStart: start)
        // The date that would apply now if the days still began at the time that applied when the mark's day
        // began.
        let began = mark?.dayStart.map { start in
            clocks.calendar.civilDate(at: wall, dayStart: Duration(sinceMidnight: start))
        }
        // The person may have set a later time for the start of days. Then the day that has begun continues,
        // and the date does not go back to the day before.
        let isLonger = if let mark, let began { mark.date > date && began >= mark.date } else { false }
        let end = isLonger ? clocks.calendar.nextDayStart(after: next, dayStart: start) : next
        self.wall = wall
        self.left = end - wall

        var today = DayMark(
            date: date,
            wall: wall,
            anchor: isTrusted ? now : anchor ?? now,
            dayStart: dayStart
        )
        // The person may have set another start of days since this day began. While the old and the new start
        // give the same date, the mark keeps the old start. If the clock is then put back to a time between
        // the two starts, the date does not go back to the day before.
        if let mark, isLonger || mark.date == date && began == date {
            (today.date, today.dayStart) = (mark.date, mark.dayStart)
        }
        let mustRebase = !isAnchored || (clocks.isSynchronised && shift > Self.drift)
        if let mark, mark.date == today.date, !mustRebase {
            (today.wall, today.anchor) = (mark.wall, mark.anchor)
        }
        self.mark = today
    }
}

extension Duration {
    /// Makes the time between 00:00 and a time of day, without regard to daylight-saving time.
    init(sinceMidnight time: TimeOfDay) { self = .seconds(time.minutes * 60) }
}

extension Moment {
    /// This moment, with both times in a range.
    fileprivate func clamped(to range: ClosedRange<Duration>) -> Moment {
        Moment(wall: wall.clamped(to: range), sinceBoot: sinceBoot.clamped(to: range), boot: boot)
    }
}

extension DayMark {
    /// This mark, with all its times in a range.
    fileprivate func clamped(to range: ClosedRange<Duration>) -> DayMark {
        DayMark(
            date: date,
            wall: wall.clamped(to: range),
            anchor: anchor.clamped(to: range),
            dayStart: dayStart
        )
    }
}
