public import LockScreens
public import PortcullisCore

/// Carries out the effects of the screens with a service.
///
/// A method whose name ends in `Driver` makes a driver on the calling actor, such as the main actor or the
/// actor of a server or a terminal. The other methods make presenters on the main actor.
public struct ScreenEffects: Sendable {
    let service: PasscodeService
    let clock: any LockClock
    let strings: PasscodeStrings

    /// Makes the value that carries out the effects with a service.
    public init(service: PasscodeService, strings: PasscodeStrings = .english) {
        self.service = service
        self.clock = service.clock
        self.strings = strings
    }

    /// Makes a driver of the screen that sets the first passcode or changes it.
    ///
    /// - Parameters:
    ///   - mode: whether the screen sets the first passcode or changes it.
    ///   - status: the status of the passcode.
    ///   - isolation: the actor on which the driver runs.
    ///   - finish: called once, when the screen closes.
    public func setPasscodeDriver(
        _ mode: SetPasscodeScreen.Mode,
        status: PasscodeStatus,
        isolation: isolated any Actor = #isolation,
        finish: @escaping (SetPasscodeScreen.Ending) async -> Void
    ) -> ScreenDriver<SetPasscodeScreen> {
        let screen = SetPasscodeScreen(
            mode: mode,
            format: service.configuration.format,
            currentFormat: status.format,
            weakPasscodes: service.configuration.weakPasscodes,
            strings: strings
        )
        let driver = ScreenDriver(screen, clock: clock) { effect in
            await perform(effect, finish: finish)
        }
        if mode == .change { driver.handle(.appeared(retryAfter: status.retryAfter)) }
        return driver
    }

    /// Makes a driver of the screen that offers to set a passcode at the first login. Before the screen
    /// closes, the service stores that the offer was made.
    ///
    /// - Parameters:
    ///   - closesUnnoted: the behaviour after a skip if the store fails. If `true`, the screen closes, and
    ///     the offer is made again later. If `false`, the screen stays and shows the error. After a passcode
    ///     was set, the screen always closes.
    ///   - finish: called once, when the person has set a passcode or skipped the offer.
    public func firstSetUpDriver(
        closesUnnoted: Bool = false,
        finish: @escaping (FirstSetUpScreen.Ending) async -> Void
    ) -> ScreenDriver<FirstSetUpScreen> {
        let screen = FirstSetUpScreen(
            format: service.configuration.format,
            weakPasscodes: service.configuration.weakPasscodes,
            strings: strings
        )
        return ScreenDriver(screen, clock: clock) { effect in
            switch effect {
            case .inner(let inner):
                return await perform(inner, finish: { _ in })
            case .finish(let ending):
                do throws(PasscodeError) {
                    try await service.noteAsked()
                } catch {
                    if case .skipped = ending, !closesUnnoted { return .failed(message: strings.text(error)) }
                }
                await finish(ending)
                return nil
            }
        }
    }

    /// Makes a driver of the screen that asks for the passcode and does an act with it.
    ///
    /// - Parameters:
    ///   - status: the status of the passcode.
    ///   - purpose: the act that needs the passcode. The screen's prompt depends on the act.
    ///   - isolation: the actor on which the driver runs.
    ///   - action: does the act with the passcode, such as ``PasscodeService/remove(_:)``.
    ///   - finish: called once, when the screen closes.
    public func askPasscodeDriver(
        status: PasscodeStatus,
        for purpose: AskPasscodeScreen.Purpose = .confirm,
        isolation: isolated any Actor = #isolation,
        to action: @escaping (SecretBytes) async throws(PasscodeError) -> PasscodeAnswer,
        finish: @escaping (AskPasscodeScreen.Ending) async -> Void
    ) -> ScreenDriver<AskPasscodeScreen> {
        let screen = AskPasscodeScreen(format: status.format, purpose: purpose, strings: strings)
        let driver = ScreenDriver(screen, clock: clock) { effect in
            switch effect {
            case .submit(let passcode):
                do throws(PasscodeError) {
                    let answer = try await action(passcode)
                    if service.leavesActionDue(after: answer) { return .failed(message: strings.limitDue) }
                    return .answered(answer)
                } catch {
                    return .failed(message: strings.text(error))
                }
            case .tick(let after):
                return await wait(after) ? .tick : nil
            case .finish(let ending):
                await finish(ending)
                return nil
            }
        }
        driver.handle(.appeared(retryAfter: status.retryAfter))
        return driver
    }

