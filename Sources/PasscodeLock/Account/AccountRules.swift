internal import PortcullisCore

/// The rules by which an account's answers change a device's record. The rules are pure: ``after(_:_:)``
/// computes the new record from an event and the old record.
///
/// - If the device's record and the account differ, the account is right. After the passcode was changed on
///   another device, no passcode unlocks on this device until the account has confirmed that passcode.
/// - No status of the account unlocks the app or removes a record that locks. A status makes another
///   passcode valid only if this device sent that passcode and the status confirms it. No status lengthens
///   the timeout beyond the device's own. After the passcode was switched off elsewhere, a locked app stays
///   locked. The account then has no passcode that it could confirm, so the device's own passcode unlocks
///   once. If the passcode was changed elsewhere before, it unlocks only while the account answers that it
///   has none.
/// - While it is unknown whether an act was carried out, the record keeps the act. The account's status shows
///   the outcome.
struct AccountRules: Sendable {
    /// A step of the exchange with the account.
    enum Event: Sendable, Hashable {
        /// The account reported its status. `fresh` is a new revision for a passcode that has to be uploaded.
        case heard(AccountPasscodeStatus, fresh: AccountRevision)
        /// The device is about to send an act. `hadRecord` is `true` if the device had a record when it began
        /// to prepare the act.
        case began(AccountShare.Act, hadRecord: Bool)
        /// The account carried the act out. `since` is the account's revision in the record at the time when
        /// the act began.
        case carriedOut(AccountShare.Act, since: AccountRevision?)
        /// The account certainly did not carry the act out.
        case failed(AccountShare.Act)
        /// The device sets the first passcode without the account, because the account was not reached or its
        /// answer was lost. `wasSent` is `true` if the passcode may have reached the account.
        case postponed(AccountShare.Act, wasSent: Bool)
        /// The account's passcode differs from this device's passcode.
        case contradicted
        /// The account said that the entered passcode is right. The passcode opens this credential.
        /// `keepsKey` is `false` if the credential has a new key.
        case confirmed(PasscodeRecord.Credential, format: PasscodeFormat, keepsKey: Bool)
        /// The device is about to send the passcode whose upload is pending under this revision.
        case uploadBegan(AccountRevision)
        /// The passcode of this revision certainly did not reach the account.
        case uploadFailed(AccountRevision)
        /// The account has received the passcode of this revision.
        case uploadDone(AccountRevision)
        /// The person replaced a passcode whose upload was pending, before the device had sent it. The key is
        /// sealed under the new passcode, and `fresh` is the new passcode's revision.
        case pendingUploadReplaced(SealedKey, format: PasscodeFormat, fresh: AccountRevision)
    }

    /// The record that a device begins with. It has no credential of its own.
    let blank: PasscodeRecord

    /// Applies an event to a record.
    ///
    /// - Returns: the new record, or `nil` if the record is removed, and the changes that the app reports to
    ///   the person.
    func after(_ event: Event, _ found: PasscodeRecord?) -> (
        record: PasscodeRecord?, notices: [AccountNotice]
    ) {
        switch event {
        case .heard(let status, let fresh): hear(status, fresh, found)
        case .began(let act, let hadRecord): (begin(act, hadRecord, found), [])
        case .carriedOut(let act, let since): (carryOut(act, since, found), [])
        case .failed(let act): (drop(act, found), [])
        case .postponed(let act, let wasSent): (postpone(act, wasSent, found), [])
        case .contradicted: (contradict(found), [])
        case .confirmed(let credential, let format, let keepsKey):
            (confirm(credential, format, keepsKey, found), [])
        case .uploadBegan(let revision): (markUpload(revision, wasSent: true, found), [])
        case .uploadFailed(let revision): (markUpload(revision, wasSent: false, found), [])
        case .uploadDone(let revision): (deliver(revision, found), [])
        case .pendingUploadReplaced(let key, let format, let fresh):
            (replacePendingUpload(key, format, fresh, found), [])
        }
    }

    // MARK: Statuses of the account

