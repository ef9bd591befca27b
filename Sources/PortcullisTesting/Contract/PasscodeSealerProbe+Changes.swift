internal import PortcullisCore
internal import Synchronization

/// What a caller does when a passcode is set, changed or removed: it seals or reseals a key, records the result
/// in its own store, and calls `settle`.
extension PasscodeSealerProbe {
    private var next: SecretBytes { SecretBytes(copying: "561038".utf8) }
    private var others: String { "contract.other" }

    /// Seals the key and settles it as the recorded key.
    private func sealRecorded() async throws -> SealedKey {
        let sealed = try await seal()
        try await settle([sealed], recorded: [sealed])
        return sealed
    }

    private func reseal(
        _ sealed: SealedKey,
        under passcode: SecretBytes,
        by sealer: (any PasscodeSealer)? = nil
    ) async throws -> SealedKey {
        try await (sealer ?? self.sealer).reseal(sealed, holding: key, under: passcode, context: context)
    }

    private func settle(
        _ touched: [SealedKey],
        recorded: [SealedKey],
        in context: String? = nil,
        by sealer: (any PasscodeSealer)? = nil
    ) async throws {
        try await (sealer ?? self.sealer).settle(touched, context: context ?? self.context) {
            () throws(PasscodeSealerError) in recorded
        }
    }

    func checkReseals() async throws {
        let sealed = try await sealRecorded()
        let resealed = try await reseal(sealed, under: next)
        try require(resealed.salt != sealed.salt, "a key was resealed with the same salt")
        try await expectOpens(sealed, "the old passcode before the change is settled")
        try await expectOpens(resealed, with: next, "the new passcode")
        let opening = try await sealer.open(resealed, with: passcode, context: context)
        try requireEqual(
            opening.name,
            SealOpening.wrongPasscode.name,
            "opening the resealed key with the old passcode"
        )
        try await settle([resealed, sealed], recorded: [resealed])
        try await expectOpens(resealed, with: next, "the new passcode once the change is settled")
    }

    func checkSettles() async throws {
        let other = try await sealer.seal(key, under: passcode, context: others)
        try await settle([other], recorded: [other], in: others)
        let sealed = try await sealRecorded()
        let unrecorded = try await reseal(sealed, under: next)
        try await settle([unrecorded, sealed], recorded: [sealed])
        try await expectOpens(sealed, "the old passcode after a change that was not recorded")
        let resealed = try await reseal(sealed, under: next)
        try await settle([resealed, sealed], recorded: [resealed])
        try await expectOpens(resealed, with: next, "the new passcode after a recorded change")
        var foreign = resealed
        foreign.algorithm = "contract"
        do { try await settle([resealed], recorded: [foreign, resealed]) } catch {
            throw Finding("settling beside the recorded key of another sealer failed: \(error)")
        }
        try await expectOpens(resealed, with: next, "the recorded key beside the key of another sealer")
        let opening = try await sealer.open(other, with: passcode, context: others)
        try requireEqual(opening.name, "the key", "the passcode in a context that was not settled again")
    }

    func checkSettleSparesPending() async throws {
        let sealed = try await sealRecorded()
        let another = try await place.another?() ?? sealer
        let pending = try await reseal(sealed, under: next, by: another)
        // The sealer may refuse this call, because `pending` is not settled.
        do throws(PasscodeSealerError) {
            try await sealer.settle([sealed], context: context) { () throws(PasscodeSealerError) in [sealed] }
        } catch {
            try require(
                PasscodeSealerErrorCode.ofHardware.contains(error.code),
                "settling beside an unsettled key: \(error.code) is no code of hardware"
            )
        }
        try await expectOpens(
            pending,
            with: next,
            by: another,
            "a key that another caller has not settled yet"
        )
        try await settle([pending, sealed], recorded: [pending], by: another)
        try await expectOpens(pending, with: next, by: another, "this key once it is recorded and settled")
    }

    func checkSettleFails() async throws {
        let sealed = try await sealRecorded()
        let resealed = try await reseal(sealed, under: next)
        let failure = PasscodeSealerError(code: .unavailable, message: "the contract's store cannot be read")
        let asked = Mutex(false)
        var isThrown: Bool
        do throws(PasscodeSealerError) {
            try await sealer.settle([resealed, sealed], context: context) {
                () throws(PasscodeSealerError) -> [SealedKey] in
                asked.withLock { $0 = true }
                throw failure
            }
            // A sealer that has nothing to delete does not read the recorded keys.
            isThrown = !asked.withLock { $0 }
        } catch {
            isThrown = error.code == failure.code
        }
        try require(isThrown, "the error of `recorded` was not thrown")
        try await expectOpens(sealed, "the old passcode, as nothing could be settled")
        try await expectOpens(resealed, with: next, "the new passcode, as nothing could be settled")
        try await settle([resealed, sealed], recorded: [resealed])
        try await expectOpens(resealed, with: next, "the new passcode once the change is settled")
    }

