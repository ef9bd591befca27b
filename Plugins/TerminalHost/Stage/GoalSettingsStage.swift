public import GoalLock
internal import LockScreens
public import PasscodeLock
public import PortcullisCore

/// The goal lock's screens on a terminal: the introduction on first use, the settings, the picker over the
/// settings, and the question for the passcode before the goal lock is loosened.
///
/// When the terminal's window loses the focus, the process is stopped or the machine sleeps, the question for
/// the passcode is closed, and the lock is not loosened. Otherwise another person could complete a passcode
/// that was typed in part.
@MainActor
public final class GoalSettingsStage {
    /// The greatest number of apps in the introduction. The row of apps moves, and a longer row could not
    /// move past completely while a person reads the introduction.
    private static let introduced = 40

    private let service: GoalLockService
    private let passcodes: @MainActor () async throws -> PasscodeService
    private let stage: ScreenStage
    private let effects: GoalScreenEffects
    /// The question for the passcode, while it is shown.
    private let question: Shown<ScreenPresenter<AskPasscodeScreen>>

    /// Creates the screens of a goal lock.
    ///
    /// - Parameters:
    ///   - service: the goal lock.
    ///   - title: the window's title while the screens are shown.
    ///   - clock: drives the moving parts of the screens.
    ///   - gate: the gate through which the settings switch the lock on; see ``/GoalLock/GoalScreenEffects``.
    ///   - passcodes: returns the passcode service of the guardian, the user whose passcode guards the goal
    ///     lock. The closure is called before and after each question for the passcode, because another
    ///     process may replace the guardian in the meantime.
    /// - Throws: ``TerminalHostError`` with `systemFailure` when the process has no descriptor left.
    public init(
        _ service: GoalLockService,
        title: String,
        clock: any LockClock,
        gate: GoalGate? = nil,
        passcodes: @escaping @MainActor () async throws -> PasscodeService
    ) throws(TerminalHostError) {
        self.service = service
        self.passcodes = passcodes
        let question = Shown<ScreenPresenter<AskPasscodeScreen>>()
        self.question = question
        stage = try ScreenStage(
            title: title,
            clock: clock,
            focusChanged: { if !$0 { question.presenter?.send(.activate(.cancel)) } },
            wasAway: { _ in question.presenter?.send(.activate(.cancel)) }
        )
        effects = GoalScreenEffects(service: service, clock: clock, gate: gate)
    }

    /// Shows the screens until the person is done.
    ///
    /// - Returns: how the stage ended.
    /// - Throws: ``TerminalHostError`` with `systemFailure` when the process has no descriptor left, or the
    ///   system has no thread left; with `runBefore` when this method was called before.
    public func run() async throws(TerminalHostError) -> ScreenStage.Ending {
        try await stage.run {
            // If the store cannot be read, the settings show the reason.
            let isNew = (try? await service.needsIntroduction()) ?? false
            if isNew { await introduce() } else { showSettings() }
        }
    }

    private func introduce() async {
        let apps = await service.catalogue()?.apps ?? []
        let icons = apps.prefix(Self.introduced).map {
            ScreenIcon(symbol: $0.token.rawValue, label: $0.label)
        }
        let shown = Shown<ScreenPresenter<IntroductionScreen>>()
        let presenter = effects.introduction(icons: icons) { [weak self] in
            self?.showSettings()
            shown.take().map { self?.stage.remove($0) }
        }
        shown.presenter = presenter
        presenter.handle(.appeared)
        stage.show(
            presenter,
            // The row of apps stops moving while no person looks.
            watched: { $0 ? .appeared : .disappeared }
        )
    }

    private func showSettings() {
        let presenter = effects.settings(
            mayLoosen: { [weak self] in await self?.mayLoosen() ?? .withheld(message: nil) },
            pick: { [weak self] in await self?.pick($0, from: $1) },
            openPaywall: {},
            finish: { [stage] in stage.close() }
        )
        // The event comes before the first drawing, so that the first drawing shows that the screen is
        // loading. In the other order, the person would first see a switch that does not react yet.
        presenter.handle(.appeared)
        stage.show(presenter)
    }

    private func pick(_ selection: ShieldSelection, from catalogue: ShieldCatalogue?) async
        -> ShieldSelection?
    {
        let (endings, ending) = AsyncStream<ShieldSelection?>.makeStream()
        let catalogue = catalogue ?? ShieldCatalogue(apps: [], categories: [])
        let presenter = effects.picker(of: catalogue, selection: selection) { ending.yield($0) }
        stage.show(presenter)
        defer { stage.remove(presenter) }
        for await chosen in endings { return chosen }
        return nil
    }

    /// Asks for the guardian's passcode if one is set. If another user is the guardian after the answer, that
    /// user's passcode is asked for, too. If the guardian or the passcode's status cannot be read, loosening
    /// is refused.
    private func mayLoosen() async -> GoalScreenEffects.Permission {
        var permitted: UserID?
        do {
            while true {
                let passcodes = try await passcodes()
                if passcodes.user == permitted { return .granted }
                let permission = try await ask(passcodes)
                guard case .granted = permission else { return permission }
                permitted = passcodes.user
            }
        } catch let error as PasscodeError {
            return .withheld(message: error.message)
        } catch let error as GoalError {
            return .withheld(message: error.message)
        } catch {
            return .withheld(message: "\(error)")
        }
    }

    /// Asks for the passcode of a user. If that user has set no passcode, loosening is permitted at once.
    private func ask(
        _ passcodes: PasscodeService
    ) async throws(PasscodeError) -> GoalScreenEffects.Permission {
        let status = try await passcodes.status()
        guard status.isSet else { return .granted }
        let (endings, ending) = AsyncStream<AskPasscodeScreen.Ending>.makeStream()
        let presenter = ScreenEffects(service: passcodes).askPasscode(
            status: status,
            to: { passcode throws(PasscodeError) in try await passcodes.verify(passcode) },
            finish: { ending.yield($0) }
        )
        question.presenter = presenter
        stage.show(presenter)
        defer {
            question.presenter = nil
            stage.remove(presenter)
        }
        for await ending in endings {
            switch ending {
            case .done: return .granted
            case .cancelled: return .withheld(message: nil)
            case .over:
                // The passcode was removed while the person was asked for it. This attempt to loosen the goal
                // lock is refused. The next attempt asks for no passcode.
                return .withheld(message: nil)
            }
        }
        return .withheld(message: nil)
    }
}

/// Holds a presenter for the effects of the presenter's screen. The effects are made before the presenter,
/// so they refer to this object.
@MainActor
private final class Shown<Presenter> {
    var presenter: Presenter?

    func take() -> Presenter? {
        defer { presenter = nil }
        return presenter
    }
}
