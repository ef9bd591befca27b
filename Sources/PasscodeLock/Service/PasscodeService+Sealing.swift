internal import PortcullisCore

/// Sealing a key under a passcode, and opening it.
extension PasscodeService {
    func seal(_ key: SecretBytes, under passcode: SecretBytes) async throws(PasscodeError) -> SealedKey {
        do {
            return try await sealer.seal(key, under: passcode, context: context)
        } catch {
            throw PasscodeError(error)
        }
    }

    /// Whether a try can be made at all, asked before it is counted.
    func readiness(of sealed: SealedKey) async throws(PasscodeError) -> SealReadiness {
        do {
            return try await sealer.readiness(of: sealed, context: context)
        } catch {
            throw PasscodeError(error)
        }
    }

    /// What a sealer answered about the sealed key of the remembered record.
    struct Foreseen: Sendable {
        let sealed: SealedKey
        let answer: Result<SealReadiness, PasscodeError>

        var isReady: Bool { if case .success(.ready) = answer { true } else { false } }
    }

    /// Asks about the record that is remembered, so that it need not be read for the question.
    ///
    /// What is remembered may be out of date: the answer counts for this sealed key only.
    ///
    /// - Returns: `nil` where no record is remembered that a passcode would be tried at now.
    func readinessOfRemembered() async -> Foreseen? {
        guard let record = records.remembered, case .sealed(let sealed) = record.credential,
            record.policy.action(afterFailures: record.throttle.failures) == nil,
            record.throttle.timeLeft(at: clock.now, by: record.policy.authority) == .zero
        else { return nil }
        do throws(PasscodeError) {
            return Foreseen(sealed: sealed, answer: .success(try await readiness(of: sealed)))
        } catch {
            return Foreseen(sealed: sealed, answer: .failure(error))
        }
    }

    /// Tries a passcode that was counted.
    ///
    /// A try that was not made is no fault of the person, and is taken back; where that cannot be written it stays counted.
    ///
    /// - Parameter before: the count without this try.
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
                // There is no credential on this device that a passcode could open.
                return .wrongPasscode
            }
        } catch {
            throw PasscodeError(error)
        }
    }

    /// Takes back the count of a try that was not judged, unless another one came after it.
    func refund(_ record: PasscodeRecord, _ before: Throttle) async throws(PasscodeError) {
        try await edit { current in
            if current.throttle == record.throttle { current.throttle = before }
        }
    }
}

extension PasscodeError {
    /// Whether the sealer has tried no passcode.
    var isUntried: Bool {
        (cause as? PasscodeSealerError).map { PasscodeSealerErrorCode.untried.contains($0.code) } ?? false
    }
}
