import AdapterKit
import PortcullisCore
import PortcullisTesting
import Synchronization

/// One way in which a scheduler can be wrong.
enum SchedulerFault: CaseIterable {
    case none, silentStart, startNow, startsOutside, silentStop, endsTwice, endsWithoutStart, stopsOthers
    case oldScheduleFires, replacesSilently, ignoresEqualStart, forgetsToList, listsStopped, takesBadWarnings
    case changesOnRefusal, missesEnd, deliversTwice, startsLate, endsSameDay, wholeDayEndsAtOnce
    case startBeforeEnd, losesStartWarning, losesEndWarning, warnsBeforeStart, dropsLateWarning
    case repeatsOnce, onceNeverEnds, onceEndsEarly, missedOnceComesLater, replaysMissed, dropsMissedWarning
    case warnsTooLate, fixedLength, fixedOffset, skipsGap, skipsInsideGap, skipsDate, repeatsAfterSetBack
    case neverBelieves, deafToSet, deafToZone, restartsInZone, mixesActivities, oneTaker, diesWithTaker
    case replaysToNew, dropsOverflow, racesEvents, cancelHidesEvents, staleNextEvent
    case plain, takesUnsupported, overtakes

    /// The clause that is meant to catch it.
    var clause: ActivitySchedulerContract? {
        switch self {
        case .none, .plain: nil
        case .silentStart, .startNow: .startInside
        case .startsOutside: .startOutside
        case .silentStop, .endsTwice: .stopInside
        case .endsWithoutStart, .stopsOthers: .stopOutside
        case .oldScheduleFires, .replacesSilently: .replaces
        case .ignoresEqualStart: .restarts
        case .forgetsToList, .listsStopped: .monitored
        case .takesBadWarnings, .changesOnRefusal: .refusals
        case .missesEnd, .deliversTwice, .startsLate: .days
        case .endsSameDay: .overnight
        case .wholeDayEndsAtOnce, .startBeforeEnd: .wholeDay
        case .losesStartWarning, .losesEndWarning: .warnings
        case .warnsBeforeStart: .longWarning
        case .dropsLateWarning: .lateWarning
        case .repeatsOnce: .onceInside
        case .onceNeverEnds, .onceEndsEarly: .onceLater
        case .missedOnceComesLater: .onceMissed
        case .replaysMissed: .longSleep
        case .dropsMissedWarning, .warnsTooLate: .missedWarnings
        case .fixedOffset: .shortDay
        case .fixedLength: .longDay
        case .skipsGap: .gapAndOverlap
        case .skipsInsideGap: .insideGap
        case .skipsDate: .skippedDate
        case .repeatsAfterSetBack: .setBackALittle
        case .neverBelieves: .setBackFar
        case .deafToSet: .setForward
        case .restartsInZone: .zoneSameDate
        case .deafToZone: .zoneOtherDate
        case .mixesActivities, .overtakes: .activitiesApart
        case .oneTaker: .severalTakers
        case .diesWithTaker: .droppedTaker
        case .replaysToNew: .fromNowOn
        case .dropsOverflow: .slowTaker
        case .racesEvents: .concurrentChanges
        case .cancelHidesEvents: .cancelledCalls
        case .staleNextEvent: .nextEvent
        case .takesUnsupported: .refusesUnsupported
        }
    }
}

/// A scheduler, right but for one fault.
final class FaultyScheduler: ActivityScheduler {
    struct State {
        var timetable = ActivityTimetable()
        /// The suite's own activities, which go right.
        var fences = ActivityTimetable()
        /// What fires although it should not.
        var shadow = ActivityTimetable()
        var schedules: [ActivityName: ActivitySchedule] = [:]
        var once: Set<ActivityName> = []
        /// What comes late although it is due.
        var held: [ActivityEvent] = []
        var ghosts: [ActivityName: MonitoredActivity] = [:]
        var takers: [Int: AsyncStream<ActivityEvent>.Continuation] = [:]
        var lastTaker = 0
        var isDead = false
        var past: [ActivityEvent] = []
        var latest: Duration
        var pauses = 0
        var zone: String

