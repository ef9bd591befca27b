internal import PasscodeLock
internal import PortcullisCore
internal import SealedSession

/// What the driver of the lock needs of the run: its turn in the queue, what is sealed, and the texts.
extension GuardRun {
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
            return .refused(message: Self.explanation(error))
        }
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
    static func explanation(_ error: SecretStoreError) -> String? {
        switch error.code {
        case .classLocked: nil
        case .wrongKey: "This passcode does not open the sealed store."
        default: "The sealed store was not opened: \(error.message)."
        }
    }

    /// The texts of the lock screen: what logging out means for the program, and forgetting for a sealed store.
    var strings: PasscodeStrings {
        var strings = PasscodeStrings.english
        strings.forgotDevice = GuardTexts.forgot(hasStarted: hasStarted)
        if seal?.isSealed == true {
            strings.forgotDevice += " The sealed store then opens with its recovery passphrase only."
        }
        return strings
    }
}
