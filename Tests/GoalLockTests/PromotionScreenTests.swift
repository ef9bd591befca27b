import GoalLock
import LockScreens
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Introduction and paywall of the goal lock (A-20, A-22)", .timeLimit(.minutes(5)))
struct PromotionScreenTests {
    private let icons = (1...3).map { ScreenIcon(symbol: "app.\($0)", label: "App \($0)") }

    @Test("A-20: the introduction's texts, symbol and icons")
    func introduction() {
        let content = IntroductionScreen(icons: icons).content
        #expect(content.symbol == "lock.app.dashed" && content.title == "Introducing App Lock")
        #expect(
            content.texts == [
                .paragraph(
                    "Take control of your screen time. Set daily limits for social apps and stay focused on what matters most."
                )
            ]
        )
        #expect(
            content.icons?.icons == icons && content.control(.getStarted)?.title == "Get Started"
                && content.offset == 0
        )
    }

    @Test("A-20: the row scrolls by itself, every 0.01 s, and goes round")
    func scrolls() {
        var screen = IntroductionScreen(icons: icons)
        let tick = IntroductionScreen.Effect.tick(after: .milliseconds(10), generation: 1)
        #expect(screen.handle(.appeared) == [.note, tick])
        for count in 1..<300 {
            #expect(screen.handle(.tick(generation: 1)) == [tick])
            #expect(screen.content.offset == Double(count) / 100)
        }
        _ = screen.handle(.tick(generation: 1))
        #expect(screen.content.offset == 0)
    }

    @Test("A-20: ticks of an earlier showing are ignored, so that the row never runs twice as fast")
    func lateTicks() {
        var screen = IntroductionScreen(icons: icons)
        _ = screen.handle(.appeared)
        #expect(screen.handle(.appeared).isEmpty)
        _ = screen.handle(.disappeared)
        #expect(screen.handle(.tick(generation: 1)).isEmpty)
        #expect(screen.handle(.appeared) == [.tick(after: .milliseconds(10), generation: 2)])
        #expect(screen.handle(.tick(generation: 1)).isEmpty)
        #expect(screen.content.offset == 0)
    }

    @Test("A-20: the row stands still for those who want less motion, and where there is nothing to scroll")
    func still() {
        var calm = IntroductionScreen(icons: icons, movesByItself: false)
        #expect(calm.handle(.appeared) == [.note])
        var empty = IntroductionScreen(icons: [])
        #expect(empty.handle(.appeared) == [.note])
        #expect(empty.handle(.getStarted) == [.openSettings])
    }

    @Test("A-20: Get Started dismisses and opens the settings, once")
    func getStarted() {
        var screen = IntroductionScreen(icons: icons)
        _ = screen.handle(.appeared)
        #expect(screen.handle(.getStarted) == [.openSettings])
        #expect(screen.handle(.getStarted).isEmpty)
        #expect(screen.handle(.tick(generation: 1)).isEmpty)
    }

    @Test("A-20: without icons there is no row, and nothing to move")
    func noIcons() {
        var screen = IntroductionScreen(icons: [])
        #expect(screen.handle(.appeared) == [.note])
        #expect(screen.handle(.tick(generation: 1)).isEmpty && screen.content.offset == 0)
    }

    @Test("A-20: it is shown once on a device, also after the lock was released")
    @MainActor
    func once() async throws {
        let bench = ServiceBench()
        let service = try bench.service()
        #expect(try await service.needsIntroduction())
        let presenter = GoalScreenEffects(service: service, clock: bench.clock)
            .introduction(icons: icons, openSettings: {})
        presenter.handle(.appeared)
        try await BoundedWait.until { try await !service.needsIntroduction() }
        try await service.release()
        #expect(try await !bench.service().needsIntroduction())
    }

    @Test("A-20: the row moves by the clock")
    @MainActor
    func moves() async throws {
        let bench = ServiceBench()
        let presenter = GoalScreenEffects(service: try bench.service(), clock: bench.clock)
            .introduction(icons: icons, openSettings: {})
        presenter.handle(.appeared)
        for count in 1...5 {
            await bench.clock.waitForSleepers(1)
            await bench.clock.advance(by: .milliseconds(10))
            try await BoundedWait.until { presenter.content.offset >= Double(count) / 100 }
        }
        presenter.dismiss()
        #expect(presenter.content.offset == 0.05)
    }

    @Test("A-20, A-23: Get Started opens the settings, and the picker hands its choice over")
    @MainActor
    func introductionAndPicker() async throws {
        let bench = ServiceBench()
        let service = try bench.service()
        let effects = GoalScreenEffects(service: service, clock: bench.clock)
        var isOpen = false
        let introduction = effects.introduction(icons: []) { isOpen = true }
        introduction.handle(.appeared)
        introduction.handle(.getStarted)
        try await BoundedWait.until { isOpen }
        let catalogue = ShieldCatalogue(
            apps: [.init(token: AppToken("chat"), label: "Chat")],
            categories: []
        )
        var choice: ShieldSelection?
        let picker = effects.picker(of: catalogue, selection: ShieldSelection()) { choice = $0 }
        picker.handle(.toggleApp(AppToken("chat")))
        picker.handle(.done)
        try await BoundedWait.until { choice == ShieldSelection(apps: [AppToken("chat")]) }
        let known = try #require(await bench.shield.catalogue())
        #expect(await service.catalogue() == known)
    }

    @Test("A-21: the settings switch the lock on and off, and show what another process changed")
    @MainActor
    func settings() async throws {
        let bench = ServiceBench()
        let service = try bench.service()
        try await service.launch()
        var paywalls = 0
        var isClosed = false
        let presenter = GoalScreenEffects(service: service, clock: bench.clock).settings(
            pick: { _, _ in ServiceBench.selection },
            openPaywall: { paywalls += 1 },
            finish: { isClosed = true }
        )
        presenter.handle(.appeared)
        try await BoundedWait.until { !presenter.content.isBusy }
        bench.entitlement.set(false)
        presenter.handle(.toggle)
        try await BoundedWait.until { paywalls > 0 }
        bench.entitlement.set(true)
        presenter.handle(.toggle)
        try await BoundedWait.until { presenter.content.isOn && !presenter.content.isBusy }
        presenter.handle(.selectApps)
        try await BoundedWait.until { presenter.content.chosen.count >= 2 }
        try await BoundedWait.until { !presenter.content.isBusy }
        #expect(bench.shield.applied == ServiceBench.selection)
        try await bench.service().disable()
        try await BoundedWait.until { !presenter.content.isOn }
        presenter.handle(.done)
        try await BoundedWait.until { isClosed }
    }

    @Test("A-22: eight cards, App Lock among them, go round in a carousel")
    func carousel() {
        let host = (1...7).map { ScreenCard(symbol: "star", title: "Feature \($0)", text: "Text") }
        var screen = PaywallScreen(cards: host)
        #expect(screen.content.cards?.cards.count == 8 && screen.content.cards?.front == .appLock())
        #expect(screen.content.cards?.accessibilityValue == "Card 1 of 8")
        _ = screen.handle(.show(screen.content.cards?.index(turnedBy: -1) ?? 0))
        #expect(screen.content.cards?.index == 7 && screen.content.cards?.accessibilityValue == "Card 8 of 8")
        _ = screen.handle(.show(screen.content.cards?.index(turnedBy: 1) ?? 8))
        _ = screen.handle(.show(3))
        _ = screen.handle(.show(8))
        #expect(screen.content.cards?.index == 3)
    }

    @Test("A-22: a host that puts the App Lock card elsewhere has one of it")
    func ownCard() {
        let cards = [ScreenCard(symbol: "star", title: "Other", text: ""), .appLock()]
        #expect(PaywallScreen(cards: cards).content.cards?.cards == cards)
        #expect(PaywallScreen(cards: []).content.cards?.cards == [.appLock()])
    }

    @Test("A-22: buying is busy until it ends; a late answer is ignored")
    func purchase() {
        var screen = PaywallScreen(cards: [])
        #expect(screen.handle(.subscribe) == [.purchase(generation: 1)])
        #expect(screen.content.isBusy && screen.handle(.subscribe).isEmpty)
        _ = screen.handle(.purchased(.failed(message: "no network"), generation: 1))
        #expect(screen.content.message?.text == "no network" && !screen.content.isBusy)
        #expect(screen.handle(.subscribe) == [.purchase(generation: 2)])
        #expect(screen.content.message?.text == nil)
        #expect(screen.handle(.purchased(.bought, generation: 1)).isEmpty)
        #expect(screen.handle(.purchased(.bought, generation: 2)) == [.finish(isBought: true)])
        _ = screen.handle(.subscribe)
        _ = screen.handle(.purchased(.cancelled, generation: 3))
        #expect(!screen.content.isBusy && screen.content.message?.text == nil)
        _ = screen.handle(.subscribe)
        #expect(screen.handle(.close) == [.finish(isBought: false)])
        #expect(!screen.content.isBusy)
        #expect(screen.handle(.purchased(.bought, generation: 4)).isEmpty)
    }
}
