internal import GcryptKeystore
internal import PasscodeLock
internal import PortcullisCore
internal import SealedSession

/// Sets, changes and removes the passcode in a store, also if the store is sealed under a passcode.
extension PasscodeContext {
    /// Sets the first passcode. If another passcode seals the store, a warning goes to standard error. With a
    /// TPM, the store is compacted, because its file may hold the record of an earlier, equal passcode.
    func set(_ passcode: SecretBytes, throttle: ThrottlePolicy) async throws {
        let store = try await open(createsIfMissing: true)
        try await service(on: store, throttle: throttle).set(passcode)
        if store.isSealed {
            StandardError.warn("the store is sealed under another passcode, and this one does not open it")
        }
        if newSeal != nil { try await dropOldRecord(in: store, after: "set") }
    }

    /// Changes the passcode.
    func change(from current: SecretBytes, to new: SecretBytes) async throws -> PasscodeAnswer {
        let store = try await open()
        let answer = try await service(on: store).change(from: current, to: new)
        if case .right = answer { try await dropOldRecord(in: store, after: "changed") }
        return answer
    }

    /// Compacts the store, because its file keeps earlier records. An attacker with the file could guess the
    /// passcode of an earlier record that no TPM seals.
    private func dropOldRecord(in store: GcryptKeystore, after change: String) async throws {
        do throws(SecretStoreError) { try await store.compact() } catch {
            let hint = "the passcode is \(change); `secret compact` has to remove the old one's record"
            throw ToolFailure("\(hint): \(error.message)", ToolExit(error.code))
        }
    }

    /// Removes the passcode. A store that is sealed under the passcode is first unsealed durably. If the
    /// store stayed sealed, only the recovery passphrase could open it after the removal.
    func remove(_ current: SecretBytes) async throws -> PasscodeAnswer {
        let store = try await open()
        let service = try service(on: store)
        let wasSealed = store.isSealed
        // This tool removes no passcode that an account shares. The store then stays sealed.
        if wasSealed, try await service.status().standing == .local {
            let answer = try await service.verify(current)
            guard case .right(let proof) = answer, let key = proof.key else { return answer }
            try await unseal(store, with: key)
        }
        let isLeftOpen = wasSealed && !store.isSealed
        let answer: PasscodeAnswer
        do { answer = try await service.remove(current) } catch { throw warned(isLeftOpen, error) }
        guard case .right = answer else { return warned(isLeftOpen, answer) }
        try await dropOldRecord(in: store, after: "removed")
        return answer
    }

    private func unseal(_ store: GcryptKeystore, with key: SecretBytes) async throws(SecretStoreError) {
        do { try await store.unseal(with: .key(key)) } catch {
            // Another passcode may seal the store, for example one that a log-out has removed.
            guard error.code == .wrongKey else { throw error }
            if store.isSealed { StandardError.warn("the store stays sealed under another passcode") }
        }
    }

    private func warned<Outcome>(_ isLeftOpen: Bool, _ outcome: Outcome) -> Outcome {
        if isLeftOpen {
            StandardError.warn("the store is not sealed any more; `guard --seal` seals it again")
        }
        return outcome
    }
}
