import GoalLock
import LockScreens
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Settings of the goal lock over a service (A-11, A-21)", .timeLimit(.minutes(5)))
@MainActor
struct GoalSettingsDriverTests {
    private let bench = ServiceBench()

    private func settings(_ service: GoalLockService) -> ScreenPresenter<GoalSettingsScreen> {
        GoalScreenEffects(service: service, clock: bench.clock)
            .settings(pick: { _, _ in nil }, openPaywall: {}, finish: {})
    }

    @Test("A-11: that apps could not be blocked or opened is told until the shield follows")
    func shieldFailed() async throws {
        let service = try await bench.enabled()
        let settings = settings(service)
        bench.shield.setOutage(ShieldError(code: .systemFailure, message: "broken"))
        settings.handle(.appeared)
        let text = GoalStrings.english.shieldFailed
        try await BoundedWait.until("the failure") {
            settings.content.isOn && settings.content.message?.text == text
        }
        // The state changes, and the shield does not.
        _ = try? await service.disable()
        try await BoundedWait.until("the new status") { !settings.content.isOn }
        #expect(settings.content.message?.text == text)
        bench.shield.setOutage(nil)
        try await service.refresh()
        try await BoundedWait.until("the end of the failure") { settings.content.message == nil }
        #expect(!settings.content.isOn && !bench.shield.isUp)
    }

    @Test("A-21: a change that comes while the apps are listed stays on the screen")
    func slowCatalogue() async throws {
        let shield = SlowCatalogue(base: bench.shield)
        let service = try await bench.enabled(shield: shield)
        try await service.launch()
        let settings = settings(service)
        shield.gate.close()
        settings.handle(.appeared)
        await shield.gate.waitForHeld(1)
        try await BoundedWait.until("the first status") { settings.content.isOn }
        try await bench.service().disable()
        try await BoundedWait.until("the change") { !settings.content.isOn }
        shield.gate.open()
        try await BoundedWait.until("the answer") { !settings.content.isBusy }
        #expect(!settings.content.isOn)
    }
}

/// A shield that lists its apps once a gate is open.
private struct SlowCatalogue: ForwardingShield {
    let base: any ShieldController
    let gate = Gate()

    func catalogue() async -> ShieldCatalogue? {
        _ = await gate.pass()
        return await base.catalogue()
    }
}
