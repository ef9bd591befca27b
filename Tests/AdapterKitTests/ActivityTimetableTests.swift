import AdapterKit
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("ActivityTimetable (S-3)", .timeLimit(.minutes(5)))
struct ActivityTimetableTests {
    let name = ActivityName("reading")
    let calendar = DayCalendar(ManualClock())

    private func at(_ hour: Int, _ minute: Int = 0, day: Int = 0) -> Duration {
        TransitionZones.time(day, hour * 60 + minute)
    }

    private func schedule(
        _ start: Int,
        _ end: Int,
        repeats: Bool = true,
        warning: Int? = nil
    ) throws -> ActivitySchedule {
        ActivitySchedule(
            start: try #require(TimeOfDay(hour: start, minute: 0)),
            end: try #require(TimeOfDay(hour: end, minute: 0)),
            repeats: repeats,
            warning: warning.map { .seconds($0 * 60) }
        )
    }

    private func event(_ kind: ActivityEvent.Kind, _ time: Duration, _ other: String? = nil) -> ActivityEvent
    {
        ActivityEvent(activity: other.map { ActivityName($0) } ?? name, kind: kind, scheduled: time)
    }

    private func started(_ schedule: ActivitySchedule, at now: Duration) throws -> ActivityTimetable {
        var timetable = ActivityTimetable()
        _ = try timetable.start(name, schedule: schedule, at: now, in: calendar)
        return timetable
    }