        /// How many turns others get meanwhile: 0 to 19, uneven and the same in each run.
        mutating func nextPause() -> Int {
            pauses += 1
            return pauses * 7 % 20
        }
        /// What the wall clock showed when the machine started.
        let bootWall: Duration
    }

    let fault: SchedulerFault
    let clock: any LockClock
    let state: Mutex<State>
    private let firstOffset: Duration

    init(_ clock: any LockClock, _ fault: SchedulerFault) {
        self.clock = clock
        self.fault = fault
        let now = clock.now
        self.state = Mutex(State(latest: now.wall, zone: clock.zone, bootWall: now.wall - now.sinceBoot))
        // Whoever takes the day to be 24 hours long finds each midnight where the first one was.
        let midnight = DayCalendar(clock).dayStart(at: now.wall, dayStart: .zero)
        self.firstOffset = midnight
    }

    var capabilities: ActivitySchedulerCapabilities {
        fault == .plain || fault == .takesUnsupported
            ? [] : [.tellsNextEvent, .givesWarnings, .takesOneShots]
    }

    var calendar: DayCalendar {
        guard fault == .fixedOffset || fault == .fixedLength else { return DayCalendar(clock) }
        let day = Duration.seconds(86_400)
        let origin = firstOffset
        @Sendable func number(_ wall: Duration, _ dayStart: Duration) -> Int {
            Int(((wall - origin - dayStart) / day).rounded(.down))
        }
        return DayCalendar(
            civilDate: { CivilDate(daysSinceEpoch: number($0, $1)) },
            start: { origin + $1 + day * $0.daysSinceEpoch },
            nextDayStart: { origin + $1 + day * (number($0, $1) + 1) }
        )
    }

    func start(
        _ activity: ActivityName,
        schedule: ActivitySchedule
    ) async throws(ActivitySchedulerError) {
        if fault == .plain { try schedule.validate(for: capabilities) }
        let isFence = activity.rawValue.hasPrefix("contract.fence")
        let isOnce = !schedule.repeats
        var schedule = schedule
        if !isFence { bend(&schedule) }
        let (now, calendar) = (clock.now.wall, calendar)
        try await change(isFence: isFence) { state throws(ActivitySchedulerError) in
            if isFence {
                return try state.fences.start(activity, schedule: schedule, at: now, in: calendar)
            }
            if fault == .changesOnRefusal, schedule.warning != nil,
                (try? schedule.validate()) == nil
            {
                hand(out: state.timetable.stop([activity], at: now, in: calendar), &state)
            }
            if fault == .ignoresEqualStart, state.schedules[activity] == schedule,
                state.timetable.monitored[activity] != nil
            {
                return []
            }
            if fault == .oldScheduleFires, let old = state.schedules[activity] {
                _ = try state.shadow.start(activity, schedule: old, at: now, in: calendar)
            }
            var replaced: [ActivityEvent] = []
            if fault == .replacesSilently {
                replaced = state.timetable.stop([activity], at: now, in: calendar)
            }
            var events = try state.timetable.start(activity, schedule: schedule, at: now, in: calendar)
            events = replaced.filter { $0.kind != .intervalDidEnd } + events
            state.schedules[activity] = schedule
            if isOnce { state.once.insert(activity) }
            if fault == .onceEndsEarly, isOnce, events.isEmpty {
                events = state.timetable.stop([activity], at: now, in: calendar)
            }
            switch fault {
            case .silentStart: events.removeAll { $0.kind == .intervalDidStart }
            case .startNow:
                for index in events.indices where events[index].kind == .intervalDidStart {
                    events[index].scheduled = now
                }
            case .startsOutside where !events.contains { $0.kind == .intervalDidStart }:
                events.append(ActivityEvent(activity: activity, kind: .intervalDidStart, scheduled: now))
            case .dropsLateWarning:
                events.removeAll {
                    $0.kind == .intervalWillEndWarning || $0.kind == .intervalWillStartWarning
                }
            default: break
            }
            return events
        }
    }

