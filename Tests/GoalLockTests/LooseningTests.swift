import GoalLock
import LockScreens
import PortcullisCore
import PortcullisTesting
import Testing

/// The ways out of the settings, which a host may guard.
@Suite("Loosening the lock in its settings (A-9)", .timeLimit(.minutes(5)))
@MainActor
struct LooseningTests {
    /// What a host answers, and how often it was asked.
    private final class Host {
        var answer = GoalScreenEffects.Permission.withheld(message: nil)
        var questions = 0
        var picked: ShieldSelection?
    }

    private let bench = ServiceBench()
    private let host = Host()

    private func settings() async throws -> ScreenPresenter<GoalSettingsScreen> {
        let presenter = GoalScreenEffects(service: try await bench.enabled(), clock: bench.clock).settings(
            mayLoosen: { [host] in
                host.questions += 1
                return host.answer
            },
            pick: { [host] _, _ in host.picked },
            openPaywall: {},
            finish: {}
        )
        presenter.handle(.appeared)
        try await settle(presenter)
        return presenter
    }

    private func settle(_ presenter: ScreenPresenter<GoalSettingsScreen>) async throws {
        try await BoundedWait.until { !presenter.content.isBusy }
    }

    /// Chooses, and waits for the question or for the shield that comes of it.
    private func pick(
        _ selection: ShieldSelection,
        in presenter: ScreenPresenter<GoalSettingsScreen>,
        questions: Int,
        shield: ShieldSelection?
    ) async throws {
        host.picked = selection
        presenter.handle(.selectApps)
        try await BoundedWait.until { host.questions >= questions && bench.shield.applied == shield }
        try await settle(presenter)
    }

    @Test("A-9: switching off needs permission; withheld, the lock stays on and shields stay up")
    func disable() async throws {
        let presenter = try await settings()
        presenter.handle(.toggle)
        try await settle(presenter)
        #expect(host.questions == 1 && presenter.content.isOn && presenter.content.message?.text == nil)
        #expect(bench.shield.applied == ServiceBench.selection)
        host.answer = .withheld(message: "unreadable")
        presenter.handle(.toggle)
        try await settle(presenter)
        #expect(presenter.content.isOn && presenter.content.message?.text == "unreadable")
        host.answer = .granted
        presenter.handle(.toggle)
        try await settle(presenter)
        #expect(!presenter.content.isOn && bench.shield.applied == nil)
        presenter.handle(.toggle)
        try await settle(presenter)
        #expect(presenter.content.isOn && host.questions == 3, "switching on needs none")
    }

    @Test("A-2: taking back what was chosen needs permission, choosing more does not")
    func select() async throws {
        let presenter = try await settings()
        var more = ServiceBench.selection
        more.apps.insert(AppToken("video"))
        try await pick(more, in: presenter, questions: 0, shield: more)
        #expect(host.questions == 0)
        var other = more
        other.apps = [AppToken("video"), AppToken("mail")]
        try await pick(other, in: presenter, questions: 1, shield: more)
        #expect(presenter.content.chosen.count == more.apps.count + more.categories.count)
        host.answer = .granted
        try await pick(other, in: presenter, questions: 2, shield: other)
        try await pick(ShieldSelection(), in: presenter, questions: 3, shield: nil)
        #expect(host.questions == 3)
    }
}
