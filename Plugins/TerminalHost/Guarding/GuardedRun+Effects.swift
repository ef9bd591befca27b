internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore

/// Makes the offer to set a passcode, and handles its end.
extension GuardedRun {
    func makeSetUp() -> ScreenDriver<FirstSetUpScreen> {
        // The screen of this offer will get the next number.
        let number = screenNumber + 1
        let driver = ScreenEffects(service: service, strings: strings)
            .firstSetUpDriver(closesUnnoted: true) { ending in await self.setUpEnded(ending, number) }
        driver.changed = { self.driverChanged() }
        return driver
    }

    private func setUpEnded(_ ending: FirstSetUpScreen.Ending, _ number: UInt64) async {
        if number == screenNumber { isClosing = true }
        if let message = await sealFailure(after: ending) {
            return deliver(.result(number, .notSealed(message: message)))
        }
        await session.passcodeChanged()
        deliver(.result(number, .setUpFinished))
    }

    /// The reason why sealing failed; `nil` if the content is sealed or if there is nothing to seal.
    private func sealFailure(after ending: FirstSetUpScreen.Ending) async -> String? {
        guard let seal else { return nil }
        switch ending {
        case .saved(let proof):
            let generation = await session.state.generation
            do throws(SecretStoreError) {
                try await seal.open(with: proof.key, for: generation)
            } catch {
                return error.message
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
            guard number == screenNumber else { return }
            await recordTimeout()
            await hide()
        }
    }
}
