internal import LockScreens
internal import PasscodeLock

/// The recovery screen over the lock screen.
extension GuardedRun {
    func openRecovery() {
        guard recovery == nil else { return }
        // The proof of a recovery unlocks only the lock for which the recovery screen was opened.
        let generation = driver.generation
        let new = ScreenEffects(service: service, strings: strings)
            .recoverPasscodeDriver { ending in await self.recoveryEnded(ending, generation) }
        new.changed = { self.driverChanged() }
        recovery = new
        driverChanged()
    }

    private func recoveryEnded(_ ending: RecoverPasscodeScreen.Ending, _ generation: UInt64) async {
        switch ending {
        case .recovered(let proof): await driver.unlock(with: proof, generation: generation)
        case .over: await session.passcodeChanged()
        case .cancelled: break
        }
        closeRecovery()
        driverChanged()
    }

    /// Closes the recovery screen. The lock screen under it is shown at the next change.
    func closeRecovery() {
        recovery?.dismiss()
        recovery = nil
    }
}
