import AdapterKit
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Where days begin (A-5)", .timeLimit(.minutes(5)))
struct DayRuleTests {
    @Test(
        "A-5: a day begins at the first minute that shows its start or later",
        arguments: TransitionZones.allCases
    )
    func firstMinute(_ zone: TransitionZones) async {
        let clock = ManualClock(zone: zone.zone)
        let minutes = -1_440..<(14 * 1_440)
        let locals = zone.zone.localMinutes(minutes)
        for dayStart in [0, 150, 1_439, 1_440] {
            let length = Duration.seconds(dayStart * 60)
            var farthest = Int.min
            var begun: CivilDate?
            for (minute, local) in zip(minutes, locals) {
                farthest = max(farthest, local)
                // Away from the changes there is nothing to see.
                let day = minute / 1_440
                guard (4...6).contains(day) || (11...13).contains(day) else {
                    begun = nil
                    continue
                }
                let wall = TransitionZones.origin + .seconds(minute * 60)
                let number = (farthest - dayStart + 100 * 1_440) / 1_440 - 100
                let date = CivilDate(daysSinceEpoch: number + 20_454)
                if let begun, begun < date {
                    // What was next a minute ago is now.
                    let next = clock.nextDayStart(after: wall - .seconds(60), dayStart: length)
                    if next != wall { Issue.record("\(zone) \(dayStart) \(minute): \(next), not \(wall)") }
                }
                let seen = clock.civilDate(at: wall, dayStart: length)
                if seen != date { Issue.record("\(zone) \(dayStart) \(minute): \(seen), not \(date)") }
                begun = date
            }
        }
    }

    @Test("dates and their numbers go both ways")
    func numbers() {
        for number in stride(from: -1_000_000, through: 1_000_000, by: 137) {
            #expect(CivilDate(daysSinceEpoch: number).daysSinceEpoch == number)
        }
        #expect(CivilDate(year: 2026, month: 1, day: 1).daysSinceEpoch == 20_454)
        #expect(CivilDate(year: 2024, month: 2, day: 29).daysSinceEpoch == 19_782)
        #expect(CivilDate(year: -1, month: 3, day: 1).daysSinceEpoch == -719_834)
    }

    @Test("A-5: a wall time with a fraction belongs to its second, before 1970 too")
    func fractions() {
        let clock = ManualClock()
        let (day, instant) = (Duration.seconds(86_400), Duration.nanoseconds(1))
        let rows: [(Duration, Int, Duration)] = [
            (.zero - instant, -1, .zero), (.zero, 0, day), (instant, 0, day),
            (.milliseconds(-1_500), -1, .zero),
            (.zero - day, -1, .zero), (.zero - day - instant, -2, .zero - day), (day - instant, 0, day),
            (day, 1, day + day),
        ]
        for (wall, number, next) in rows {
            #expect(
                clock.civilDate(at: wall, dayStart: .zero) == CivilDate(daysSinceEpoch: number),
                "\(wall)"
            )
            #expect(clock.nextDayStart(after: wall, dayStart: .zero) == next, "\(wall)")
        }
    }

    @Test("A-5: a time that no clock shows counts as the nearest time that has a date")
    func impossibleTimes() {
        let limits: [Duration] = [CivilDay.times.lowerBound, CivilDay.times.upperBound]
        let farthest = [Int64.min, .min + 1, .max].map { Duration.seconds($0) }
        var walls = limits.flatMap { [$0 - .nanoseconds(1), $0, $0 + .nanoseconds(1)] } + farthest
        walls += farthest.flatMap { [$0 * 18, $0 / 1_000, $0 / 1_000_000] }
        var numbers = SeededNumbers(seed: 5)
        for _ in 0..<1_000 {
            walls.append(
                .seconds(
                    Int64.random(in: .min ... .max, using: &numbers)
                        >> Int64.random(in: 0..<40, using: &numbers)
                )
            )
        }
        let summer = ManualZone(
            "Summer",
            offset: .seconds(-39_600),
            changes: [.init(at: .zero, to: .seconds(50_400))]
        )
        for clock in [ManualClock(), ManualClock(zone: summer)] {
            for wall in walls {
                let possible = min(max(wall, limits[0]), limits[1])
                for dayStart in [
                    .zero, .seconds(21_600), .seconds(86_400), .seconds(86_401), .zero - .nanoseconds(1),
                ] + farthest {
                    let date = clock.civilDate(at: wall, dayStart: dayStart)
                    let start = clock.start(of: date, dayStart: dayStart)
                    let next = clock.nextDayStart(after: wall, dayStart: dayStart)
                    if date != clock.civilDate(at: possible, dayStart: dayStart) || start > possible
                        || next <= possible
                    {
                        Issue.record("\(wall), \(dayStart): \(date), \(start) to \(next)")
                    }
                }
            }
        }
    }

    @Test("A-5: the beginning of a day is found from anywhere in it", arguments: TransitionZones.allCases)
    func beginnings(_ zone: TransitionZones) {
        let clock = ManualClock(zone: zone.zone)
        let calendar = DayCalendar(clock)
        for dayStart in [0, 150, 1_439] {
            let length = Duration.seconds(dayStart * 60)
            var start = calendar.nextDayStart(after: TransitionZones.origin, dayStart: length)
            for _ in 0..<14 {
                let next = calendar.nextDayStart(after: start, dayStart: length)
                for wall in [start, start + .seconds(1), next - .nanoseconds(1)] {
                    #expect(calendar.dayStart(at: wall, dayStart: length) == start)
                    let date = clock.civilDate(at: wall, dayStart: length)
                    #expect(clock.start(of: date, dayStart: length) == start)
                }
                start = next
            }
        }
    }
}

extension ManualZone {
    /// The local time of each minute since the origin of the zones, in minutes since that day's midnight.
    func localMinutes(_ minutes: Range<Int>) -> [Int] {
        func inMinutes(_ duration: Duration) -> Int { Int(duration.components.seconds / 60) }
        var offset = inMinutes(offset)
        var changes = changes.map {
            (at: inMinutes($0.wall - TransitionZones.origin), to: inMinutes($0.offset))
        }[...]
        return minutes.map { minute in
            while let change = changes.first, change.at <= minute {
                offset = change.to
                changes.removeFirst()
            }
            return minute + offset
        }
    }
}