    func checkSettleDeletes() async throws {
        let sealed = try await sealRecorded()
        let unrecorded = try await reseal(sealed, under: next)
        try await settle([unrecorded, sealed], recorded: [sealed])
        try await expectClosed(unrecorded, with: next, "a key that was never recorded")
        let resealed = try await reseal(sealed, under: next)
        try await settle([resealed, sealed], recorded: [resealed])
        try await expectClosed(sealed, with: passcode, "the key before the change")
        try await settle([resealed], recorded: [])
        try await expectClosed(resealed, with: next, "a removed key")
    }

    /// Requires that a passcode does not open a key that was deleted.
    private func expectClosed(_ sealed: SealedKey, with passcode: SecretBytes, _ what: String) async throws {
        try requireNoKey(try? await sealer.open(sealed, with: passcode, context: context), "\(what), settled")
    }

    // MARK: Recovery and counts

    func checkRecovers() async throws {
        guard let phrase = place.recovery else { return }
        let sealed = try await sealRecorded()
        try require(sealer.isRecoverable(sealed), "a key with a recovery passphrase is not recoverable")
        for _ in 0...(place.tryLimit ?? 2) {
            let recovery = try await sealer.recover(sealed, with: passcode, context: context)
            try requireEqual(recovery.name, SealOpening.wrongPasscode.name, "a wrong recovery passphrase")
        }
        try await expectOpens(sealed, "the passcode after wrong recovery passphrases")
        try await expectRecovers(sealed, with: phrase, "the recovery passphrase")
        try requireNoKey(
            try? await sealer.recover(sealed, with: phrase, context: others),
            "the recovery passphrase in another context"
        )
        if let limit = place.tryLimit {
            for _ in 0..<limit { _ = try await sealer.open(sealed, with: wrong, context: context) }
            try await expectReadiness(.triesExhausted, of: sealed, "a seal at the limit")
            try await expectRecovers(sealed, with: phrase, "the recovery passphrase at the limit")
        }
        let resealed = try await reseal(sealed, under: next)
        try await settle([resealed, sealed], recorded: [resealed])
        try await expectOpens(resealed, with: next, "the new passcode after a recovery")
        try require(sealer.isRecoverable(resealed), "a resealed key is not recoverable")
        try await expectRecovers(resealed, with: phrase, "the recovery passphrase of a resealed key")
    }

    private func expectRecovers(
        _ sealed: SealedKey,
        with phrase: SecretBytes,
        _ what: String
    ) async throws {
        let recovery = try await sealer.recover(sealed, with: phrase, context: context)
        guard case .opened(let opened) = recovery else {
            throw Finding("\(what): expected the key, was \(recovery.name)")
        }
        try require(opened.matches(key), "\(what): another key came back")
    }

    func checkNotRecoverable() async throws {
        let sealed = try await seal()
        try require(!sealer.isRecoverable(sealed), "a key without a recovery passphrase is recoverable")
        try await expectFailure(.notRecoverable, of: "recovering without a recovery passphrase") {
            () throws(PasscodeSealerError) in
            _ = try await sealer.recover(sealed, with: passcode, context: context)
        }
    }

    func checkCounts() async throws {
        let sealed = try await seal()
        guard let limit = place.tryLimit else {
            try require(
                try await sealer.count(of: sealed, context: context) == nil,
                "the sealer has a count, but the subject has no limit of tries"
            )
            return
        }
        let counters = [sealer, try await place.another?() ?? sealer]
        func expectCount(_ failures: Int, _ what: String) async throws {
            for counter in counters + counters {
                let count = try await counter.count(of: sealed, context: context)
                try requireEqual(count?.failures, failures, "the count \(what)")
                try requireEqual(count?.limit, limit, "the limit \(what)")
            }
        }
        try await expectCount(0, "of a new seal")
        for number in 1..<limit {
            _ = try await sealer.open(sealed, with: wrong, context: context)
            try await expectCount(number, "after wrong passcode \(number)")
        }
        try await expectOpens(sealed, "the passcode at the last try")
        try await expectCount(0, "after the right passcode")
        for _ in 0..<limit { _ = try await sealer.open(sealed, with: wrong, context: context) }
        try await expectCount(limit, "at the limit")
    }
}
