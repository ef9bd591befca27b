internal import GcryptKeystore
internal import PasscodeLock
internal import PortcullisCore
internal import SealedSession

/// Sets, changes and removes the passcode in a store, also if the store is sealed under a passcode.
extension PasscodeContext {
    /// Sets the first passcode. If the store is sealed, a warning goes to standard error, because the new
    /// passcode does not open the seal. With a TPM, the store is compacted, because the file may still hold
    /// the record of an earlier passcode, perhaps an equal one.
    func set(_ passcode: SecretBytes, throttle: ThrottlePolicy) async throws {
        let store = try await open(createsIfMissing: true)
        try await service(on: store, throttle: throttle).set(passcode)
        if store.isSealed {
            StandardError.write(
                "portcullis: warning: the store is sealed under another passcode, and this one does not open it"
            )
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

    /// Compacts the store. Without compaction, the file would keep the record of an earlier passcode, and in
    /// a copy of the file that passcode could be guessed without the TPM.
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
        var isLeftOpen = false
        defer { if isLeftOpen { StandardError.write(Self.leftOpen) } }
        if store.isSealed {
            let answer = try await service.verify(current)
            guard case .right(let proof) = answer, let key = proof.key else { return answer }
            do throws(SecretStoreError) {
                try await store.unseal(with: .key(key))
                isLeftOpen = true
            } catch  where error.code == .wrongKey {
                // Another passcode seals the store, for example one that a log-out has removed.
                if store.isSealed {
                    StandardError.write("portcullis: warning: the store stays sealed under another passcode")
                }
            }
        }
        let answer = try await service.remove(current)
        guard case .right = answer else { return answer }
        isLeftOpen = false
        try await dropOldRecord(in: store, after: "removed")
        return answer
    }

    private static let leftOpen =
        "portcullis: warning: the store is not sealed any more, and the passcode may still be set: `guard --seal` seals it again"
}