    @Test("S-3: a day with warnings: every event at its time, the next one told")
    func plainDay() throws {
        var timetable = try started(schedule(9, 17, warning: 15), at: at(8))
        var seen: [ActivityEvent] = []
        while let next = timetable.nextEvent, next < at(9, day: 1) {
            #expect(timetable.monitored[name]?.nextEvent == next)
            #expect(timetable.advance(to: next - .nanoseconds(1), in: calendar) == [])
            seen += timetable.advance(to: next, in: calendar)
        }
        #expect(
            seen == [
                event(.intervalWillStartWarning, at(8, 45)), event(.intervalDidStart, at(9)),
                event(.intervalWillEndWarning, at(16, 45)), event(.intervalDidEnd, at(17)),
                event(.intervalWillStartWarning, at(8, 45, day: 1)),
            ]
        )
    }

    @Test("S-3: starting inside fires the start of the real interval and a warning that has passed")
    func startInside() throws {
        var timetable = ActivityTimetable()
        let events = try timetable.start(
            name,
            schedule: schedule(9, 17, warning: 30),
            at: at(16, 40),
            in: calendar
        )
        #expect(events == [event(.intervalDidStart, at(9)), event(.intervalWillEndWarning, at(16, 30))])
        #expect(timetable.nextEvent == at(17))
        var overnight = ActivityTimetable()
        let late = try overnight.start(name, schedule: schedule(22, 6), at: at(3, day: 1), in: calendar)
        #expect(late == [event(.intervalDidStart, at(22))])
    }

    @Test("S-3: stopping inside ends it, outside it does nothing; replacing is both")
    func stops() throws {
        var timetable = try started(schedule(9, 17), at: at(10))
        let again = try timetable.start(name, schedule: schedule(9, 17), at: at(11), in: calendar)
        #expect(again == [event(.intervalDidEnd, at(11)), event(.intervalDidStart, at(9))])
        let other = try timetable.start(name, schedule: schedule(12, 13), at: at(11), in: calendar)
        #expect(other == [event(.intervalDidEnd, at(11))])
        #expect(timetable.advance(to: at(12), in: calendar) == [event(.intervalDidStart, at(12))])
        let stop: Set = [name, ActivityName("unknown")]
        #expect(timetable.stop(stop, at: at(12, 30), in: calendar) == [event(.intervalDidEnd, at(12, 30))])
        #expect(timetable.stop([name], at: at(12, 30), in: calendar) == [])
        #expect(timetable.monitored.isEmpty && timetable.nextEvent == nil)
        // An interval that is over ends at its own time, even when nobody looked.
        var overdue = try started(schedule(9, 10), at: at(9))
        #expect(overdue.stop([name], at: at(11), in: calendar) == [event(.intervalDidEnd, at(10))])
    }

    @Test("S-3: once is one interval: begun inside, the next one, or slept through")
    func once() throws {
        var inside = try started(schedule(9, 17, repeats: false, warning: 15), at: at(10))
        #expect(inside.nextEvent == at(16, 45))
        let events = inside.advance(to: at(17), in: calendar)
        #expect(events == [event(.intervalDidEnd, at(17))])
        #expect(inside.monitored.isEmpty)
        var before = try started(schedule(9, 17, repeats: false), at: at(8))
        #expect(before.advance(to: at(9), in: calendar) == [event(.intervalDidStart, at(9))])
        #expect(before.advance(to: at(9, day: 9), in: calendar) == [event(.intervalDidEnd, at(17))])
        #expect(before.monitored.isEmpty)
        var missed = try started(schedule(9, 17, repeats: false), at: at(8))
        #expect(missed.advance(to: at(18), in: calendar) == [])
        #expect(missed.monitored.isEmpty)
        // At the very end of one it is the next that counts, also where clocks are looked at then.
        var late = try started(schedule(9, 17, repeats: false), at: at(17))
        #expect(late.nextEvent == at(9, day: 1))
        #expect(late.recalculate(at: at(17), in: calendar) == [])
        #expect(late.nextEvent == at(9, day: 1))
        #expect(late.advance(to: at(9, day: 1), in: calendar) == [event(.intervalDidStart, at(9, day: 1))])
    }

    @Test("S-3: after a long sleep: the old end, none of those missed, the present start")
    func longSleep() throws {
        var timetable = try started(schedule(9, 17, warning: 60), at: at(10))
        let events = timetable.advance(to: at(16, 30, day: 40), in: calendar)
        #expect(
            events == [
                event(.intervalDidEnd, at(17)), event(.intervalDidStart, at(9, day: 40)),
                event(.intervalWillEndWarning, at(16, day: 40)),
            ]
        )
        #expect(timetable.nextEvent == at(17, day: 40))
    }

    @Test("S-3: what a long sleep costs does not grow with its length")
    func costOfSleep() throws {
        let clock = ManualClock()
        let looks = Mutex(0)
        let counted = DayCalendar(
            civilDate: { clock.civilDate(at: $0, dayStart: $1) },
            start: { clock.start(of: $0, dayStart: $1) },
            nextDayStart: { wall, dayStart in
                looks.withLock { $0 += 1 }
                return clock.nextDayStart(after: wall, dayStart: dayStart)
            }
        )
        let costs = try [10, 4_000].map { days in
            var timetable = try started(schedule(9, 17), at: at(10))
            looks.withLock { $0 = 0 }
            #expect(timetable.advance(to: at(16, day: days), in: counted).count == 2)
            return looks.withLock { $0 }
        }
        #expect(costs[0] == costs[1])
    }

    @Test("S-3: a whole day ends with the next start, and before it")
    func wholeDay() throws {
        var timetable = try started(schedule(4, 4), at: at(5))
        #expect(
            timetable.advance(to: at(4, day: 1), in: calendar)
                == [event(.intervalDidEnd, at(4, day: 1)), event(.intervalDidStart, at(4, day: 1))]
        )
    }

    @Test(
        "S-3: a clock set back by three hours repeats nothing; by more it is believed",
        arguments: [true, false]
    )
    func setBack(isFar: Bool) throws {
        var timetable = try started(schedule(9, 17, warning: 15), at: at(8))
        for time in [at(8, 45), at(9)] { _ = timetable.advance(to: time, in: calendar) }
        let back = at(6) - .nanoseconds(isFar ? 1 : 0)
        let events = timetable.recalculate(at: back, in: calendar)
        #expect(events == (isFar ? [event(.intervalDidEnd, back)] : []))
        #expect(timetable.nextEvent == (isFar ? at(8, 45) : at(16, 45)))
        let morning =
            timetable.advance(to: at(8, 45), in: calendar) + timetable.advance(to: at(9), in: calendar)
        let again = [event(.intervalWillStartWarning, at(8, 45)), event(.intervalDidStart, at(9))]
        #expect(morning == (isFar ? again : []))
    }

    @Test("S-3: an interval that goes on after its clock was set back far warns of its end again")
    func warnsAgain() throws {
        var timetable = try started(schedule(9, 23, warning: 60), at: at(9))
        let warning = event(.intervalWillEndWarning, at(22))
        #expect(timetable.advance(to: at(22, 30), in: calendar) == [warning])
        #expect(timetable.recalculate(at: at(21), in: calendar) == [])
        #expect(timetable.nextEvent == at(23))
        #expect(timetable.recalculate(at: at(18), in: calendar) == [])
        #expect(timetable.nextEvent == at(22))
        #expect(timetable.advance(to: at(22), in: calendar) == [warning])
    }

    @Test("S-3: small steps back add up, and a wall time that goes back is noticed without being told")
    func stepsBack() throws {
        var timetable = try started(schedule(9, 17), at: at(9))
        #expect(timetable.advance(to: at(7), in: calendar) == [])
        #expect(timetable.advance(to: at(5), in: calendar) == [event(.intervalDidEnd, at(5))])
        #expect(timetable.nextEvent == at(9))
        // An activity that was started while the others wait goes by the clock as it is.
        var waiting = try started(schedule(9, 17), at: at(17))
        #expect(waiting.recalculate(at: at(15), in: calendar) == [])
        let new = try waiting.start(ActivityName("new"), schedule: schedule(16, 17), at: at(15), in: calendar)
        #expect(new == [])
        #expect(waiting.advance(to: at(16), in: calendar) == [event(.intervalDidStart, at(16), "new")])
    }

    @Test("S-3: looking anew at what has not changed gives nothing, and loses nothing")
    func nothingChanged() throws {
        var timetable = try started(schedule(9, 17, warning: 15), at: at(8))
        #expect(timetable.advance(to: at(8, 50), in: calendar).count == 1)
        for minute in [50, 51] { #expect(timetable.recalculate(at: at(8, minute), in: calendar) == []) }
        #expect(timetable.recalculate(at: at(9), in: calendar) == [event(.intervalDidStart, at(9))])
        #expect(timetable.recalculate(at: at(16, 50), in: calendar).count == 1)
        #expect(timetable.recalculate(at: at(16, 50), in: calendar) == [])
        #expect(timetable.recalculate(at: at(17), in: calendar) == [event(.intervalDidEnd, at(17))])
    }

    @Test(
        "S-3: start and end inside one gap come together, once, and not an hour late",
        arguments: [0, 1, 59, 60, 3_600]
    )
    func insideGap(seconds: Int) throws {
        let gap = DayCalendar(ManualClock(zone: TransitionZones.twoHours.zone))
        let day = TransitionZones.changeDay
        let whole = ActivitySchedule(
            start: try #require(TimeOfDay(hour: 1, minute: 30)),
            end: try #require(TimeOfDay(hour: 2, minute: 30)),
            repeats: true
        )
        for isAnew in [true, false] {
            var timetable = ActivityTimetable()
            _ = try timetable.start(name, schedule: whole, at: at(0, day: day), in: gap)
            let now = at(1, day: day) + .seconds(seconds)
            let events =
                isAnew ? timetable.recalculate(at: now, in: gap) : timetable.advance(to: now, in: gap)
            let both: [ActivityEvent.Kind] = [.intervalDidStart, .intervalDidEnd]
            #expect(events == (seconds < 60 ? both : []).map { event($0, at(1, day: day)) })
            #expect(timetable.recalculate(at: now, in: gap) == [])
        }
    }

    @Test("S-3: in another zone the interval of the same date goes on, another ends, the right one starts")
    func zones() throws {
        var timetable = try started(schedule(9, 17), at: at(12))
        let west = DayCalendar(ManualClock(zone: ManualZone("West", offset: .seconds(-7_200))))
        #expect(timetable.recalculate(at: at(12), in: west) == [])
        #expect(timetable.nextEvent == at(19))
        let farWest = DayCalendar(ManualClock(zone: ManualZone("FarWest", offset: .seconds(-8 * 3_600))))
        #expect(timetable.recalculate(at: at(12), in: farWest) == [event(.intervalDidEnd, at(12))])
        #expect(timetable.nextEvent == at(17))
        let east = DayCalendar(ManualClock(zone: ManualZone("East", offset: .seconds(5 * 3_600 - 1_800))))
        #expect(timetable.recalculate(at: at(12), in: east) == [event(.intervalDidStart, at(4, 30))])
        // Across the date line it is the interval of another date.
        let dayAhead = DayCalendar(ManualClock(zone: ManualZone("Ahead", offset: .seconds(86_400))))
        #expect(
            timetable.recalculate(at: at(12), in: dayAhead)
                == [event(.intervalDidEnd, at(12)), event(.intervalDidStart, at(9))]
        )
    }

    @Test("S-3: events of several activities come by time, then in the order of their starts")
    func several() throws {
        var timetable = ActivityTimetable()
        for (other, end) in [("b", 10), ("a", 11), ("c", 10)] {
            _ = try timetable.start(ActivityName(other), schedule: schedule(9, end), at: at(8), in: calendar)
        }
        let starts = timetable.advance(to: at(9), in: calendar)
        #expect(starts.map(\.activity.rawValue) == ["b", "a", "c"])
        let ends = timetable.advance(to: at(12), in: calendar)
        #expect(ends.map(\.activity.rawValue) == ["b", "c", "a"])
    }

    @Test("S-3: of several that stop at once, or end by a change of clocks, the one started first ends first")
    func severalAtOnce() throws {
        let names = ["m", "c", "x", "a", "q", "f", "z", "k"]
        for isStopped in [true, false] {
            var timetable = ActivityTimetable()
            for other in names {
                let schedule = try schedule(9, 17)
                _ = try timetable.start(ActivityName(other), schedule: schedule, at: at(10), in: calendar)
            }
            let ends =
                isStopped
                ? timetable.stop(Set(names.map { ActivityName($0) }), at: at(11), in: calendar)
                : timetable.recalculate(at: at(4), in: calendar)
            #expect(ends == names.map { event(.intervalDidEnd, isStopped ? at(11) : at(4), $0) })
        }
    }

    @Test(
        "S-3: a clock set back a little after it was set back far repeats nothing: the first is what counts"
    )
    func secondCorrection() throws {
        var timetable = try started(schedule(5, 7), at: at(4))
        #expect(timetable.advance(to: at(16), in: calendar) == [])
        #expect(timetable.recalculate(at: at(6), in: calendar) == [event(.intervalDidStart, at(5))])
        // An hour and a half, counted from six and not from four in the afternoon.
        #expect(timetable.recalculate(at: at(4, 30), in: calendar) == [])
        #expect(timetable.nextEvent == at(7))
        #expect(timetable.advance(to: at(5), in: calendar) == [])
        // Together with this one it is more than three hours.
        #expect(timetable.recalculate(at: at(2, 59), in: calendar) == [event(.intervalDidEnd, at(2, 59))])
        #expect(timetable.nextEvent == at(5))
    }

    @Test(
        "S-3: a warning outside its bounds is refused and changes nothing",
        arguments: [-1, 0, 1_440, 5_000]
    )
    func refusals(_ minutes: Int) throws {
        var timetable = try started(schedule(9, 17), at: at(10))
        let before = timetable.monitored
        let bad = try schedule(1, 2, warning: minutes)
        let error = #expect(throws: ActivitySchedulerError.self) {
            try timetable.start(name, schedule: bad, at: at(10), in: calendar)
        }
        #expect(error?.code == .invalidSchedule)
        #expect(timetable.monitored == before)
    }
}