    /// Makes another schedule of it than was asked for.
    private func bend(_ schedule: inout ActivitySchedule) {
        switch fault {
        case .takesBadWarnings where (try? schedule.validate()) == nil: schedule.warning = nil
        case .endsSameDay where schedule.end < schedule.start: schedule.end = schedule.start.nextMinute
        case .wholeDayEndsAtOnce where schedule.end == schedule.start:
            schedule.end = schedule.start.nextMinute
        case .repeatsOnce, .missedOnceComesLater: schedule.repeats = true
        default: break
        }
    }

    func stop(_ activities: Set<ActivityName>) async {
        let isFence = activities.contains { $0.rawValue.hasPrefix("contract.fence") }
        let (now, calendar) = (clock.now.wall, calendar)
        await change(isFence: isFence) { state in
            if isFence { return state.fences.stop(activities, at: now, in: calendar) }
            var all = activities
            if fault == .stopsOthers, !activities.isEmpty {
                all = Set(state.timetable.monitored.keys)
            }
            if fault == .listsStopped { state.ghosts = state.timetable.monitored }
            var events = state.timetable.stop(all, at: now, in: calendar)
            for name in activities { state.schedules[name] = nil }
            switch fault {
            case .silentStop: events = []
            case .endsTwice: events += events
            case .endsWithoutStart where events.isEmpty:
                events = activities.map {
                    ActivityEvent(activity: $0, kind: .intervalDidEnd, scheduled: now)
                }
            default: break
            }
            return events
        }
    }

    func monitored() async -> [ActivityName: MonitoredActivity] {
        state.withLock { state in
            var all = state.timetable.monitored
            switch fault {
            case .onceNeverEnds:
                for (name, schedule) in state.schedules where all[name] == nil {
                    all[name] = MonitoredActivity(schedule: schedule, nextEvent: nil)
                }
            case .forgetsToList: all[ActivityName("contract.other")] = nil
            case .listsStopped: all.merge(state.ghosts) { real, _ in real }
            case .staleNextEvent:
                for name in all.keys { all[name]?.nextEvent? += .seconds(30 * 60) }
            default: break
            }
            return all
        }
    }

    func events() -> AsyncStream<ActivityEvent> {
        let policy: AsyncStream<ActivityEvent>.Continuation.BufferingPolicy =
            fault == .dropsOverflow ? .bufferingNewest(64) : .unbounded
        let (stream, taker) = AsyncStream.makeStream(of: ActivityEvent.self, bufferingPolicy: policy)
        let id = state.withLock { state in
            if fault == .oneTaker, !state.takers.isEmpty { return 0 }
            if fault == .replaysToNew { for event in state.past { taker.yield(event) } }
            state.lastTaker += 1
            state.takers[state.lastTaker] = taker
            return state.lastTaker
        }
        taker.onTermination = { [weak self, fault] _ in
            self?.state.withLock { state in
                state.takers[id] = nil
                if fault == .diesWithTaker { state.isDead = true }
            }
        }
        return stream
    }

    /// Changes the state and hands out what that causes, in one step but for the fault that does not.
    func change<Failure: Error>(
        isFence: Bool = false,
        _ body: (inout State) throws(Failure) -> [ActivityEvent]
    ) async throws(Failure) {
        let isHidden = fault == .cancelHidesEvents && Task.isCancelled && !isFence
        let isTorn = fault == .racesEvents && !isFence
        let later = try state.withLock { state throws(Failure) -> [ActivityEvent] in
            let events = try body(&state)
            if isHidden || isTorn { return isTorn ? events : [] }
            hand(out: events, &state)
            return []
        }
        guard isTorn else { return }
        // Others may do the same meanwhile.
        for _ in 0..<state.withLock({ $0.nextPause() }) { await Task.yield() }
        state.withLock { hand(out: later, &$0) }
    }

    private func hand(out events: [ActivityEvent], _ state: inout State) {
        guard !state.isDead else { return }
        state.past += events
        for event in events { for taker in state.takers.values { taker.yield(event) } }
    }
}

extension TimeOfDay {
    fileprivate var nextMinute: TimeOfDay {
        TimeOfDay(hour: minute == 59 ? (hour + 1) % 24 : hour, minute: (minute + 1) % 60) ?? self
    }
}
