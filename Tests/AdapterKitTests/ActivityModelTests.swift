import AdapterKit
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("ActivityTimetable against a model (S-3)", .timeLimit(.minutes(5)))
struct ActivityModelTests {
    private struct Case {
        let schedule: ActivitySchedule
        var model: ActivityModel
        var timetable = ActivityTimetable()
        let calendar: DayCalendar
        let name: ActivityName

        init(_ zone: TransitionZones, using numbers: inout SeededNumbers) throws {
            schedule = try Self.schedule(using: &numbers)
            model = ActivityModel(schedule, in: zone.zone, days: -3..<18)
            calendar = DayCalendar(ManualClock(zone: zone.zone))
            name = model.name
        }

        private static func schedule(using numbers: inout SeededNumbers) throws -> ActivitySchedule {
            // Times near those at which zones change more often than others.
            func time() throws -> TimeOfDay {
                let hour = [0, 0, 1, 2, 2, 3, 23, Int.random(in: 0...23, using: &numbers)]
                    .randomElement(using: &numbers)
                let minute = [0, 0, 30, 59, Int.random(in: 0...59, using: &numbers)].randomElement(
                    using: &numbers
                )
                return try #require(TimeOfDay(hour: hour ?? 0, minute: minute ?? 0))
            }
            let warning = [nil, 1, 15, 60, 600, 1_410, 1_439].randomElement(using: &numbers) ?? nil
            let start = try time()
            return ActivitySchedule(
                start: start,
                end: Int.random(in: 0..<6, using: &numbers) == 0 ? start : try time(),
                repeats: Int.random(in: 0..<5, using: &numbers) != 0,
                warning: warning.map { .seconds($0 * 60) }
            )
        }

        func wall(_ minute: Int) -> Duration { TransitionZones.origin + .seconds(minute * 60) }

        /// Starts or stops now and then, and otherwise advances; gives what both say.
        mutating func act(
            at minute: Int,
            using numbers: inout SeededNumbers
        ) throws -> (seen: [ActivityEvent], expected: [ActivityEvent]) {
            switch Int.random(in: 0..<3_000, using: &numbers) {
            case 0...2:
                return (
                    try timetable.start(name, schedule: schedule, at: wall(minute), in: calendar),
                    model.start(at: minute)
                )
            case 3: return (timetable.stop([name], at: wall(minute), in: calendar), model.stop(at: minute))
            default: return (timetable.advance(to: wall(minute), in: calendar), model.step(to: minute))
            }
        }
    }

    /// The days around the changes; the machine sleeps in between.
    private static let minutesToLookAt = [4..<7, 11..<14].flatMap { days in
        (days.lowerBound * 1_440)..<(days.upperBound * 1_440)
    }

    @Test("S-3: stepping minute by minute gives the model's events", arguments: TransitionZones.allCases)
    func everyMinute(_ zone: TransitionZones) throws {
        var numbers = SeededNumbers(seed: 1)
        for round in 0..<3 {
            var both = try Case(zone, using: &numbers)
            _ = try both.timetable.start(
                both.name,
                schedule: both.schedule,
                at: both.wall(0),
                in: both.calendar
            )
            _ = both.model.start(at: 0)
            for minute in Self.minutesToLookAt {
                let (seen, expected) = try both.act(at: minute, using: &numbers)
                guard seen == expected, (both.timetable.nextEvent != nil) == both.model.isMonitored else {
                    Issue.record("\(zone) \(round) \(minute): \(both.schedule) \(seen), not \(expected)")
                    return
                }
            }
        }
    }

    @Test("S-3: going from event to event gives the same as each minute", arguments: TransitionZones.allCases)
    func eventByEvent(_ zone: TransitionZones) throws {
        var numbers = SeededNumbers(seed: 2)
        for _ in 0..<5 {
            var both = try Case(zone, using: &numbers)
            var seen = try both.timetable.start(
                both.name,
                schedule: both.schedule,
                at: both.wall(0),
                in: both.calendar
            )
            var expected = both.model.start(at: 0)
            for minute in 1..<(15 * 1_440) { expected += both.model.step(to: minute) }
            while let next = both.timetable.nextEvent, next < both.wall(15 * 1_440) {
                let events = both.timetable.advance(to: next, in: both.calendar)
                #expect(events.first?.scheduled == next, "a next event that was none")
                seen += events
            }
            #expect(seen == expected, "\(zone) \(both.schedule)")
        }
    }

    @Test("S-3: after sleeps of any length it gives the model's events", arguments: TransitionZones.allCases)
    func sleeps(_ zone: TransitionZones) throws {
        var numbers = SeededNumbers(seed: 3)
        for round in 0..<10 {
            var both = try Case(zone, using: &numbers)
            _ = try both.timetable.start(
                both.name,
                schedule: both.schedule,
                at: both.wall(0),
                in: both.calendar
            )
            _ = both.model.start(at: 0)
            var minute = 0
            while minute < 15 * 1_440 {
                minute += Int.random(
                    in: 1...([2, 90, 1_500, 9_000].randomElement(using: &numbers) ?? 1),
                    using: &numbers
                )
                let (seen, expected) = try both.act(at: min(minute, 15 * 1_440), using: &numbers)
                #expect(seen == expected, "\(zone) round \(round) minute \(minute): \(both.schedule)")
                guard seen == expected else { return }
            }
        }
    }

    @Test("S-3: clocks set, zones changed, starts and stops in any order: starts and ends alternate")
    func chaos() async throws {
        var numbers = SeededNumbers(seed: 4)
        for _ in 0..<25 {
            var both = try Case(.none, using: &numbers)
            var isOn = false
            var wall = both.wall(1_440)
            var calendar = both.calendar
            for _ in 0..<300 {
                wall += .seconds(Int.random(in: 0...40_000, using: &numbers))
                let events: [ActivityEvent]
                switch Int.random(in: 0..<8, using: &numbers) {
                case 0:
                    events = try both.timetable.start(
                        both.name,
                        schedule: both.schedule,
                        at: wall,
                        in: calendar
                    )
                case 1: events = both.timetable.stop([both.name], at: wall, in: calendar)
                case 2:
                    wall -= .seconds(Int.random(in: 0...90_000, using: &numbers))
                    events = both.timetable.recalculate(at: wall, in: calendar)
                case 3:
                    let zone = TransitionZones.allCases.randomElement(using: &numbers) ?? .none
                    calendar = DayCalendar(ManualClock(zone: zone.zone))
                    events = both.timetable.recalculate(at: wall, in: calendar)
                default: events = both.timetable.advance(to: wall, in: calendar)
                }
                for event in events {
                    switch event.kind {
                    case .intervalDidStart:
                        #expect(!isOn)
                        isOn = true
                    case .intervalDidEnd:
                        #expect(isOn)
                        isOn = false
                    case .intervalWillEndWarning: #expect(isOn)
                    default: break
                    }
                    #expect(event.scheduled <= max(wall, wall + .seconds(3 * 3_600)))
                }
            }
        }
    }
}
