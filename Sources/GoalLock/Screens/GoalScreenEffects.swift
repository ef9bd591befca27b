public import LockScreens
public import PortcullisCore

/// Carries out the screens' effects on a service.
///
/// The methods whose names end in `Driver` make drivers. A driver runs on the actor that called the method,
/// such as the main actor or the actor of a server. The other methods make presenters on the main actor.
public struct GoalScreenEffects: Sendable {
    private let service: GoalLockService
    private let clock: any LockClock
    private let gate: GoalGate?

    private var strings: GoalStrings { service.configuration.strings }

    /// Makes the value that carries out the effects on a service.
    ///
    /// - Parameters:
    ///   - service: the lock.
    ///   - clock: the clock that times the moves of the row of icons.
    ///   - gate: the gate of the lock. When the settings screen switches the lock on, the gate's user becomes
    ///     the guardian. `nil`: the stored guardian stays.
    public init(service: GoalLockService, clock: any LockClock, gate: GoalGate? = nil) {
        self.service = service
        self.clock = clock
        self.gate = gate
    }

    /// Makes a driver of the introduction. Show the introduction while
    /// ``GoalLockService/needsIntroduction()`` is true.
    ///
    /// - Parameters:
    ///   - icons: the host's list of apps.
    ///   - movesByItself: whether the row of icons moves. Pass `false` if the person asked for less motion.
    ///   - openSettings: dismisses the introduction and opens the settings.
    public func introductionDriver(
        icons: [ScreenIcon],
        movesByItself: Bool = true,
        openSettings: @escaping () -> Void
    ) -> ScreenDriver<IntroductionScreen> {
        let screen = IntroductionScreen(icons: icons, movesByItself: movesByItself, strings: strings)
        return ScreenDriver(screen, clock: clock) { effect in
            switch effect {
            case .note:
                // An error is ignored, because it only causes the introduction to be shown once more.
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

    /// Makes a driver of the screen on which the person chooses from a catalogue.
    ///
    /// - Parameters:
    ///   - catalogue: the apps and categories that can be chosen.
    ///   - selection: the present selection.
    ///   - finish: closes the screen. It receives the new selection; `nil`: the person cancelled.
    public func pickerDriver(
        of catalogue: ShieldCatalogue,
        selection: ShieldSelection,
        finish: @escaping (ShieldSelection?) -> Void
    ) -> ScreenDriver<PickerScreen> {
        let screen = PickerScreen(catalogue: catalogue, selection: selection, strings: strings)
        return ScreenDriver(screen, clock: clock) { effect in
            switch effect {
            case .finish(let selection): finish(selection)
            }
            return nil
        }
    }

    /// The host's decision on whether the person may loosen the lock.
    public enum Permission: Sendable, Hashable {
        /// The person may loosen the lock.
        case granted
        /// The person may not loosen the lock, or has cancelled the check. The text gives the reason; `nil`:
        /// there is no text to show.
        case withheld(message: String?)
    }

    /// Makes a driver of the settings screen. While the screen is shown, it follows the changes of the lock.
    ///
    /// Two changes on this screen loosen the lock: the person switches the lock off, or removes an app or a
    /// category from the selection. The driver calls `mayLoosen` before each of these changes.
    ///
    /// - Parameters:
    ///   - isolation: the actor on which the driver runs.
    ///   - mayLoosen: decides whether the person may loosen the lock. For example, it asks for a passcode.
    ///   - pick: lets the person choose apps, with a ``PickerScreen`` if there is a catalogue, otherwise with
    ///     the system's picker. It returns `nil` if the person chose nothing.
    ///   - openPaywall: shows the paywall.
    ///   - finish: closes the screen.
    public func settingsDriver(
        isolation: isolated any Actor = #isolation,
        mayLoosen: @escaping () async -> Permission = { .granted },
        pick: @escaping (ShieldSelection, ShieldCatalogue?) async -> ShieldSelection?,
        openPaywall: @escaping () -> Void,
        finish: @escaping () -> Void
    ) -> ScreenDriver<GoalSettingsScreen> {
        let driver = ScreenDriver(GoalSettingsScreen(strings: strings), clock: clock) {
            effect -> GoalSettingsScreen.Event? in
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
                    let outcome = if let gate { try await gate.enable() } else { try await service.enable() }
                    return .enabled(outcome, generation: generation)
                } catch {
                    return failed(generation, error)
                }
            case .openPicker(let selection, let catalogue):
                return .picked(await pick(selection, catalogue))
            case .openPaywall: openPaywall()
            case .finish: finish()
            }
            return nil
        }
        driver.follow({ [service] in await service.statuses() }, as: { .changed($0) })
        return driver
    }

    /// Sets the selection. A selection that loosens the lock needs permission.
    private func select(
        _ selection: ShieldSelection,
        _ generation: UInt64,
        _ mayLoosen: () async -> Permission
    ) async -> GoalSettingsScreen.Event {
        let loosening: GoalLoosening
        do throws(GoalError) {
            loosening = GoalLoosening(
                of: GoalRequest(selection: selection),
                from: try await service.status()
            )
        } catch {
            return failed(generation, error)
        }
        let call = { [service] () async throws(GoalError) in try await service.select(selection) }
        return loosening.isEmpty ? await found(generation, call) : await loosen(generation, mayLoosen, call)
    }

    private func loosen(
        _ generation: UInt64,
        _ mayLoosen: () async -> Permission,
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
            let status = try await call()
            let catalogue = await service.catalogue()
            // The lock may have changed while the catalogue was read. If the status cannot be read again now,
            // the earlier status is shown.
            return .found((try? await service.status()) ?? status, catalogue, generation: generation)
        } catch {
            return failed(generation, error)
        }
    }

    private func failed(_ generation: UInt64, _ error: GoalError) -> GoalSettingsScreen.Event {
        .failed(message: strings.text(error), isRepeated: error.isRepeated, generation: generation)
    }
}
