internal import PasscodeLock
internal import PortcullisCore

/// What a seal means for the screens.
extension GuardRun {
    /// What is sealed is open: unlocks, unless it locked again or nobody was there meanwhile, and closes it otherwise.
    func opened(_ proof: UnlockProof, _ generation: UInt64, from number: UInt64) async {
        let isPresent = await input.lookAtClock() == absences
        if isPresent, number == screenNumber, await session.unlock(with: proof, generation: generation) {
            isProven = true
            seal?.admit(for: generation)
            return
        }
        seal?.giveUp(for: generation)
        guard number == screenNumber else { return }
        isClosing = false
        await handle(LockScreen.Event.unlockRefused)
        await refresh()
    }

    /// What to say of a store that was not opened; `nil` when it was locked again, and asks again anyway.
    static func explanation(_ error: SecretStoreError) -> String? {
        switch error.code {
        case .classLocked: nil
        case .wrongKey: "This passcode does not open the sealed store."
        default: "The sealed store was not opened: \(error.message)."
        }
    }

    /// The texts of the lock screen; of a sealed store it is said what forgetting means.
    var strings: PasscodeStrings {
        var strings = PasscodeStrings.english
        if seal?.isSealed == true {
            strings.forgotDevice += " The sealed store then opens with its recovery passphrase only."
        }
        return strings
    }
}
