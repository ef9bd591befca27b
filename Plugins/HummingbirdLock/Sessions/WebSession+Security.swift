#if HummingbirdLock
internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore

/// The lock's own screens, shown over the host's content.
extension WebSession {
    private var effects: ScreenEffects {
        ScreenEffects(service: service, strings: shared.value.strings)
    }

    /// Shows the offer to set a passcode after the first login (P-36).
    func offerSetUp() async {
        await show { session, close in session.effects.firstSetUpDriver { _ in close() } }
        readPasscode()
    }

    /// Shows the security settings (P-37).
    func openSecurity() async {
        await show { session, close in
            let driver = session.effects.securitySettingsDriver { [weak self] effect in
                if effect == .finish { close() } else { await self?.open(effect) }
            }
            session.security = driver
            return driver
        }
        readPasscode()
    }

    /// Reads the passcode after a screen has closed. The screen's function does not wait for the store, so a
    /// request for the screen in the meantime opens it anew.
    private func readPasscode() {
        Task { await passcodeChanged() }
    }

    private func open(_ effect: SecuritySettingsScreen.Effect) async {
        let status: PasscodeStatus
        // If the status cannot be read, the session locks, and the lock screen shows the reason.
        do throws(PasscodeError) { status = try await service.status() } catch {
            return await passcodeChanged()
        }
        let effects = effects
        switch effect {
        case .openCreate:
            await show { _, close in effects.setPasscodeDriver(.create, status: status) { _ in close() } }
        case .openChange:
            await show { _, close in effects.setPasscodeDriver(.change, status: status) { _ in close() } }
        case .openRemove:
            await ask(status, for: .turnOff) { session, passcode throws(PasscodeError) in
                try await session.service.remove(passcode)
            }
        case .openEnableBiometrics:
            await ask(status, for: .confirm) { session, passcode throws(PasscodeError) in
                try await session.enableBiometrics(passcode)
            }
        case .openReset(let request):
            await show { _, close in effects.resetPasscodeDriver(of: request) { _ in close() } }
        case .finish, .look, .synchronise, .requestReset, .setTimeout, .disableBiometrics: break
        }
    }

    private func ask(
        _ status: PasscodeStatus,
        for purpose: AskPasscodeScreen.Purpose,
        to action:
            @escaping @Sendable (WebSession, SecretBytes) async throws(PasscodeError) -> PasscodeAnswer
    ) async {
        let effects = effects
        await show { _, close in
            effects.askPasscodeDriver(
                status: status,
                for: purpose,
                to: { [self] passcode throws(PasscodeError) in try await action(self, passcode) },
                finish: { _ in close() }
            )
        }
    }
}
#endif
