extension ActivitySchedulerContract {
    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .startInside: "starting inside an interval gives its start at once, meant for when it began"
        case .startOutside: "starting outside an interval gives nothing"
        case .stopInside: "stopping inside an interval gives its end at once"
        case .stopOutside: "stopping what is not on, or not monitored, gives nothing"
        case .replaces:
            "a new schedule under a name in use ends the old interval, and the old one never fires again"
        case .restarts: "an equal schedule under a name in use ends the interval and starts it again"
        case .monitored: "the list holds what was started, with its schedule, and not what was stopped"
        case .refusals:
            "a warning that is not more than zero and less than 24 hours is refused and changes nothing"
        case .days: "each day start and end come once, in order, at their times"
        case .overnight: "an end before the start means the next day, also when started after midnight"
        case .wholeDay: "an end equal to the start is the next day's, and comes before the next start"
        case .warnings: "warnings come that long before each start and each end"
        case .longWarning: "a warning longer than the interval comes right after the start"
        case .lateWarning: "a warning whose moment has passed when the activity is started comes at once"
        case .onceInside: "without repeats, the interval it is started in is the only one"
        case .onceLater: "without repeats, the next interval is the only one"
        case .onceMissed: "without repeats, an interval that was slept through does not come another day"
        case .longSleep:
            "after a sleep the old interval ends, missed ones do not take place, the present one starts"
        case .missedWarnings: "a missed warning still comes while what it warns of lies ahead"
        case .shortDay: "on a day of 23 hours an interval over the gap is an hour shorter, and none is lost"
        case .longDay:
            "on a day of 25 hours an interval over the overlap is an hour longer, and none is repeated"
        case .gapAndOverlap:
            "a time inside a gap is the gap's end, one inside an overlap the first of the two"
        case .insideGap: "where a gap holds both times, start and end come together"
        case .skippedDate: "on a date that the zone skips, start and end come together, before the next start"
        case .setBackALittle: "a clock set back by up to three hours repeats and undoes nothing"
        case .setBackFar: "a clock set back by more than three hours is believed"
        case .setForward: "a clock set forward is as after a sleep"
        case .zoneSameDate: "in another zone an interval of the same date goes on, with a new end"
        case .zoneOtherDate: "in another zone what should not be on ends, and what should be on starts"
        case .activitiesApart: "activities do not disturb each other"
        case .severalTakers: "each taker gets every event exactly once"
        case .droppedTaker: "a taker that goes away disturbs no other"
        case .fromNowOn: "a stream gives the events from the call on, and none before"
        case .slowTaker: "a taker that does not take for long loses nothing"
        case .concurrentChanges:
            "with starts and stops from many tasks, starts and ends of an activity alternate"
        case .cancelledCalls: "after calls by cancelled tasks, what is monitored fits the events"
        case .nextEvent: "the next event of each activity is the time of the event that comes next"
        case .refusesUnsupported:
            "what is not among its capabilities is refused as unsupported, and changes nothing"
        }
    }
}
