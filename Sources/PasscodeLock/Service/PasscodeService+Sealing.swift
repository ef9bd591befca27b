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

    /// The sealed key that is remembered, if the sealer is ready for it: then the record need not be read for the
    /// question.
    ///
    /// What is remembered may be out of date, so that only a yes counts: anything else is asked again about what is there.
    func readiedInAdvance() async -> SealedKey? {
        guard case .sealed(let sealed) = records.remembered?.credential,
            case .ready = try? await sealer.readiness(of: sealed, context: context)
        else { return nil }
        return sealed
    }

    /// Tries a passcode that was counted.
    ///
    /// A try that the hardware did not make is no fault of the person, and is taken back: the hardware has a count of
    /// its own.
    ///
    /// - Parameter before: the count without this try.
    func open(
        _ record: PasscodeRecord,
        with passcode: SecretBytes,
        before: Throttle
    ) async throws(PasscodeError) -> SealOpening {
        do {
            let opening = try await open(record.credential, with: passcode)
            if case .triesExhausted = opening { try await giveBack(record, before) }
            return opening
        } catch {
            let code = (error.cause as? PasscodeSealerError)?.code
            if let code, PasscodeSealerErrorCode.ofHardware.contains(code) {
                try await giveBack(record, before)
            }
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
    func giveBack(_ record: PasscodeRecord, _ before: Throttle) async throws(PasscodeError) {
        try await edit { current in
            if current.throttle == record.throttle { current.throttle = before }
        }
    }
}
