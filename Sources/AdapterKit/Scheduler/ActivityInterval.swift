internal import PortcullisCore

/// The interval in which an activity takes place on one date.
struct ActivityInterval: Hashable, Sendable {
    /// The date on which it is meant to start.
    var date: CivilDate
    /// The wall time of its start.
    var start: Duration
    /// The wall time of its end, which is never before the start and never after the next date's start.
    var end: Duration

    /// When the warning of its end comes.
    func endWarning(_ warning: Duration) -> Duration { max(start, end - warning) }
}

extension DayCalendar {
    /// The latest interval of a schedule that began, whether or not it is over.
    func interval(of schedule: ActivitySchedule, at wall: Duration) -> ActivityInterval {
        let timeOfDay = schedule.start.sinceMidnight
        return interval(
            of: schedule,
            on: civilDate(at: wall, dayStart: timeOfDay),
            from: dayStart(at: wall, dayStart: timeOfDay)
        )
    }

    /// The interval of the next date.
    func interval(of schedule: ActivitySchedule, after interval: ActivityInterval) -> ActivityInterval {
        let timeOfDay = schedule.start.sinceMidnight
        let reached = civilDate(at: interval.start, dayStart: timeOfDay)
        return self.interval(
            of: schedule,
            on: interval.date.next,
            // Where a zone skipped dates, several begin at one instant.
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
        // The time of the end before this one is reached at the start at the latest. Where this one is reached
        // too, a gap holds them both, and the next one found would be tomorrow's.
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
