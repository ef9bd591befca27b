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
            // A person may leave the page to read the mail with the code, and the lock may get a new
            // generation meanwhile. So the generation is read only when the reset is sent. The proof becomes
            // invalid only if the generation changes after that.
            resetting: { [weak self] in
                self?.assumeIsolated { $0.resetGeneration = $0.driver.generation }
            },
            finish: { [weak self] ending in await self?.resetEnded(ending) }
        )
        clearedGeneration = driver.generation
        reset = (screen, WebSheet(screen) { [weak self] in self?.assumeIsolated { $0.draw() } })
        draw()
    }

    private func resetEnded(_ ending: ResetPasscodeScreen.Ending) async {
        if case .reset(let proof) = ending {
            if let resetGeneration { await driver.unlock(with: proof, generation: resetGeneration) }
            // The sheet closes only after this update. Before the update, the lock screen beneath does not
            // have the new passcode's state.
            await driver.update()
        }
        closeReset()
        draw()
    }

    func closeReset() {
        reset?.sheet.close()
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
        clearedGeneration = driver.generation
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
        // The recovery screen closes only after this update. Before the update, the lock screen beneath does
        // not have the new passcode's state.
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
