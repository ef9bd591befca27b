internal import AdapterKit
public import PortcullisCore

/// Recovery when the hardware refuses all passcodes, and the hardware's own count of wrong passcodes.
extension PasscodeService {
    /// Sets a new passcode with the recovery passphrase. The key stays the same, and the hardware's count of
    /// wrong passcodes starts again.
    ///
    /// Attempts with a passphrase are neither counted nor throttled, because a recovery passphrase has to be
    /// hard to guess. Afterwards the same passphrase can recover the new passcode, too.
    ///
    /// - Parameters:
    ///   - passphrase: the recovery passphrase with which the hardware's sealer was configured when
    ///     ``set(_:)`` was called.
    ///   - new: the new passcode, in the configured format. The format is checked first.
    /// - Returns: ``PasscodeRecovery/wrongPassphrase`` if the passphrase is wrong. Nothing changes then.
    /// - Throws: ``PasscodeErrorCode/sealer`` when the passcode has no recovery passphrase
    ///   (``/PortcullisCore/PasscodeSealerErrorCode/notRecoverable``) or the hardware cannot be used;
    ///   ``PasscodeErrorCode/account`` when this service has an account or an account shares the passcode,
    ///   because the account resets the passcode by mail;
    ///   the errors of ``set(_:)`` except ``PasscodeErrorCode/alreadySet``. An error changes nothing.
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
            guard record.account == nil else { throw Self.recoveredByMail }
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
                guard var current = found, current.credential == record.credential, current.account == nil
                else { return .keep(false) }
                current.credential = credential
                current.format = configuration.format
                current.throttle.clear()
                return .write(current, true)
            }
            if isRecorded { return .recovered(UnlockProof(user: user, key: key, method: .passcode)) }
        }
        return .notSet
    }

    /// Whether the passcode of a record has a recovery passphrase. A passcode with an account is reset by
    /// mail instead.
    func isRecoverable(_ record: PasscodeRecord) -> Bool {
        guard account == nil, record.account == nil, case .sealed(let sealed) = record.credential else {
            return false
        }
        return sealer.isRecoverable(sealed)
    }

    private static let recoveredByMail = PasscodeError(
        PasscodeAccountError(code: .unavailable, message: "a passcode of an account is reset by mail")
    )

    /// Returns the count of wrong passcodes that the hardware keeps for the passcode's sealed key. The
    /// hardware returns the count even when its limit is reached.
    ///
    /// The result is `nil` if no passcode is set, or if the passcode's key is not sealed by hardware.
    ///
    /// - Throws: ``PasscodeErrorCode/sealer`` when the hardware cannot be asked; ``PasscodeError`` when the
    ///   record cannot be read.
    public func hardwareCount() async throws(PasscodeError) -> HardwareCount? {
        guard case .sealed(let sealed) = try await records.read()?.credential else { return nil }
        do { return try await sealer.count(of: sealed, context: context) } catch {
            throw PasscodeError(error)
        }
    }

    /// Throws an error if the hardware that sealed the passcode's key cannot be found. Without this hardware
    /// no passcode can unlock the app. An app calls this method before it shows content that it may have to
    /// lock.
    ///
    /// The method throws no other error of the hardware or the store, because the lock's screens show these
    /// errors.
    ///
    /// - Throws: ``PasscodeErrorCode/sealer`` with the cause
    ///   ``/PortcullisCore/PasscodeSealerErrorCode/hardwareMissing``.
    public func demandHardware() async throws(PasscodeError) {
        do throws(PasscodeError) { _ = try await hardwareCount() } catch {
            guard (error.cause as? PasscodeSealerError)?.code == .hardwareMissing else { return }
            throw error
        }
    }
}

/// The result of an attempt to recover with a passphrase.
public enum PasscodeRecovery: Sendable {
    /// The new passcode is set.
    case recovered(UnlockProof)
    /// The passphrase is wrong. Nothing changed.
    case wrongPassphrase
    /// No passcode is set, or the record has only the hash of another app and no key yet.
    case notSet
}
