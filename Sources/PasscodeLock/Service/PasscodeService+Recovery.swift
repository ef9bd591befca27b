internal import AdapterKit
public import PortcullisCore

/// The way out where hardware refuses all passcodes, and what it has counted.
extension PasscodeService {
    /// Sets another passcode with the recovery passphrase in the place of the one so far; the key stays the same, and the
    /// hardware counts from nothing.
    ///
    /// Tries at the passphrase are neither counted nor throttled: it is not one that is soon guessed. It opens the key the
    /// next time, too.
    ///
    /// - Parameter new: in the configured format; looked at first.
    /// - Throws: ``PasscodeErrorCode/sealer`` where the passcode has no recovery passphrase
    ///   (``/PortcullisCore/PasscodeSealerErrorCode/notRecoverable``) or the hardware cannot be used;
    ///   ``PasscodeErrorCode/account`` with an account, which has a reset by mail; as ``set(_:)`` does. Nothing changes then.
    public func recover(
        with passphrase: SecretBytes,
        to new: SecretBytes
    ) async throws(PasscodeError) -> PasscodeRecovery {
        let answer = try await noting(.reset) { () throws(PasscodeError) in
            try await setAnew(with: passphrase, to: new)
        }
        if case .recovered = answer { note(.reset) }
        return answer
    }

    private func setAnew(
        with passphrase: SecretBytes,
        to new: SecretBytes
    ) async throws(PasscodeError) -> PasscodeRecovery {
        try check(new: new)
        guard account == nil else { throw Self.recoveredByMail }
        while let record = try await records.read() {
            guard case .sealed(let sealed) = record.credential else { break }
            SealsOfAct.current?.found(record)
            let opening: SealOpening
            do {
                opening = try await sealer.recover(sealed, with: passphrase, context: context)
            } catch {
                throw PasscodeError(error)
            }
            guard case .opened(let key) = opening else { return .wrongPassphrase }
            let credential = PasscodeRecord.Credential.sealed(
                try await seal(key, under: new, replacing: record.credential)
            )
            let isRecorded: Bool = try await records.update { found throws(PasscodeError) in
                guard var current = found, current.credential == record.credential else {
                    return .keep(false)
                }
                current.credential = credential
                current.format = configuration.format
                current.throttle.clear()
                return .write(current, true)
            }
            if isRecorded { return .recovered(UnlockProof(user: user, key: key, method: .passcode)) }
        }
        return .notSet
    }

    private static let recoveredByMail = PasscodeError(
        PasscodeAccountError(code: .unavailable, message: "a passcode of an account is reset by mail")
    )

    /// What the hardware that the passcode is sealed in has counted, also at its limit; `nil` where there is no passcode,
    /// or no hardware.
    ///
    /// - Throws: ``PasscodeErrorCode/sealer`` where the hardware cannot be asked; ``PasscodeError`` when the record cannot
    ///   be read.
    public func hardwareCount() async throws(PasscodeError) -> HardwareCount? {
        guard case .sealed(let sealed) = try await records.read()?.credential else { return nil }
        do { return try await sealer.count(of: sealed, context: context) } catch {
            throw PasscodeError(error)
        }
    }
}

/// What became of a recovery passphrase.
public enum PasscodeRecovery: Sendable {
    /// The new passcode is set.
    case recovered(UnlockProof)
    /// It is another one; nothing changed.
    case wrongPassphrase
    /// There is no passcode.
    case notSet
}
