internal import PasscodeLock
internal import PortcullisCore

/// Connects the run to the lock's driver. The run handles the driver's changes, opens the sealed content, and
/// supplies the texts.
extension GuardedRun {
    func connectDriver() {
        driver.strings = strings
        driver.host = LockDriver.Host(
            changed: { self.driverChanged() },
            prepare: { proof, generation in await self.prepare(proof, generation) },
            settled: { generation, isUnlocked in self.settled(generation, isUnlocked) },
            openRecovery: { self.openRecovery() }
        )
    }

    func disconnectDriver() {
        driver.stop()
        driver.host = LockDriver.Host()
    }

    /// Queues an event for a change of a screen. The screen is drawn when the event is handled.
    func driverChanged() {
        guard !isChangePending else { return }
        isChangePending = true
        deliver(.screenChanged)
    }

    /// Opens the sealed content. If the session locks again or the person leaves during the opening, the
    /// program stays covered.
    private func prepare(_ proof: UnlockProof, _ generation: UInt64) async -> LockDriver.Admission {
        // An absence may have just ended, and its event may still be in the queue. The passcode may have been
        // entered before this absence, so the proof is refused.
        guard await input.lookAtClock() == absences else { return .refused(message: nil) }
        isClosing = true
        guard let seal else { return .admitted }
        do throws(SecretStoreError) {
            try await seal.open(with: proof.key, for: generation)
        } catch {
            isClosing = false
            return .refused(message: explanation(error))
        }
        hasOpenedSeal = true
        guard await input.lookAtClock() == absences else {
            settled(generation, false)
            return .refused(message: nil)
        }
        return .admitted
    }

    private func settled(_ generation: UInt64, _ isUnlocked: Bool) {
        if isUnlocked {
            seal?.admit(for: generation)
        } else {
            seal?.giveUp(for: generation)
            isClosing = false
        }
    }

    /// The message for content that was not opened; `nil` if the session was locked again. In that case the
    /// lock screen asks for the passcode again.
    private func explanation(_ error: SecretStoreError) -> String? {
        switch error.code {
        case .classLocked: nil
        case .wrongKey: texts.sealKeepsShut
        default: texts.sealNotOpened(error.message)
        }
    }

    /// The texts of the lock screen, with the consequences of logging out for the program and the sealed
    /// content.
    var strings: PasscodeStrings {
        var strings = texts.strings
        strings.forgotDevice = texts.forgot(hasStarted: hasStarted, isSealed: seal?.isSealed == true)
        return strings
    }
}
