#if HummingbirdLock
internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore

extension WebSession {
    // MARK: Reset

    func openReset(_ request: AccountCodeRequest) {
        guard reset == nil, isLocked else { return }
        let effects = ScreenEffects(service: service, strings: shared.value.strings)
        let screen = effects.resetPasscodeDriver(
            of: request,
            // A person may leave the page to read the mail with the code. The proof is void only if the page is left
            // while the reset is being sent.
            resetting: { [weak self] in
                self?.assumeIsolated { $0.resetGeneration = $0.driver.generation }
            },
            finish: { [weak self] ending in await self?.resetEnded(ending) }
        )
        reset = WebSheet(screen) { [weak self] in self?.assumeIsolated { $0.draw() } }
        draw()
    }

    private func resetEnded(_ ending: ResetPasscodeScreen.Ending) async {
        if case .reset(let proof) = ending {
            if let resetGeneration { await driver.unlock(with: proof, generation: resetGeneration) }
            // The sheet closes only after this update: without it, the lock screen beneath would not know of the new
            // passcode.
            await driver.update()
        }
        closeReset()
        draw()
    }

    func closeReset() {
        reset?.close()
        reset = nil
    }

    // MARK: Recovery

    func openRecovery() {
        guard recovery == nil, isLocked else { return }
        let effects = ScreenEffects(service: service, strings: shared.value.strings)
        let screen = effects.recoverPasscodeDriver(
            recovering: { [weak self] in
                self?.assumeIsolated { $0.recoveryGeneration = $0.driver.generation }
            },
            finish: { [weak self] ending in await self?.recoveryEnded(ending) }
        )
        recoveredGeneration = driver.generation
        recovery = (screen, WebSheet(screen) { [weak self] in self?.assumeIsolated { $0.draw() } })
        draw()
    }

    private func recoveryEnded(_ ending: RecoverPasscodeScreen.Ending) async {
        switch ending {
        case .recovered(let proof):
            if let recoveryGeneration { await driver.unlock(with: proof, generation: recoveryGeneration) }
        case .over: await lockSession.passcodeChanged()
        case .cancelled: break
        }
        // The recovery screen closes last: until now the lock screen beneath did not know of the new passcode.
        await driver.update()
        closeRecovery()
        draw()
    }

    func closeRecovery() {
        recovery?.sheet.close()
        recovery = nil
    }
}
#endif
