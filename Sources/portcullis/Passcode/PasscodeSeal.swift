internal import GcryptKeystore
internal import PasscodeLock
internal import PortcullisCore
internal import SealedSession

/// What setting and removing a passcode mean for a store that is sealed under one.
extension PasscodeContext {
    /// Sets the first passcode, and says so where the store is sealed under another one.
    func set(_ passcode: SecretBytes, throttle: ThrottlePolicy) async throws {
        let store = try await open(createsIfMissing: true)
        try await service(on: store, throttle: throttle).set(passcode)
        guard store.isSealed else { return }
        StandardError.write(
            "portcullis: warning: the store is sealed under another passcode, and this one does not open it"
        )
    }

    /// Removes the passcode. What is sealed under it is unsealed first, durably: nothing else but the recovery
    /// passphrase would open it afterwards.
    func remove(_ current: SecretBytes) async throws -> PasscodeAnswer {
        let store = try await open()
        let service = try service(on: store)
        guard store.isSealed else { return try await service.remove(current) }
        let answer = try await service.verify(current)
        guard case .right(let proof) = answer, let key = proof.key else { return answer }
        do throws(SecretStoreError) {
            try await store.unseal(with: .key(key))
        } catch {
            // Sealed under another passcode, such as one that was set before a log-out: this one opens nothing.
            guard error.code == .wrongKey else { throw error }
            if store.isSealed {
                StandardError.write("portcullis: warning: the store stays sealed under another passcode")
            }
        }
        return try await service.remove(current)
    }
}