    private func hear(
        _ status: AccountPasscodeStatus,
        _ fresh: AccountRevision,
        _ found: PasscodeRecord?
    ) -> (record: PasscodeRecord?, notices: [AccountNotice]) {
        guard var record = found else {
            return (status.hasPasscode ? known(status, blank) : nil, [])
        }
        var notices: [AccountNotice] = []
        if record.isSet, status.isEnabled != record.isEnabled {
            notices.append(status.isEnabled ? .enabled : .disabled)
        }
        guard var share = record.account else {
            // The record has no account data, so the passcode was used on this device only. This status is
            // the first one from an account.
            let standing: AccountShare.Standing =
                status.hasPasscode ? .unconfirmed : .pendingUpload(fresh, wasSent: false)
            record.account = AccountShare(standing: standing, revision: status.revision)
            return (settings(status, record), notices + (status.hasPasscode ? [.changedElsewhere] : []))
        }
        if let act = share.act {
            if act.revision == status.revision {
                return (settings(status, resolve(act, record)), notices + [.carriedOut(act.kind)])
            }
            share.act = nil
            record.account = share
            notices.append(.notCarriedOut(act.kind))
            if record.credential == .none {
                return (status.hasPasscode ? known(status, blank) : nil, notices)
            }
        }
        if case .pendingUpload(let revision, _) = share.standing {
            if status.revision == revision, status.hasPasscode {
                share.standing = .confirmed
            } else if status.hasPasscode {
                share.standing = .unconfirmed
                notices.append(.changedElsewhere)
            }
        } else if status.hasPasscode {
            if status.revision != share.revision || share.isSwitchedOff {
                if share.standing == .confirmed { notices.append(.changedElsewhere) }
                share.standing = .unconfirmed
                share.isSwitchedOff = false
                if record.credential == .account { record.format = blank.format }
            }
        } else if status.revision == nil {
            // The server says that the account never had a passcode. If the account confirmed this passcode
            // earlier, the server has lost its data. Such a loss must not switch the passcode off, so the
            // passcode is uploaded again.
            if share.standing == .confirmed, !share.isSwitchedOff {
                share.standing = .pendingUpload(fresh, wasSent: false)
            }
        } else if status.revision != share.revision {
            if !share.isSwitchedOff { notices.append(.switchedOffElsewhere) }
            share.isSwitchedOff = true
        }
        share.revision = status.revision
        record.account = share
        return (settings(status, record), notices)
    }

    private func known(_ status: AccountPasscodeStatus, _ blank: PasscodeRecord) -> PasscodeRecord {
        var record = blank
        record.credential = .account
        record.account = AccountShare(standing: .unconfirmed, revision: status.revision)
        return settings(status, record)
    }

    private func settings(_ status: AccountPasscodeStatus, _ record: PasscodeRecord) -> PasscodeRecord {
        var record = record
        record.isEnabled = status.isEnabled
        if status.timeout.isValid { record.account?.timeout = status.timeout }
        return record
    }

    // MARK: Acts

    /// Adds an act to the record. A log-out may have removed the record since the device began to prepare the
    /// act. The act then makes no new record, so the log-out leaves nothing behind. If another process has
    /// begun to set a first passcode meanwhile, the act of that process stays. Without that act, its passcode
    /// would be set at the account only.
    private func begin(
        _ act: AccountShare.Act,
        _ hadRecord: Bool,
        _ found: PasscodeRecord?
    ) -> PasscodeRecord? {
        if act.kind != .set, found.map({ $0.credential == .none }) ?? hadRecord { return found }
        var record: PasscodeRecord
        if let found, act.kind != .set || found.credential == .none {
            record = found
        } else {
            record = blank
            record.credential = .none
        }
        var share = record.account ?? AccountShare(standing: .unconfirmed)
        if share.revision == nil { share.revision = found?.account?.revision }
        share.act = act
        record.account = share
        return record
    }

    /// Applies the account's answer to an act of this device.
    ///
    /// The act may be missing in the record. In this case another process read a status before the act
    /// reached the account, and removed the act from the record. Then the account carried the act out, and
    /// the new passcode opens only the act's sealed key. So the record takes over this key. The account's
    /// passcode may have changed once more since. So the account checks the next passcode.
    ///
    /// An act that switches the passcode off has no sealed key. After such an act the record is removed,
    /// because no passcode could open it any more.
    private func carryOut(
        _ act: AccountShare.Act,
        _ since: AccountRevision?,
        _ found: PasscodeRecord?
    ) -> PasscodeRecord? {
        guard var record = found, let share = record.account else { return found }
        if share.act == act { return act.kind == .switchOff ? nil : resolve(act, record) }
        // If another act has begun meanwhile, such as one that sets a new passcode, the record stays.
        if act.kind == .switchOff, share.act == nil, !share.isUploadPending,
            share.isSwitchedOff ? share.revision == act.revision : share.revision == since
        {
            return nil
        }
        guard let candidate = act.candidate, record.credential != .sealed(candidate),
            share.revision == since || share.revision == act.revision, !share.isUploadPending
        else {
            // If the record has the act's revision, a status has already shown that the act was carried out,
            // and the record stays. With any other revision, this device cannot be sure which passcode the
            // account has now. So the account has to check the next passcode.
            return share.revision == act.revision ? record : contradict(record)
        }
        record.credential = .sealed(candidate)
        record.format = act.format
        record.account?.standing = .unconfirmed
        record.account?.isSwitchedOff = false
        // Biometrics may release the key of another credential. So biometrics stay off until the passcode is
        // entered correctly.
        record.biometrics?.enrolmentDigest = nil
        return record
    }

