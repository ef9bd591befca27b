public import LockScreens
public import PortcullisCore

/// Carries out what the screens want done, on a service; its methods make presenters.
@MainActor
public struct ScreenEffects {
    let service: PasscodeService
    let clock: any LockClock
    let strings: PasscodeStrings

    /// Effects on a service.
    public init(service: PasscodeService, strings: PasscodeStrings = .english) {
        self.service = service
        self.clock = service.clock
        self.strings = strings
    }

    /// The screen that sets the first passcode, or changes it.
    ///
    /// - Parameters:
    ///   - mode: what it is for.
    ///   - status: what is known of the passcode.
    ///   - finish: called once, when the screen closes.
    public func setPasscode(
        _ mode: SetPasscodeScreen.Mode,
        status: PasscodeStatus,
        finish: @escaping @MainActor (SetPasscodeScreen.Ending) -> Void
    ) -> ScreenPresenter<SetPasscodeScreen> {
        let screen = SetPasscodeScreen(
            mode: mode,
            format: service.configuration.format,
            currentFormat: status.format,
            weakPasscodes: service.configuration.weakPasscodes,
            strings: strings
        )
        let presenter = ScreenPresenter(screen, clock: clock) { effect in
            await perform(effect, finish: finish)
        }
        if mode == .change { presenter.handle(.appeared(retryAfter: status.retryAfter)) }
        return presenter
    }

    /// The offer to set a passcode on first login; that it was made is noted before it closes.
    ///
    /// - Parameter finish: called once, when the person has set a passcode or skipped it.
    public func firstSetUp(
        finish: @escaping @MainActor (FirstSetUpScreen.Ending) -> Void
    ) -> ScreenPresenter<FirstSetUpScreen> {
        let screen = FirstSetUpScreen(
            format: service.configuration.format,
            weakPasscodes: service.configuration.weakPasscodes,
            strings: strings
        )
        return ScreenPresenter(screen, clock: clock) { effect in
            switch effect {
            case .inner(let inner):
                return await perform(inner, finish: { _ in })
            case .finish(let ending):
                do throws(PasscodeError) {
                    try await service.noteAsked()
                } catch {
                    // A passcode that was set is set all the same, and the screen ends. After "skip" it
                    // stays, to try again.
                    if case .skipped = ending { return .failed(message: strings.text(error)) }
                }
                finish(ending)
                return nil
            }
        }
    }

    /// Asks for the passcode and does something with it.
    ///
    /// - Parameters:
    ///   - status: what is known of the passcode.
    ///   - purpose: what it is asked for; the screen says so.
    ///   - action: what to do, such as ``PasscodeService/remove(_:)``.
    ///   - finish: called once, when the screen closes.
    public func askPasscode(
        status: PasscodeStatus,
        for purpose: AskPasscodeScreen.Purpose = .confirm,
        to action: @escaping @MainActor (SecretBytes) async throws(PasscodeError) -> PasscodeAnswer,
        finish: @escaping @MainActor (AskPasscodeScreen.Ending) -> Void
    ) -> ScreenPresenter<AskPasscodeScreen> {
        let screen = AskPasscodeScreen(format: status.format, purpose: purpose, strings: strings)
        let presenter = ScreenPresenter(screen, clock: clock) { effect in
            switch effect {
            case .submit(let passcode):
                do throws(PasscodeError) {
                    return .answered(try await action(passcode))
                } catch {
                    return .failed(message: strings.text(error))
                }
            case .tick(let after):
                return await wait(after) ? .tick : nil
            case .finish(let ending):
                finish(ending)
                return nil
            }
        }
        presenter.handle(.appeared(retryAfter: status.retryAfter))
        return presenter
    }

    /// The screen that sets a new passcode with a code from a mail, once that was requested.
    ///
    /// - Parameters:
    ///   - request: what the code was sent for.
    ///   - finish: called once, when the screen closes.
    public func resetPasscode(
        of request: AccountCodeRequest,
        finish: @escaping @MainActor (ResetPasscodeScreen.Ending) async -> Void
    ) -> ScreenPresenter<ResetPasscodeScreen> {
        let screen = ResetPasscodeScreen(
            request: request,
            format: service.configuration.format,
            weakPasscodes: service.configuration.weakPasscodes,
            strings: strings
        )
        return ScreenPresenter(screen, clock: clock) { effect in
            await perform(effect, finish: finish)
        }
    }

    func perform(
        _ effect: ResetPasscodeScreen.Effect,
        finish: @MainActor (ResetPasscodeScreen.Ending) async -> Void
    ) async -> ResetPasscodeScreen.Event? {
        do throws(PasscodeError) {
            switch effect {
            case .resend:
                return .resent(try await service.requestReset())
            case .reset(let code, let request, let new):
                return switch try await service.reset(code: code, of: request, to: new) {
                case .reset(let proof): .accepted(proof)
                case .refused: .codeRefused(message: strings.codeRefused)
                case .expired: .codeRefused(message: strings.codeExpired)
                case .usedUp: .codeRefused(message: strings.codeUsedUp)
                }
            case .tick(let after):
                return await wait(after) ? .tick : nil
            case .finish(let ending):
                await finish(ending)
                return nil
            }
        } catch {
            return .failed(message: strings.text(error))
        }
    }

    /// The security settings, with what the account tells.
    ///
    /// - Parameter open: shows the screen that an effect asks for, and returns when that has closed; called for the
    ///   effects that open one and for ``SecuritySettingsScreen/Effect/finish``.
    public func securitySettings(
        open: @escaping @MainActor (SecuritySettingsScreen.Effect) async -> Void
    ) -> ScreenPresenter<SecuritySettingsScreen> {
        let screen = SecuritySettingsScreen(hasAccount: service.hasAccount, strings: strings)
        let presenter = ScreenPresenter(screen, clock: clock) { effect in
            do throws(PasscodeError) {
                switch effect {
                case .setTimeout(let timeout): try await service.setTimeout(timeout)
                case .disableBiometrics: try await service.disableBiometrics()
                case .look: break
                case .synchronise:
                    guard let report = try await service.synchronise() else { return nil }
                    return .heard(report, try await service.status(), try await service.biometrics())
                case .requestReset:
                    await open(.openReset(try await service.requestReset()))
                case .finish:
                    await open(effect)
                    return nil
                case .openCreate, .openRemove, .openChange, .openReset, .openEnableBiometrics:
                    await open(effect)
                }
                return .found(try await service.status(), try await service.biometrics())
            } catch {
                let message = strings.text(error)
                return effect == .synchronise ? .notHeard(message: message) : .failed(message: message)
            }
        }
        presenter.handle(.appeared)
        return presenter
    }

    private func perform(
        _ effect: SetPasscodeScreen.Effect,
        finish: @MainActor (SetPasscodeScreen.Ending) -> Void
    ) async -> SetPasscodeScreen.Event? {
        do throws(PasscodeError) {
            switch effect {
            case .verify(let passcode): return .answered(try await service.verify(passcode))
            case .set(let passcode): return .saved(.right(try await service.set(passcode)))
            case .change(let current, let new):
                return .saved(try await service.change(from: current, to: new))
            case .tick(let after): return await wait(after) ? .tick : nil
            case .finish(let ending):
                finish(ending)
                return nil
            }
        } catch {
            return .failed(message: strings.text(error))
        }
    }

    /// - Returns: `false` when the screen was dismissed meanwhile.
    func wait(_ duration: Duration) async -> Bool {
        do {
            try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + duration))
            return true
        } catch {
            return false
        }
    }
}
