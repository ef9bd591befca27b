internal import AdapterKit
internal import PortcullisCore

/// What a right passcode changes in the record.
extension PasscodeService {
    typealias ClearedThrottle = (before: Throttle, after: Throttle)

    /// Clears the count of failures before an act. If the account does not accept the passcode, the count is
    /// restored.
    ///
    /// - Returns: the throttle before and after the change; `nil` when the record no longer holds the
    ///   passcode that was tried.
    func clearBeforeAct(_ tried: PasscodeRecord) async throws(PasscodeError) -> ClearedThrottle? {
        try await records.update { found throws(PasscodeError) -> RecordStore.Change<ClearedThrottle?> in
            guard var record = found, record.credential == tried.credential else { return .keep(nil) }
            let before = record.throttle
            record.throttle.clear()
            return .write(record, (before, record.throttle))
        }
    }

    /// Clears the count and applies the consequence, in one write. An earlier write has counted the try.
    ///
    /// - Returns: the record that was written or removed; `nil` when the record no longer holds the tried
    ///   passcode, or when the passcode's standing at the account has changed so that the consequence does
    ///   not fit.
    func clear(
        _ tried: PasscodeRecord,
        _ consequence: Consequence
    ) async throws(PasscodeError) -> PasscodeRecord? {
        try await records.update { found throws(PasscodeError) -> RecordStore.Change<PasscodeRecord?> in
            guard var record = found else { return .keep(nil) }
            if case .account(let event) = consequence {
                // With `pendingUploadReplaced`, the person has replaced the tried passcode offline. The event
                // does not apply to the record if another change has replaced that passcode first, or if
                // another task or process has sent that passcode to the account.
                if case .pendingUploadReplaced = event,
                    record.credential != tried.credential
                        || record.account?.pendingRevision != tried.account?.pendingRevision
                {
                    return .keep(nil)
                }
                // The credentials are not compared for other events, because the rules also handle a record
                // that has changed meanwhile.
                record.throttle.clear()
                guard let new = rules.after(event, record).record else { return .remove(record) }
                return .write(new, new)
            }
            guard record.credential == tried.credential else { return .keep(nil) }
            record.throttle.clear()
            switch consequence {
            case .remove:
                // Another task or process may have sent the passcode to the account meanwhile. The passcode
                // then has to be switched off at the account before the record is removed. Or the account,
                // whose passcode was switched off, has another one meanwhile, and has to check the passcode.
                guard record.account?.standing == tried.account?.standing,
                    record.account?.isSwitchedOff == tried.account?.isSwitchedOff
                else { return .keep(nil) }
                return .remove(record)
            case .keepRecord, .account, .answer, .fail: break
            case .replace(let new):
                // Another process may have asked an account for the first time meanwhile. A passcode that an
                // account shares must not be replaced on this device only.
                guard record.account == nil else { return .keep(nil) }
                // Only the fields of the passcode are replaced, so that a timeout set meanwhile stays.
                record.credential = new.credential
                record.format = new.format
            }
            return .write(record, record)
        }
    }

    /// Brings the record up to date after a right passcode:
    ///
    /// - If the passcode has matched a hash of another app, the key is sealed.
    /// - A seal that is too weak is replaced.
    /// - If biometrics are on and the enrolment digest is missing or out of date, the key is enrolled again.
    ///   This is not done if enrolling needs the person.
    ///
    /// If replacing a weak seal or enrolling fails, the passcode still counts as right. The next right
    /// passcode tries again. After a match with a hash, sealing must succeed, because the new key is stored
    /// nowhere else.
    ///
    /// - Returns: the credential that holds the key; `nil` if the record does not hold this key. For example,
    ///   two processes match a hash at the same time, and each makes a key. The first process replaces the
    ///   hash by its sealed key. The second process gets `nil` and checks the passcode again. This check
    ///   opens the stored key.
    func refresh(
        _ record: PasscodeRecord,
        _ passcode: SecretBytes,
        _ key: SecretBytes
    ) async throws(PasscodeError) -> PasscodeRecord.Credential? {
        var credential = record.credential
        switch record.credential {
        case .legacy:
            guard let sealed = try await reseal(record, passcode, key) else { return nil }
            credential = sealed
        case .sealed(let sealed):
            if sealer.isOutdated(sealed),
                let stronger = try? await reseal(record, passcode, key)
            {
                credential = stronger
            }
        case .account, .none:
            break
        }
        if let choice = record.biometrics { await renewBiometrics(choice, key, of: credential) }
        return credential
    }

    /// Seals a key anew, and stores the new credential.
    ///
    /// - Returns: the new credential; `nil` if the credential was replaced meanwhile.
    private func reseal(
        _ record: PasscodeRecord,
        _ passcode: SecretBytes,
        _ key: SecretBytes
    ) async throws(PasscodeError) -> PasscodeRecord.Credential? {
        let credential = PasscodeRecord.Credential.sealed(
            try await seal(key, under: passcode, replacing: record.credential)
        )
        return try await records.update {
            found throws(PasscodeError) -> RecordStore.Change<PasscodeRecord.Credential?> in
            guard var current = found, current.credential == record.credential else { return .keep(nil) }
            current.credential = credential
            return .write(current, credential)
        }
    }
}
