public import LockScreens
public import PortcullisCore

/// Carries out what the screens want done, on a service.
@MainActor
public struct GoalScreenEffects {
    private let service: GoalLockService
    private let clock: any LockClock

    private var strings: GoalStrings { service.configuration.strings }

    /// Effects on a service.
    ///
    /// - Parameters:
    ///   - service: the lock.
    ///   - clock: moves the row of icons on.
    public init(service: GoalLockService, clock: any LockClock) {
        self.service = service
        self.clock = clock
    }

    /// The introduction; show it while ``GoalLockService/needsIntroduction()`` says so.
    ///
    /// - Parameters:
    ///   - icons: the host's list of apps.
    ///   - movesByItself: `false` where the person asked for less motion.
    ///   - openSettings: dismisses the introduction and opens the settings.
    public func introduction(
        icons: [ScreenIcon],
        movesByItself: Bool = true,
        openSettings: @escaping @MainActor () -> Void
    ) -> ScreenPresenter<IntroductionScreen> {
        let screen = IntroductionScreen(icons: icons, movesByItself: movesByItself, strings: strings)
        return ScreenPresenter(screen, clock: clock) { effect in
            switch effect {
            case .note:
                // Without the note it is shown once more, and nothing is lost.
                try? await service.noteIntroduced()
            case .tick(let after, let generation):
                let due = ClockDeadline.sinceBoot(clock.now.sinceBoot + after)
                do { try await clock.sleep(until: due) } catch { return nil }
                return .tick(generation: generation)
            case .openSettings:
                openSettings()
            }
            return nil
        }
    }

    /// A choice of apps and categories from a catalogue.
    ///
    /// - Parameters:
    ///   - catalogue: what can be chosen.
    ///   - selection: what is chosen.
    ///   - finish: closes the screen; `nil`: the person changed nothing.
    public func picker(
        of catalogue: ShieldCatalogue,
        selection: ShieldSelection,
        finish: @escaping @MainActor (ShieldSelection?) -> Void
    ) -> ScreenPresenter<PickerScreen> {
        let screen = PickerScreen(catalogue: catalogue, selection: selection, strings: strings)
        return ScreenPresenter(screen, clock: clock) { effect in
            switch effect {
            case .finish(let selection): finish(selection)
            }
            return nil
        }
    }

    /// Whether a person may loosen the lock, as the host found out.
    public enum Permission: Sendable, Hashable {
        /// The person may.
        case granted
        /// The person may not, or thought better of it; the text says why, where there is something to say.
        case withheld(message: String?)
    }

    /// The settings, which follow the lock while they are shown.
    ///
    /// Switching the lock off, and taking back what was chosen, are ways out: before both `mayLoosen` is asked.
    ///
    /// - Parameters:
    ///   - mayLoosen: asks for a passcode, for example.
    ///   - pick: lets the person choose, with a ``PickerScreen`` where there is a catalogue and else with the
    ///     system's picker; `nil`: nothing was chosen.
    ///   - openPaywall: shows the paywall.
    ///   - finish: closes the screen.
    public func settings(
        mayLoosen: @escaping @MainActor () async -> Permission = { .granted },
        pick: @escaping @MainActor (ShieldSelection, ShieldCatalogue?) async -> ShieldSelection?,
        openPaywall: @escaping @MainActor () -> Void,
        finish: @escaping @MainActor () -> Void
    ) -> ScreenPresenter<GoalSettingsScreen> {
        let presenter = ScreenPresenter(GoalSettingsScreen(strings: strings), clock: clock) { effect in
            switch effect {
            case .load(let generation):
                return await found(generation) { () async throws(GoalError) in try await service.refresh() }
            case .disable(let generation):
                return await loosen(generation, mayLoosen) { () async throws(GoalError) in
                    try await service.disable()
                }
            case .select(let selection, let generation):
                return await select(selection, generation, mayLoosen)
            case .enable(let generation):
                do throws(GoalError) {
                    return .enabled(try await service.enable(), generation: generation)
                } catch {
                    return .failed(message: strings.text(error), generation: generation)
                }
            case .openPicker(let selection, let catalogue):
                return .picked(await pick(selection, catalogue))
            case .openPaywall: openPaywall()
            case .finish: finish()
            }
            return nil
        }
        presenter.follow({ [service] in await service.statuses() }, as: { .changed($0) })
        return presenter
    }

    /// Takes a choice; one that gives something up is taken only with permission.
    private func select(
        _ selection: ShieldSelection,
        _ generation: UInt64,
        _ mayLoosen: @MainActor () async -> Permission
    ) async -> GoalSettingsScreen.Event {
        let loosening: GoalLoosening
        do throws(GoalError) {
            loosening = GoalLoosening(
                of: GoalRequest(selection: selection),
                from: try await service.status()
            )
        } catch {
            return .failed(message: strings.text(error), generation: generation)
        }
        let call = { [service] () async throws(GoalError) in try await service.select(selection) }
        return loosening.isEmpty ? await found(generation, call) : await loosen(generation, mayLoosen, call)
    }

    private func loosen(
        _ generation: UInt64,
        _ mayLoosen: @MainActor () async -> Permission,
        _ call: () async throws(GoalError) -> GoalStatus
    ) async -> GoalSettingsScreen.Event {
        switch await mayLoosen() {
        case .granted: await found(generation, call)
        case .withheld(let message?): .failed(message: message, generation: generation)
        case .withheld(nil):
            await found(generation) { () async throws(GoalError) in try await service.status() }
        }
    }

    private func found(
        _ generation: UInt64,
        _ call: () async throws(GoalError) -> GoalStatus
    ) async -> GoalSettingsScreen.Event {
        do throws(GoalError) {
            return .found(try await call(), await service.catalogue(), generation: generation)
        } catch {
            return .failed(message: strings.text(error), generation: generation)
        }
    }
}
