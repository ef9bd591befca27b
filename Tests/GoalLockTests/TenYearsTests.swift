import GoalLock
import PortcullisCore
import Testing

@Suite("Ten years of random days (A-3, A-6)", .timeLimit(.minutes(10)))
struct TenYearsTests {
    /// What the rules should do, with plain sets and no thought of clocks.
    private struct Model {
        var date: CivilDate?
        var isEnabled = false
        var isChosen = false
        var goal = 100.0
        var progress = 0.0
        var granted: Set<CivilDate> = []
        var notified: Set<CivilDate> = []

        /// - Returns: whether shields are up, and whether the person is told.
        mutating func take(
            _ event: GoalRules.Event,
            on today: CivilDate,
            in circumstances: GoalRules.Circumstances
        ) -> (isUp: Bool, tells: Bool) {
            if date != today { progress = 0 }
            date = today
            switch event {
            case .progress(let value, _): progress = value
            case .goal(let value): goal = value
            case .selection(let selection): isChosen = !selection.isEmpty
            case .enable: isEnabled = true
            case .disable:
                isEnabled = false
                granted.remove(today)
            case .look, .dayStart, .unreadableProgress: break
            }
            let isInForce = isEnabled && isChosen && circumstances == .init()
            var tells = false
            if isEnabled, progress >= goal, granted.insert(today).inserted, isInForce {
                tells = notified.insert(today).inserted
            }
            return (isInForce && !granted.contains(today), tells)
        }
    }

    private func event(_ world: inout TenYears) -> GoalRules.Event {
        switch world.number(0...99) {
        case 0...69: return .progress(Double(world.number(0...130)), of: nil)
        case 70...79: return .look
        case 80...84: return .goal(Double(world.number(40...120)))
        case 85...91: return .enable(title: "Steps")
        case 92...93: return .disable
        case 94...97: return .selection(world.chance(90) ? RulesBench.selection : ShieldSelection())
        default: return .dayStart(TimeOfDay(hour: world.number(0...5), minute: 30) ?? .midnight)
        }
    }

    @Test(
        "A-6: never two notifications for one date, never a date that cannot be earned, never a wrong date",
        arguments: 1...3 as ClosedRange<UInt64>
    )
    func model(seed: UInt64) throws {
        var world = TenYears(seed: seed)
        var model = Model()
        var told: Set<CivilDate> = []
        var events = 0
        while !world.isOver {
            world.live(tampers: true)
            world.set(
                .init(
                    isEntitled: !world.chance(3),
                    authorization: world.chance(3) ? .notDetermined : .approved
                )
            )
            let event = event(&world)
            // That days start at another time never takes the date back.
            if case .dayStart = event { world.take(.look) }
            let last = world.bench.today
            let before = world.bench.notified.count
            world.take(event)
            let today = try #require(world.bench.today)
            try #require(world.dates(after: last).contains(today), "\(event) at \(world.bench.now)")
            if case .dayStart = event, let last { try #require(today >= last) }

            let expected = model.take(event, on: today, in: world.bench.circumstances)
            try #require(world.bench.isUp == expected.isUp, "\(event) on \(today)")
            let news = world.bench.notified.dropFirst(before)
            try #require(Array(news) == (expected.tells ? [today] : []), "\(event) on \(today)")
            for date in news { try #require(told.insert(date).inserted, "\(date) twice") }
            if case .progress(let progress, _) = event, progress >= world.bench.record.goal, model.isEnabled {
                try #require(!world.bench.isUp, "\(today) was earned")
            }
            events += 1
        }
        #expect(events > 20_000 && told.count > 1_000, "\(events) events, \(told.count) dates")
        #expect(try GoalRecord(decoding: world.bench.record.encoded()) == world.bench.record)
    }

    @Test(
        "A-6: who moves an unsynchronised clock has what who leaves it alone has",
        arguments: 11...13 as ClosedRange<UInt64>
    )
    func tampering(seed: UInt64) throws {
        var honest = RulesBench.enabled()
        var world = TenYears(seed: seed)
        world.take(.selection(RulesBench.selection))
        world.take(.enable(title: "Steps"))
        honest.record = world.bench.record
        var moved = 0
        while !world.isOver {
            world.live(tampers: true)
            honest.now = world.bench.now
            honest.now.wall = world.truth + world.error
            honest.isSynchronised = world.bench.isSynchronised
            honest.zone = world.bench.zone
            if world.tampering != .zero { moved += 1 }
            let event = event(&world)
            world.take(event)
            honest.take(event)
            try #require(world.bench.effects == honest.effects, "\(event) at \(world.bench.now)")
            try #require(world.bench.today == honest.today)
        }
        #expect(world.bench.notified == honest.notified && moved > 1_000, "\(moved)")
    }

    @Test(
        "A-6: moved by what is believed or more, an unsynchronised clock does not return to a day within a boot",
        arguments: 21...23 as ClosedRange<UInt64>
    )
    func neverBack(seed: UInt64) throws {
        var world = TenYears(seed: seed, years: 5)
        world.take(.selection(RulesBench.selection))
        world.take(.enable(title: "Steps"))
        var compared = 0
        while !world.isOver {
            world.live(tampers: true, creeps: true)
            let known = world.bench.today
            world.take(event(&world))
            try #require(world.returned == nil, "came back at \(world.bench.now)")
            guard !world.bench.isSynchronised else { continue }
            // Nor does it bring a day before its time, but for the ten minutes that are believed.
            let today = try #require(world.bench.today)
            let latest = try #require(world.dates(after: known).max())
            try #require(today <= latest, "\(today) came too early at \(world.bench.now)")
            compared += 1
        }
        #expect(compared > 1_500, "\(compared)")
    }
}
