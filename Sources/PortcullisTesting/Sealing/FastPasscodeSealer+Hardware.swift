public import PortcullisCore
internal import Synchronization

/// What hardware adds to a sealer: a limit of tries, a count, recovery and outages.
extension FastPasscodeSealer {
    /// Returns whether the tries of a sealed key are exhausted. During an outage this method throws the error
    /// that was passed to ``setOutage(_:)``.
    public func readiness(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> SealReadiness {
        state.withLock { $0.questions += 1 }
        try checkOutage()
        try checkShape(sealed)
        try checkKept(sealed)
        return state.withLock { state in
            guard let tryLimit else { return .ready }
            return state.wrongTries[sealed.salt, default: 0] >= tryLimit ? .triesExhausted : .ready
        }
    }

    /// Whether this sealer has sealed the key with a recovery passphrase.
    public func isRecoverable(_ sealed: SealedKey) -> Bool {
        state.withLock { $0.recoverable[sealed.salt] != nil }
    }

    /// Opens a key with the recovery passphrase. This sealer must have sealed the key.
    public func recover(
        _ sealed: SealedKey,
        with passphrase: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try checkShape(sealed)
        try checkOutage()
        try checkKept(sealed)
        guard let recovery, let kept = state.withLock({ $0.recoverable[sealed.salt] }) else {
            throw PasscodeSealerError(
                code: .notRecoverable,
                message: "the passcode has no recovery passphrase"
            )
        }
        return passphrase.matches(recovery) && kept.context == context ? .opened(kept.key) : .wrongPasscode
    }

    /// Deletes those of the touched keys that are not recorded, as hardware does. Without a limit of tries this
    /// method does nothing, as in software.
    public func settle(
        _ touched: [SealedKey],
        context: String,
        recorded: @Sendable () async throws(PasscodeSealerError) -> [SealedKey]
    ) async throws(PasscodeSealerError) {
        guard tryLimit != nil else { return }
        try checkOutage()
        let kept = Set(try await recorded().map(\.salt))
        let unrecorded = touched.map(\.salt).filter { !kept.contains($0) }
        state.withLock { $0.deleted.formUnion(unrecorded) }
    }

    /// The number of wrong tries in a row; `nil` without a limit of tries.
    public func count(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> HardwareCount? {
        guard let tryLimit else { return nil }
        try checkShape(sealed)
        try checkOutage()
        try checkKept(sealed)
        let failures = state.withLock { $0.wrongTries[sealed.salt, default: 0] }
        return HardwareCount(kind: Self.algorithm, failures: failures, limit: tryLimit)
    }

    func checkOutage() throws(PasscodeSealerError) {
        if let outage = state.withLock({ $0.outage }) { throw outage }
    }

    func checkKept(_ sealed: SealedKey) throws(PasscodeSealerError) {
        guard state.withLock({ $0.deleted.contains(sealed.salt) }) else { return }
        throw PasscodeSealerError(code: .olderSeal, message: "the sealed key was deleted from the hardware")
    }
}
