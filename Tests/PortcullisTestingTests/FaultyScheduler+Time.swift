import AdapterKit
import PortcullisCore
import Synchronization

extension FaultyScheduler {
    /// Hands out what is due by the clock, as the fault will have it.
    func settle() async {
        let (moment, zone, calendar) = (clock.now, clock.zone, calendar)
        await change { state in
            let now = fault == .deafToSet ? state.bootWall + moment.sinceBoot : moment.wall
            let isLate = now - state.latest > .seconds(60)
            let isNewZone = zone != state.zone
            defer { (state.latest, state.zone) = (now, zone) }
            if now < state.latest {
                switch fault {
                case .repeatsAfterSetBack: return startAnew(&state, at: now, in: calendar)
                case .neverBelieves: return []
                default: break
                }
            }
            if isNewZone {
                switch fault {
                case .restartsInZone: return startAnew(&state, at: now, in: calendar)
                case .deafToZone: return []
                default: return state.timetable.recalculate(at: now, in: calendar)
                }
            }
            return bend(due(&state, at: now, in: calendar), isLate: isLate, &state, at: now, in: calendar)
        }
    }

    private func due(_ state: inout State, at now: Duration, in calendar: DayCalendar) -> [ActivityEvent] {
        switch fault {
        case .startsLate: return state.timetable.advance(to: now - .seconds(60), in: calendar)
        case .neverBelieves where now < state.timetable.monitored.values.compactMap(\.nextEvent).min() ?? now:
            return []
        case .replaysMissed:
            var events: [ActivityEvent] = []
            for time in stride(from: 0, through: (now - state.latest) / .seconds(1_800), by: 1) {
                events += state.timetable.advance(
                    to: state.latest + .seconds(1_800) * Int(time),
                    in: calendar
                )
            }
            return events + state.timetable.advance(to: now, in: calendar)
        case .oldScheduleFires:
            return state.timetable.advance(to: now, in: calendar)
                + state.shadow.advance(to: now, in: calendar)
        default: return state.timetable.advance(to: now, in: calendar)
        }
    }

    private func startAnew(_ state: inout State, at now: Duration, in calendar: DayCalendar)
        -> [ActivityEvent]
    {
        let schedules = state.timetable.monitored.mapValues(\.schedule)
        var events = state.timetable.stop(Set(schedules.keys), at: now, in: calendar)
        state.timetable = ActivityTimetable()
        for (name, schedule) in schedules {
            events += (try? state.timetable.start(name, schedule: schedule, at: now, in: calendar)) ?? []
        }
        return events
    }

    private func bend(
        _ due: [ActivityEvent],
        isLate: Bool,
        _ state: inout State,
        at now: Duration,
        in calendar: DayCalendar
    ) -> [ActivityEvent] {
        var events = due
        switch fault {
        case .missesEnd: events.removeAll { $0.kind == .intervalDidEnd }
        case .deliversTwice: events += events
        case .startBeforeEnd:
            events.sort { $0.kind == .intervalDidStart && $1.kind == .intervalDidEnd }
        case .warnsBeforeStart:
            events.sort { $0.kind == .intervalWillEndWarning && $1.kind == .intervalDidStart }
        case .losesStartWarning: events.removeAll { $0.kind == .intervalWillStartWarning }
        case .losesEndWarning: events.removeAll { $0.kind == .intervalWillEndWarning }
        case .dropsMissedWarning where isLate:
            events.removeAll {
                $0.kind == .intervalWillEndWarning || $0.kind == .intervalWillStartWarning
            }
        case .warnsTooLate where isLate && events.contains { $0.kind == .intervalDidEnd }:
            events.insert(
                ActivityEvent(activity: events[0].activity, kind: .intervalWillEndWarning, scheduled: now),
                at: 0
            )
        case .missedOnceComesLater:
            let ended = events.filter { $0.kind == .intervalDidEnd && state.once.contains($0.activity) }
            events += state.timetable.stop(Set(ended.map(\.activity)), at: now, in: calendar)
        case .skipsGap, .skipsInsideGap:
            events.removeAll { event in
                guard let schedule = state.schedules[event.activity] else { return false }
                let time = event.kind == .intervalDidStart ? schedule.start : schedule.end
                return isInGap(time, at: event.scheduled, in: calendar)
            }
        case .skipsDate where events.count == 3: events.removeFirst(2)
        case .mixesActivities where Set(state.timetable.monitored.keys).count > 1:
            events.removeAll { $0.activity == ActivityName("contract") }
        case .overtakes:
            // The events of one activity wait until it is the only one.
            guard Set(state.timetable.monitored.keys).count <= 1 else {
                state.held += events.filter { $0.activity == ActivityName("contract") }
                events.removeAll { $0.activity == ActivityName("contract") }
                break
            }
            events = state.held + events
            state.held = []
        default: break
        }
        return events
    }

    /// Whether another time of day a minute earlier is reached at the same instant.
    private func isInGap(_ time: TimeOfDay, at wall: Duration, in calendar: DayCalendar) -> Bool {
        let own = Duration.seconds((time.hour * 60 + time.minute) * 60)
        let earlier = own - .seconds(60)
        return calendar.dayStart(at: wall, dayStart: own) == calendar.dayStart(at: wall, dayStart: earlier)
    }
}
