extension ActivitySchedulerContract {
    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .startInside:
            "starting inside an interval delivers the interval's start at once, with the time when the interval began"
        case .startOutside: "starting outside an interval delivers no event"
        case .stopInside: "stopping inside an interval delivers the interval's end at once"
        case .stopOutside:
            "stopping an activity that is outside its interval, or is not monitored, delivers no event"
        case .replaces:
            "starting under a name in use ends the old interval, and the old schedule delivers no more events"
        case .restarts: "starting an equal schedule under a name in use ends the interval and starts it again"
        case .monitored: "the list has the started activities with their schedules, and no stopped activity"
        case .refusals:
            "a warning time that is not more than zero and less than 24 hours is refused, and changes nothing"
        case .days: "each day start and end come once, in order, at their times"
        case .overnight: "an end before the start means the next day, also when started after midnight"
        case .wholeDay:
            "an end time equal to the start time is on the next day, and comes before the next start"
        case .warnings: "warnings come before each start and each end, by the warning time"
        case .longWarning: "a warning time longer than the interval gives a warning right after the start"
        case .lateWarning: "a warning whose time has passed when the activity is started comes at once"
        case .onceInside:
            "an activity that does not repeat and is started inside an interval has only this interval"
        case .onceLater:
            "an activity that does not repeat and is started outside an interval has only the next one"
        case .onceMissed:
            "an activity that does not repeat and whose interval passed during sleep does not start on another day"
        case .longSleep:
            "after sleep the old interval ends, missed intervals are skipped, and the present one starts"
        case .missedWarnings:
            "a warning that was missed during sleep still comes if its start or end is ahead"
        case .shortDay:
            "on a day of 23 hours an interval across the gap is an hour shorter, and no interval is lost"
        case .longDay:
            "on a day of 25 hours an interval across the overlap is an hour longer, and no interval is repeated"
        case .gapAndOverlap:
            "a time inside a gap means the end of the gap, and a time inside an overlap its first occurrence"
        case .insideGap: "if the start time and the end time are in one gap, start and end come together"
        case .skippedDate: "on a date that the zone skips, start and end come together, before the next start"
        case .setBackALittle:
            "a clock that is set back by up to three hours repeats no event and takes none back"
        case .setBackFar: "a clock that is set back by more than three hours is followed"
        case .setForward: "a clock that is set forward has the same effect as sleep"
        case .zoneSameDate: "after a change of zone an interval of the same date continues, with a new end"
        case .zoneOtherDate:
            "after a change of zone intervals that do not contain the new time end, and those that contain it start"
        case .activitiesApart: "activities do not affect each other"
        case .severalTakers: "each stream gets every event exactly once"
        case .droppedTaker: "a stream that ends does not affect the other streams"
        case .fromNowOn: "a stream gets the events from the call on, and no earlier event"
        case .slowTaker: "a stream that is not read for a long time loses no event"
        case .concurrentChanges:
            "with starts and stops from many tasks, the starts and ends of an activity alternate"
        case .cancelledCalls:
            "after calls by cancelled tasks, the list of monitored activities agrees with the events"
        case .nextEvent: "the reported next time of each activity is the time of its next event"
        case .refusesUnsupported:
            "a schedule that is not among the capabilities is refused as unsupported, and changes nothing"
        }
    }
}
