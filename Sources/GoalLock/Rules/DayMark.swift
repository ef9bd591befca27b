package import AdapterKit
package import PortcullisCore

/// A date, and what it takes to know when it is over, even if the wall clock is set.
///
/// Within one boot the date follows the boot clock. The wall clock is believed while it stays within
/// ``tolerance`` of it, when the system calls it synchronised, and after a restart.
package struct DayMark: Sendable, Hashable, Codable {
    /// How far the wall clock may be moved against the boot clock and still be believed.
    package static let tolerance = Duration.seconds(600)

    /// The date.
    package var date: CivilDate
    /// The wall time at which it was found to be that date.
    package var wall: Duration
    /// When the wall clock was last known to be right: as the system said, or else at the first look of a boot.
    ///
    /// It is not moved along with a clock that the system does not call synchronised: many moves of ten
    /// minutes each would add up to a day.
    package var anchor: Moment
    /// When the day of this date started: a later start that was set since holds from the next day on. `nil` in a
    /// record of before this was noted: when days start now.
    package var dayStart: TimeOfDay?

    /// A mark of these parts.
    package init(date: CivilDate, wall: Duration, anchor: Moment, dayStart: TimeOfDay?) {
        self.date = date
        self.wall = wall
        self.anchor = anchor
        self.dayStart = dayStart
    }

    /// Whether every time in it could have come from a clock.
    var isSane: Bool {
        let anyDate = Duration.seconds(-400_000_000_000)...Duration.seconds(400_000_000_000)
        let anyYear = -20_000...20_000
        return anyDate.contains(wall) && anyDate.contains(anchor.wall) && anyDate.contains(anchor.sinceBoot)
            && dayStart.map { $0.isSane && GoalRules.isValid(dayStart: $0) } ?? true
            && anyYear.contains(date.year) && (1...12).contains(date.month) && (1...31).contains(date.day)
    }
}

/// What the clocks show at an instant.
package struct Clocks: Sendable {
    package var now: Moment
    /// Whether the system calls the wall clock synchronised.
    package var isSynchronised: Bool
    /// The days of the present zone.
    package var calendar: DayCalendar

    package init(now: Moment, isSynchronised: Bool, calendar: DayCalendar) {
        self.now = now
        self.isSynchronised = isSynchronised
        self.calendar = calendar
    }

    /// What a clock shows now.
    init(_ clock: any LockClock) {
        self.init(now: clock.now, isSynchronised: clock.isSynchronised, calendar: DayCalendar(clock))
    }
}

/// Today, as far as the clocks can tell.
package struct DayReading: Sendable, Hashable {
    /// What to remember of it; the mark it was given, where that is still right.
    package var mark: DayMark
    /// The wall time that is believed.
    package var wall: Duration
    /// How long it is until the next day begins.
    package var left: Duration

    package var date: CivilDate { mark.date }

    /// How far a synchronised clock may drift from the boot clock before the mark is written anew.
    private static let drift = Duration.seconds(60)

    /// Reads the date.
    ///
    /// - Parameters:
    ///   - mark: what was remembered last.
    ///   - clocks: what the clocks show.
    ///   - dayStart: when days start.
    package init(after mark: DayMark?, at clocks: Clocks, dayStart: TimeOfDay) {
        let now = clocks.now
        let anchor = mark?.anchor
        let isAnchored = anchor?.boot == now.boot
        let expected = anchor.map { $0.wall + now.sinceBoot - $0.sinceBoot } ?? now.wall
        let shift = now.wall < expected ? expected - now.wall : now.wall - expected
        // After a restart there is no boot clock to compare the wall clock with.
        let isTrusted = clocks.isSynchronised || !isAnchored

        var wall = isTrusted || shift <= DayMark.tolerance ? now.wall : expected
        // A clock that was put back a little repeats nothing: the date waits until it has caught up. Only a
        // trusted clock is followed back by more.
        if let mark, mark.wall > wall, !isTrusted || mark.wall - wall <= DayMark.tolerance {
            wall = mark.wall
        }

        let start = Duration(sinceMidnight: dayStart)
        let date = clocks.calendar.civilDate(at: wall, dayStart: start)
        let next = clocks.calendar.nextDayStart(after: wall, dayStart: start)
        // A day that began goes on when days are made to start later: yesterday does not come back with it.
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
    /// From midnight to a time of day by the clock on the wall.
    init(sinceMidnight time: TimeOfDay) { self = .seconds(time.minutes * 60) }
}