    /// Makes a driver of the screen that sets a new passcode with a code from a mail. The caller has already
    /// requested the code.
    ///
    /// - Parameters:
    ///   - request: the request for which the code was sent.
    ///   - resetting: called before each new passcode is sent with the code.
    ///   - finish: called once, when the screen closes.
    public func resetPasscodeDriver(
        of request: AccountCodeRequest,
        resetting: @escaping () -> Void = {},
        finish: @escaping (ResetPasscodeScreen.Ending) async -> Void
    ) -> ScreenDriver<ResetPasscodeScreen> {
        let screen = ResetPasscodeScreen(
            request: request,
            format: service.configuration.format,
            weakPasscodes: service.configuration.weakPasscodes,
            strings: strings
        )
        return ScreenDriver(screen, clock: clock) { effect in
            if case .reset = effect { resetting() }
            return await perform(effect, finish: finish)
        }
    }

    /// Makes a driver of the screen that sets a new passcode with the recovery passphrase.
    ///
    /// - Parameters:
    ///   - recovering: called before each attempt with a passphrase.
    ///   - finish: called once, when the screen closes.
    public func recoverPasscodeDriver(
        recovering: @escaping () -> Void = {},
        finish: @escaping (RecoverPasscodeScreen.Ending) async -> Void
    ) -> ScreenDriver<RecoverPasscodeScreen> {
        let screen = RecoverPasscodeScreen(
            format: service.configuration.format,
            weakPasscodes: service.configuration.weakPasscodes,
            strings: strings
        )
        return ScreenDriver(screen, clock: clock) { effect in
            switch effect {
            case .recover(let passphrase, let new):
                recovering()
                do throws(PasscodeError) {
                    return .answered(try await service.recover(with: passphrase, to: new))
                } catch {
                    return .failed(message: strings.text(error))
                }
            case .tick(let after):
                return await wait(after) ? .tick : nil
            case .finish(let ending):
                await finish(ending)
                return nil
            }
        }
    }

    /// Makes a driver of the screen with the security settings. If there is an account, the driver requests
    /// the account's status.
    ///
    /// - Parameters:
    ///   - isolation: the actor on which the driver runs.
    ///   - open: called with each effect that opens a screen, and with
    ///     ``SecuritySettingsScreen/Effect/finish``. The closure shows the screen, and returns when the
    ///     screen has closed. For `finish`, the closure closes the settings.
    public func securitySettingsDriver(
        isolation: isolated any Actor = #isolation,
        open: @escaping (SecuritySettingsScreen.Effect) async -> Void
    ) -> ScreenDriver<SecuritySettingsScreen> {
        let screen = SecuritySettingsScreen(hasAccount: service.hasAccount, strings: strings)
        let driver = ScreenDriver(screen, clock: clock) { effect in
            await perform(effect, open: open)
        }
        driver.handle(.appeared)
        return driver
    }
}

// MARK: Carrying out effects

extension ScreenEffects {
    private func perform(
        _ effect: ResetPasscodeScreen.Effect,
        finish: (ResetPasscodeScreen.Ending) async -> Void
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

    private func perform(
        _ effect: SetPasscodeScreen.Effect,
        finish: (SetPasscodeScreen.Ending) async -> Void
    ) async -> SetPasscodeScreen.Event? {
        do throws(PasscodeError) {
            switch effect {
            case .verify(let passcode):
                let answer = try await service.verify(passcode)
                if service.leavesActionDue(after: answer) { return .failed(message: strings.limitDue) }
                return .answered(answer)
            case .set(let passcode): return .saved(.right(try await service.set(passcode)))
            case .change(let current, let new):
                let answer = try await service.change(from: current, to: new)
                if service.leavesActionDue(after: answer) { return .failed(message: strings.limitDue) }
                return .saved(answer)
            case .tick(let after): return await wait(after) ? .tick : nil
            case .finish(let ending):
                await finish(ending)
                return nil
            }
        } catch {
            return .failed(message: strings.text(error))
        }
    }

    private func perform(
        _ effect: SecuritySettingsScreen.Effect,
        open: (SecuritySettingsScreen.Effect) async -> Void
    ) async -> SecuritySettingsScreen.Event? {
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

    /// Waits for a time, by the boot clock.
    ///
    /// - Returns: `false` if the task was cancelled during the wait.
    private func wait(_ duration: Duration) async -> Bool {
        do {
            try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + duration))
            return true
        } catch {
            return false
        }
    }
}
