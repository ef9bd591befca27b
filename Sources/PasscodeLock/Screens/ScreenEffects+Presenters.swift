public import LockScreens
public import PortcullisCore

/// The observable faces of the drivers, on the main actor.
@MainActor
extension ScreenEffects {
    /// The presenter of ``setPasscodeDriver(_:status:isolation:finish:)``.
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
        ScreenPresenter(setPasscodeDriver(mode, status: status) { finish($0) })
    }

    /// The presenter of ``firstSetUpDriver(closesUnnoted:finish:)``.
    ///
    /// - Parameter finish: called once, when the person has set a passcode or skipped it.
    public func firstSetUp(
        finish: @escaping @MainActor (FirstSetUpScreen.Ending) -> Void
    ) -> ScreenPresenter<FirstSetUpScreen> {
        ScreenPresenter(firstSetUpDriver { finish($0) })
    }

    /// The presenter of ``askPasscodeDriver(status:for:isolation:to:finish:)``.
    ///
    /// - Parameters:
    ///   - status: what is known of the passcode.
    ///   - purpose: what it is asked for; the screen says so.
    ///   - action: what to do, such as ``PasscodeService/remove(_:)``, which is handed over as `service.remove`. A closure names
    ///     its error: `{ passcode throws(PasscodeError) in try await service.remove(passcode) }`.
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

    /// The presenter of ``resetPasscodeDriver(of:resetting:finish:)``.
    ///
    /// - Parameters:
    ///   - request: what the code was sent for.
    ///   - finish: called once, when the screen closes.
    public func resetPasscode(
        of request: AccountCodeRequest,
        finish: @escaping @MainActor (ResetPasscodeScreen.Ending) async -> Void
    ) -> ScreenPresenter<ResetPasscodeScreen> {
        ScreenPresenter(resetPasscodeDriver(of: request) { await finish($0) })
    }

    /// The presenter of ``securitySettingsDriver(isolation:open:)``.
    ///
    /// - Parameter open: shows the screen that an effect asks for, and returns when that has closed; called for the
    ///   effects that open one and for ``SecuritySettingsScreen/Effect/finish``.
    public func securitySettings(
        open: @escaping @MainActor (SecuritySettingsScreen.Effect) async -> Void
    ) -> ScreenPresenter<SecuritySettingsScreen> {
        ScreenPresenter(securitySettingsDriver { await open($0) })
    }
}
