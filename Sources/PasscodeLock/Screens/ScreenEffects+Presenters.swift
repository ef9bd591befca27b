public import LockScreens
public import PortcullisCore

/// The methods that make presenters. They run on the main actor.
@MainActor
extension ScreenEffects {
    /// Makes a presenter of the screen that sets the first passcode or changes it. See
    /// ``setPasscodeDriver(_:status:isolation:finish:)``.
    ///
    /// - Parameters:
    ///   - mode: whether the screen sets the first passcode or changes it.
    ///   - status: the status of the passcode.
    ///   - finish: called once, when the screen closes.
    public func setPasscode(
        _ mode: SetPasscodeScreen.Mode,
        status: PasscodeStatus,
        finish: @escaping @MainActor (SetPasscodeScreen.Ending) -> Void
    ) -> ScreenPresenter<SetPasscodeScreen> {
        ScreenPresenter(setPasscodeDriver(mode, status: status) { finish($0) })
    }

    /// Makes a presenter of the screen that offers to set a passcode at the first login. See
    /// ``firstSetUpDriver(closesUnnoted:finish:)``.
    ///
    /// - Parameter finish: called once, when the person has set a passcode or skipped the offer.
    public func firstSetUp(
        finish: @escaping @MainActor (FirstSetUpScreen.Ending) -> Void
    ) -> ScreenPresenter<FirstSetUpScreen> {
        ScreenPresenter(firstSetUpDriver { finish($0) })
    }

    /// Makes a presenter of the screen that asks for the passcode and does an act with it. See
    /// ``askPasscodeDriver(status:for:isolation:to:finish:)``.
    ///
    /// - Parameters:
    ///   - status: the status of the passcode.
    ///   - purpose: the act that needs the passcode. The screen's prompt depends on the act.
    ///   - action: does the act with the passcode, such as `service.remove` (``PasscodeService/remove(_:)``).
    ///     A closure expression has to declare the type of the errors that it throws:
    ///     `{ passcode throws(PasscodeError) in try await service.remove(passcode) }`.
    ///   - finish: called once, when the screen closes.
    public func askPasscode(
        status: PasscodeStatus,
        for purpose: AskPasscodeScreen.Purpose = .confirm,
        to action: @escaping @MainActor (SecretBytes) async throws(PasscodeError) -> PasscodeAnswer,
        finish: @escaping @MainActor (AskPasscodeScreen.Ending) -> Void
    ) -> ScreenPresenter<AskPasscodeScreen> {
        ScreenPresenter(
            askPasscodeDriver(
                status: status,
                for: purpose,
                to: { (passcode) async throws(PasscodeError) in try await action(passcode) },
                finish: { finish($0) }
            )
        )
    }

    /// Makes a presenter of the screen that sets a new passcode with a code from a mail. See
    /// ``resetPasscodeDriver(of:resetting:finish:)``.
    ///
    /// - Parameters:
    ///   - request: the request for which the code was sent.
    ///   - finish: called once, when the screen closes.
    public func resetPasscode(
        of request: AccountCodeRequest,
        finish: @escaping @MainActor (ResetPasscodeScreen.Ending) async -> Void
    ) -> ScreenPresenter<ResetPasscodeScreen> {
        ScreenPresenter(resetPasscodeDriver(of: request) { await finish($0) })
    }

    /// Makes a presenter of the screen that sets a new passcode with the recovery passphrase. See
    /// ``recoverPasscodeDriver(recovering:finish:)``.
    ///
    /// - Parameter finish: called once, when the screen closes.
    public func recoverPasscode(
        finish: @escaping @MainActor (RecoverPasscodeScreen.Ending) async -> Void
    ) -> ScreenPresenter<RecoverPasscodeScreen> {
        ScreenPresenter(recoverPasscodeDriver { await finish($0) })
    }

    /// Makes a presenter of the security settings. See ``securitySettingsDriver(isolation:open:)``.
    ///
    /// - Parameter open: called with each effect that opens a screen, and with
    ///   ``SecuritySettingsScreen/Effect/finish``. The closure shows the screen, and returns when the screen
    ///   has closed. For `finish`, the closure closes the settings.
    public func securitySettings(
        open: @escaping @MainActor (SecuritySettingsScreen.Effect) async -> Void
    ) -> ScreenPresenter<SecuritySettingsScreen> {
        ScreenPresenter(securitySettingsDriver { await open($0) })
    }
}
