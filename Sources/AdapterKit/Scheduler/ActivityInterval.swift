internal import PortcullisCore

/// The interval of an activity on one date.
struct ActivityInterval: Hashable, Sendable {
    /// The date of the interval's start.
    var date: CivilDate
    /// The wall time of the interval's start.
    var start: Duration
    /// The wall time of the interval's end. The end is never before the start, and never after the start of
    /// the next date's interval.
    var end: Duration

    /// The wall time of the warning before the interval's end. If the interval is shorter than `warning`, the
    /// result is the interval's start.
    ///
    /// - Parameter warning: the time from the warning to the interval's end.
    func endWarning(_ warning: Duration) -> Duration { max(start, end - warning) }
}

extension DayCalendar {
    /// The latest interval that has started by the time `wall`. The interval may already be over.
    func interval(of schedule: ActivitySchedule, at wall: Duration) -> ActivityInterval {
        let timeOfDay = schedule.start.sinceMidnight
        return interval(
            of: schedule,
            on: civilDate(at: wall, dayStart: timeOfDay),
            from: dayStart(at: wall, dayStart: timeOfDay)
        )
    }

    /// The interval on the date that follows the date of `interval`.
    func interval(of schedule: ActivitySchedule, after interval: ActivityInterval) -> ActivityInterval {
        let timeOfDay = schedule.start.sinceMidnight
        let reached = civilDate(at: interval.start, dayStart: timeOfDay)
        return self.interval(
            of: schedule,
            on: interval.date.next,
            // If the zone skips the whole day of `interval`, the next interval starts at the same instant as
            // `interval`. The date at that instant, `reached`, is then later than `interval.date`.
            from: reached > interval.date
                ? interval.start : nextDayStart(after: interval.start, dayStart: timeOfDay)
        )
    }

    private func interval(
        of schedule: ActivitySchedule,
        on date: CivilDate,
        from start: Duration
    ) -> ActivityInterval {
        let timeOfDay = schedule.end.sinceMidnight
        let reached = civilDate(at: start, dayStart: timeOfDay)
        // If a gap of the zone skips both the start and the end of this interval, both are the same instant.
        // `nextDayStart` would then return the end of the next date's interval, so `start` itself is the end.
        // `reached` is the latest date whose end time is not after `start`. If this interval's end is on that
        // date or earlier, the end time was skipped.
        let isOver = schedule.end <= schedule.start ? reached > date : reached >= date
        return ActivityInterval(
            date: date,
            start: start,
            end: isOver ? start : nextDayStart(after: start, dayStart: timeOfDay)
        )
    }
}

extension TimeOfDay {
    fileprivate var sinceMidnight: Duration { .seconds((hour * 60 + minute) * 60) }
}

extension CivilDate {
    fileprivate var next: CivilDate { CivilDate(daysSinceEpoch: daysSinceEpoch + 1) }
}
