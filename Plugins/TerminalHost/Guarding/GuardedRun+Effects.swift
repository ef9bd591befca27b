internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Makes the offer to set a passcode, and handles its end.
extension GuardedRun {
    /// Makes the screen of the offer.
    ///
    /// - Parameter generation: the session's generation now. A later lock has a higher generation. So a
    ///   passcode that was set on this screen does not open the content for a later lock.
    func makeSetUp(for generation: UInt64) -> ScreenDriver<FirstSetUpScreen> {
        // The screen that is made here gets the next number when it is shown.
        let number = screenNumber + 1
        let driver = ScreenEffects(service: service, strings: strings)
            .firstSetUpDriver(closesUnnoted: true) { ending in
                await self.setUpEnded(ending, number, generation)
            }
        driver.changed = { self.driverChanged() }
        return driver
    }

    private func setUpEnded(
        _ ending: FirstSetUpScreen.Ending,
        _ number: UInt64,
        _ generation: UInt64
    ) async {
        if number == screenNumber { isClosing = true }
        if case .saved = ending { await foundPasscode() }
        if let message = await sealFailure(after: ending, generation) {
            // If the session was locked meanwhile, the lock screen is shown. When the person unlocks the
            // session, the content is opened, or the lock screen shows why opening failed.
            if await session.state.isLocked { return deliver(.lockChanged) }
            return deliver(.result(number, .notSealed(message: message)))
        }
        // The store may be busy during these calls. Events are handled meanwhile, so no signal waits for the
        // store.
        if number == screenNumber { await recordTimeout() } else { await session.passcodeChanged() }
        deliver(.result(number, .setUpFinished))
    }

    /// The reason why sealing failed. The result is `nil` in these cases:
    /// - The content is sealed.
    /// - There is nothing to seal.
    /// - The session was locked meanwhile.
    /// - The person set no passcode, and the program has started already.
    private func sealFailure(after ending: FirstSetUpScreen.Ending, _ generation: UInt64) async -> String? {
        guard let seal else { return nil }
        switch ending {
        case .saved(let proof):
            do throws(SecretStoreError) {
                try await seal.open(with: proof.key, for: generation)
            } catch {
                // `classLocked` means that the session was locked during the set-up. That is no failure,
                // because the lock screen opens the content.
                return error.code == .classLocked ? nil : error.message
            }
            hasOpenedSeal = true
            seal.admit(for: generation)
            return nil
        case .skipped:
            return hasStarted ? nil : "it takes a passcode, and none was set"
        }
    }

    func take(_ result: SetUpResult, from number: UInt64) async {
        switch result {
        case .notSealed(let message):
            failure = TerminalHostError(code: .notSealed, message: "not sealed: \(message)")
        case .setUpFinished:
            guard number == screenNumber, failure == nil else { return }
            // The session may have been locked before this event was handled. The person may also have been
            // away for the length of the timeout, while the timer's event is still in the queue.
            if await session.state.isLocked { return await reconcile() }
            if isAwayTooLong || locksAgain { return await lockBehindScreen() }
            guard number == screenNumber else { return }
            await hide()
        }
    }

    /// Handles Ctrl-C, which was typed for a screen.
    ///
    /// Before the program has started, the key ends the run on the offer to set a passcode, as it ends a prompt.
    /// On all other screens it does nothing, because a program would be lost, or a lock would be left.
    func interrupted() {
        guard case .setUp = screen, !hasStarted else { return }
        // Input behind the key is not for this screen any more.
        isClosing = true
        exitStatus = 128 + SIGINT
    }
}
