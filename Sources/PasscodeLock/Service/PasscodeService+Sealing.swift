internal import PortcullisCore

/// Seals a key under a passcode, and opens it again.
extension PasscodeService {
    /// Seals a key.
    ///
    /// - Parameter old: the credential that holds the same key now; `nil` for a new key. This credential
    ///   still opens the key until the new sealed key is stored.
    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        replacing old: PasscodeRecord.Credential? = nil
    ) async throws(PasscodeError) -> SealedKey {
        do {
            let sealed =
                if case .sealed(let old) = old {
                    try await sealer.reseal(old, holding: key, under: passcode, context: context)
                } else {
                    try await sealer.seal(key, under: passcode, context: context)
                }
            SealsOfAct.current?.made(sealed)
            return sealed
        } catch {
            throw PasscodeError(error)
        }
    }

    /// Carries out an act. After the act has succeeded or failed, the sealer forgets the sealed keys that the
    /// record no longer holds.
    ///
    /// If the sealer fails, this service asks the sealer again after the next right passcode. Another process
    /// asks the sealer after its next act that makes or removes a sealed key. Until then, an earlier passcode
    /// can still be tried on an older copy of the store.
    func settling<Answer>(
        _ body: () async throws(PasscodeError) -> Answer
    ) async throws(PasscodeError) -> Answer {
        let seals = SealsOfAct()
        do throws(PasscodeError) {
            let answer = try await SealsOfAct.during(seals, body)
            await settle(seals)
            return answer
        } catch {
            await settle(seals)
            throw error
        }
    }

    private func settle(_ seals: SealsOfAct) async {
        let touched = seals.touched
        if !touched.isEmpty { await forget(touched) }
    }

    /// Asks the sealer again about the keys that it failed to forget after earlier acts. The call does not
    /// wait, because hardware may take long.
    func settleAgain() {
        let left = unsettled.take()
        if !left.isEmpty { Task { await forget(left) } }
    }

    private func forget(_ touched: [SealedKey]) async {
        do throws(PasscodeSealerError) {
            try await sealer.settle(touched, context: context) { () throws(PasscodeSealerError) in
                do throws(PasscodeError) {
                    guard let record = try await records.read() else { return [] }
                    return record.sealedKeys
                } catch {
                    throw PasscodeSealerError(
                        code: .systemFailure,
                        message: "the record was not read",
                        cause: error
                    )
                }
            }
        } catch {
            unsettled.keep(touched)
        }
    }

    /// Asks the sealer whether a try can be made. The caller asks before it counts the try.
    func readiness(of sealed: SealedKey) async throws(PasscodeError) -> SealReadiness {
        do {
            return try await sealer.readiness(of: sealed, context: context)
        } catch {
            throw PasscodeError(error)
        }
    }

    /// The sealer's answer about the sealed key of the remembered record: the record that was read or
    /// written last.
    struct Foreseen: Sendable {
        let sealed: SealedKey
        let answer: Result<SealReadiness, PasscodeError>

        var isReady: Bool { if case .success(.ready) = answer { true } else { false } }
    }

    /// Asks the sealer whether the sealed key of the remembered record can be tried. After this call, the try
    /// can be counted without a read of the store.
    ///
    /// The remembered record may be out of date, so the answer must be used for this sealed key only.
    ///
    /// - Returns: the answer; `nil` if no record with a sealed key is remembered, or if a delay or the limit
    ///   of failures forbids a try now.
    func readinessOfRemembered() async -> Foreseen? {
        guard let record = records.remembered, case .sealed(let sealed) = record.credential,
            record.throttle.dueAction(under: record.policy) == nil,
            record.throttle.timeLeft(at: clock.now, by: record.policy.authority) == .zero
        else { return nil }
        do throws(PasscodeError) {
            return Foreseen(sealed: sealed, answer: .success(try await readiness(of: sealed)))
        } catch {
            return Foreseen(sealed: sealed, answer: .failure(error))
        }
    }

    /// Tries a passcode. The caller has counted the try before.
    ///
    /// If the sealer did not try the passcode, the try is refunded, because the person is not at fault.
    /// If the refund cannot be written, the try stays counted.
    ///
    /// - Parameter before: the throttle before this try.
    func open(
        _ record: PasscodeRecord,
        with passcode: SecretBytes,
        before: Throttle
    ) async throws(PasscodeError) -> SealOpening {
        do {
            let opening = try await open(record.credential, with: passcode)
            if case .triesExhausted = opening { try? await refund(record, before) }
            return opening
        } catch {
            if error.isUntried { try? await refund(record, before) }
            throw error
        }
    }

    private func open(
        _ credential: PasscodeRecord.Credential,
        with passcode: SecretBytes
    ) async throws(PasscodeError) -> SealOpening {
        do {
            switch credential {
            case .sealed(let sealed): return try await sealer.open(sealed, with: passcode, context: context)
            case .legacy(let hash):
                let isRight = try await sealer.matches(passcode, hash)
                return isRight ? .opened(SecretBytes(randomCount: 32)) : .wrongPasscode
            case .account, .none:
                // This device has no credential that a passcode could open.
                return .wrongPasscode
            }
        } catch {
            throw PasscodeError(error)
        }
    }

    /// Checks that the sealer can check passcodes against a hash of another app. A record with a hash that the
    /// sealer cannot check would refuse the right passcode for ever.
    func checkSupport(of hash: LegacyPasscodeHash) async throws(PasscodeError) {
        do {
            // Only an error matters, so any passcode will do. A random one is not the right one. It is text,
            // because a sealer may refuse bytes that are not.
            var generator = SystemRandomNumberGenerator()
            let passcode = SecretBytes(copying: OpaqueText.random(using: &generator).utf8)
            _ = try await sealer.matches(passcode, hash)
        } catch {
            throw PasscodeError(error)
        }
    }

    /// Removes a try that does not count, for example because its passcode was not checked. `record` has the
    /// count with this try, and `before` is the count without it. If another try was counted later, nothing
    /// changes, even if a right passcode has cleared the count in between.
    func refund(_ record: PasscodeRecord, _ before: Throttle) async throws(PasscodeError) {
        try await edit { current in
            if current.throttle == record.throttle { current.throttle = before }
        }
    }
}

extension PasscodeError {
    /// Whether the sealer failed before it tried the passcode.
    var isUntried: Bool {
        (cause as? PasscodeSealerError).map { PasscodeSealerErrorCode.untried.contains($0.code) } ?? false
    }
}
