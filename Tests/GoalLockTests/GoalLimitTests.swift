import GoalLock
import LockScreens
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What a goal lock refuses, shows and tells, at its limits (A-5 … A-23)", .timeLimit(.minutes(5)))
struct GoalLimitTests {
    private let bench = ServiceBench()

    @Test("A-5: a configuration whose days start after 06:00 is refused, and so is one whose goal is none")
    func configuration() throws {
        func code(_ goal: Double, _ dayStart: TimeOfDay?) -> GoalError.Code? {
            do throws(GoalError) {
                _ = try GoalLockService(
                    backends: Backends(secrets: InMemorySecretStore(), clock: bench.clock),
                    configuration: GoalConfiguration(goal: goal, dayStart: dayStart, title: "Steps")
                )
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(100, TimeOfDay(hour: 6, minute: 0)) == nil)
        #expect(code(100, TimeOfDay(hour: 6, minute: 1)) == .invalidDayStart)
        #expect(code(0, nil) == .invalidGoal)
        #expect(code(100, nil) == nil)
    }

    @Test("A-21: the time at which shields reset has two digits for hours and two for minutes")
    func note() throws {
        for (hour, minute, text) in [(0, 9, "00:09"), (4, 10, "04:10"), (0, 11, "00:11"), (6, 0, "06:00")] {
            let start = try #require(TimeOfDay(hour: hour, minute: minute))
            #expect(GoalStrings.english.note(dayStart: start).hasSuffix("reset at \(text)."))
        }
    }

    @Test("A-10: a shield shows progress up to the goal, and no more than all of it")
    func fraction() {
        for (progress, fraction) in [(0.0, 0.0), (50, 0.5), (100, 1), (250, 1)] {
            #expect(ShieldContent(title: "Steps", progress: progress, goal: 100).fraction == fraction)
        }
    }

    @Test("A-20: a row of one icon stands still")
    func oneIcon() {
        var screen = IntroductionScreen(icons: [.init(symbol: "app", label: "App")])
        #expect(screen.handle(.appeared) == [.note])
        #expect(screen.handle(.tick(generation: 1)).isEmpty && screen.content.offset == 0)
    }

    @Test("A-20: only waiting for a tick keeps the introduction from being let go")
    func waits() {
        #expect(IntroductionScreen.isWait(.tick(after: .zero, generation: 1)))
        #expect(!IntroductionScreen.isWait(.note) && !IntroductionScreen.isWait(.openSettings))
    }

    @Test("A-21: settings that are read again by the switch are read anew when they come back into view")
    func loadsAgain() {
        var screen = GoalSettingsScreen()
        _ = screen.handle(.appeared)
        _ = screen.handle(.failed(message: "busy", generation: 1))
        #expect(screen.handle(.toggle) == [.load(generation: 2)])
        #expect(screen.handle(.appeared) == [.load(generation: 3)])
    }

    @Test("A-22: a purchase that is answered after the paywall was closed and opened anew is another one's")
    func lateAnswer() {
        var screen = PaywallScreen(cards: [])
        _ = screen.handle(.subscribe)
        _ = screen.handle(.close)
        #expect(screen.handle(.purchased(.bought, generation: 1)).isEmpty)
        #expect(screen.handle(.subscribe) == [.purchase(generation: 2)])
        #expect(screen.handle(.purchased(.bought, generation: 1)).isEmpty && screen.content.isBusy)
    }

    @Test("A-23: the picker counts apps and categories that are chosen")
    func chosen() {
        let selection = ShieldSelection(
            apps: [AppToken("a"), AppToken("b")],
            categories: [CategoryToken("c"), CategoryToken("d"), CategoryToken("e")]
        )
        let picker = PickerScreen(catalogue: ShieldCatalogue(apps: [], categories: []), selection: selection)
        #expect(picker.content.search?.summary == "5 chosen")
    }

    @Test("A-11: an error tells its cause, where it has one, and only a store is out of order for good")
    func errors() async throws {
        let cause = SecretStoreError(code: .diskFull, message: "no space is left")
        let error = GoalError(code: .store, message: "not saved", cause: cause)
        #expect(error.description == "store: not saved (\(cause))")
        #expect(GoalError(code: .invalidGoal, message: "none").description == "invalidGoal: none")
        let service = try await bench.enabled()
        bench.shield.setOutage(ShieldError(code: .systemFailure, message: "broken"))
        let event = ActivityEvent(
            activity: GoalNames.activity,
            kind: .intervalDidStart,
            scheduled: bench.clock.now.wall
        )
        await #expect(throws: GoalError.self) { try await service.handle(event) }
        #expect(bench.notifier.delivered.isEmpty, "a shield that fails is no damage")
    }

    @Test("A-11: damage that comes again after it was mended is told again")
    func damagedAgain() async throws {
        _ = try await bench.enabled()
        let good = try #require(try await bench.record()).encoded().text
        let monitor = try bench.service()
        let event = ActivityEvent(
            activity: GoalNames.activity,
            kind: .intervalDidStart,
            scheduled: bench.clock.now.wall
        )
        for told in 1...2 {
            for _ in 0..<2 {
                try await bench.overwriteRecord("nonsense")
                await #expect(throws: GoalError.self) { try await monitor.handle(event) }
                #expect(bench.notifier.delivered.count == told)
            }
            try await bench.overwriteRecord(good)
            try await monitor.handle(event)
        }
    }

    @Test("A-8: a person who has allowed it is not asked again")
    func askedOnce() async throws {
        let service = try await bench.enabled()
        try await service.disable()
        guard case .enabled = try await service.enable() else {
            Issue.record("not enabled")
            return
        }
        #expect(bench.shield.requests == 1)
    }

    @Test("A-5: what is off is stopped once; what is not monitored is not stopped at all")
    func stops() async throws {
        func stops() -> Int { bench.scheduler.calls.count { if case .stop = $0 { true } else { false } } }
        let service = try bench.service()
        try await service.select(ServiceBench.selection)
        try await service.refresh()
        #expect(stops() == 0)
        _ = try await service.enable()
        for _ in 0..<3 { try await service.disable() }
        #expect(stops() == 1)
    }
}
