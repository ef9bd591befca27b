internal import PasscodeLock
internal import PortcullisCore

/// What the driver of the lock needs of the run: its turn in the queue, what is sealed, and the texts.
extension GuardedRun {
    func connectDriver() {
        driver.strings = strings
        driver.host = LockDriver.Host(
            changed: { self.driverChanged() },
            prepare: { proof, generation in await self.prepare(proof, generation) },
            settled: { generation, isUnlocked in self.settled(generation, isUnlocked) }
        )
    }

    func disconnectDriver() {
        driver.stop()
        driver.host = LockDriver.Host()
    }

    /// In its turn, as everything else: what is drawn is drawn by one event after the other.
    func driverChanged() {
        guard !isChangePending else { return }
        isChangePending = true
        deliver(.screenChanged)
    }

    /// Opens what is sealed. The content is uncovered unless it locked again, or the person was away, meanwhile.
    private func prepare(_ proof: UnlockProof, _ generation: UInt64) async -> LockDriver.Admission {
        // An absence that ended just now is still to be handled, and voids the proof.
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

    /// What to say of a store that was not opened; `nil` when it was locked again, and asks again anyway.
    private func explanation(_ error: SecretStoreError) -> String? {
        switch error.code {
        case .classLocked: nil
        case .wrongKey: texts.sealKeepsShut
        default: texts.sealNotOpened(error.message)
        }
    }

    /// The texts of the lock screen: what logging out means for the program, and for what is sealed.
    var strings: PasscodeStrings {
        var strings = texts.strings
        strings.forgotDevice = texts.forgot(hasStarted: hasStarted, isSealed: seal?.isSealed == true)
        return strings
    }
}