    /// Applies an act that the account has certainly carried out, according to its status or its answer.
    ///
    /// If the act switches the passcode off, this function is called only for a status. The function then
    /// marks the record as switched off. It does not remove the record, because the status may be false.
    private func resolve(_ act: AccountShare.Act, _ record: PasscodeRecord) -> PasscodeRecord {
        var record = record
        record.account?.act = nil
        record.account?.revision = act.revision
        record.account?.isSwitchedOff = act.kind == .switchOff
        guard let candidate = act.candidate else { return record }
        if act.kind == .reset { record.biometrics?.enrolmentDigest = nil }
        record.credential = .sealed(candidate)
        record.format = act.format
        record.account?.standing = .confirmed
        record.throttle.clear()
        return record
    }

    private func drop(_ act: AccountShare.Act, _ found: PasscodeRecord?) -> PasscodeRecord? {
        guard var record = found, record.account?.act == act else { return found }
        if record.credential == .none { return nil }
        record.account?.act = nil
        return record
    }

    private func postpone(
        _ act: AccountShare.Act,
        _ wasSent: Bool,
        _ found: PasscodeRecord?
    ) -> PasscodeRecord? {
        guard var record = found, record.account?.act == act, let candidate = act.candidate else {
            return found
        }
        record.credential = .sealed(candidate)
        record.format = act.format
        record.account?.act = nil
        record.account?.standing = .pendingUpload(act.revision, wasSent: wasSent)
        return record
    }

    private func contradict(_ found: PasscodeRecord?) -> PasscodeRecord? {
        guard var record = found, record.account != nil else { return found }
        record.account?.standing = .unconfirmed
        record.account?.act = nil
        if record.credential == .none { record.credential = .account }
        return record
    }

    private func confirm(
        _ credential: PasscodeRecord.Credential,
        _ format: PasscodeFormat,
        _ keepsKey: Bool,
        _ found: PasscodeRecord?
    ) -> PasscodeRecord? {
        guard var record = found, record.needsAccount else { return found }
        record.credential = credential
        record.format = format
        record.account?.standing = .confirmed
        record.account?.isSwitchedOff = false
        // If the record has a new key, biometrics would still release the old key. So biometrics stay off
        // until the authenticator has enrolled the new key.
        if !keepsKey { record.biometrics?.enrolmentDigest = nil }
        record.throttle.clear()
        return record
    }

    // MARK: A passcode that was set offline

    private func markUpload(
        _ revision: AccountRevision,
        wasSent: Bool,
        _ found: PasscodeRecord?
    ) -> PasscodeRecord? {
        guard var record = found, case .pendingUpload(revision, _)? = record.account?.standing else {
            return found
        }
        record.account?.standing = .pendingUpload(revision, wasSent: wasSent)
        return record
    }

    private func deliver(_ revision: AccountRevision, _ found: PasscodeRecord?) -> PasscodeRecord? {
        guard var record = found, case .pendingUpload(revision, _)? = record.account?.standing else {
            return found
        }
        record.account?.standing = .confirmed
        record.account?.revision = revision
        return record
    }

    private func replacePendingUpload(
        _ key: SealedKey,
        _ format: PasscodeFormat,
        _ fresh: AccountRevision,
        _ found: PasscodeRecord?
    ) -> PasscodeRecord? {
        guard var record = found, case .pendingUpload? = record.account?.standing else { return found }
        record.credential = .sealed(key)
        record.format = format
        record.account?.standing = .pendingUpload(fresh, wasSent: false)
        return record
    }
}
