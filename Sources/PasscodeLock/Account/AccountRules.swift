internal import PortcullisCore

/// What an account's answers do to a device's record: pure values, an event and what becomes of the record.
///
/// - The server's answer wins: a passcode that was changed elsewhere makes the device's own one count no more until
///   the account has been asked.
/// - It never weakens: no answer but the one to a passcode or a code makes another passcode right, removes a record
///   that locks, or lengthens a timeout. What was switched off elsewhere keeps what is locked now locked.
/// - What may have been carried out is not forgotten before the account's status has told.
struct AccountRules: Sendable {
    /// What happens.
    enum Event: Sendable, Hashable {
        /// The account told its status; `fresh` is a revision that was never used.
        case heard(AccountPasscodeStatus, fresh: AccountRevision)
        /// An act is about to be sent.
        case began(AccountShare.Act)
        /// The account carried it out.
        case carriedOut(AccountShare.Act)
        /// It was certainly not carried out.
        case failed(AccountShare.Act)
        /// Setting the first passcode did not reach the account, or it is unknown whether it did: it is set
        /// here.
        case postponed(AccountShare.Act, wasSent: Bool)
        /// The account's passcode is another than this device believed.
        case contradicted
        /// The account said that a passcode is right, which opens this credential.
        case confirmed(PasscodeRecord.Credential, format: PasscodeFormat, keepsKey: Bool)
        /// The passcode whose upload is pending is about to be sent.
        case uploadBegan
        /// It certainly did not arrive.
        case uploadFailed
        /// The account has it.
        case uploadDone
        /// It was changed here before it was ever sent.
        case pendingUploadReplaced(SealedKey, format: PasscodeFormat, fresh: AccountRevision)
    }

    /// A record without a credential of its own: what a device begins with.
    let blank: PasscodeRecord

    /// Takes an event.
    ///
    /// - Returns: the record afterwards (`nil`: none), and what the person should hear of.
    func after(_ event: Event, _ found: PasscodeRecord?) -> (
        record: PasscodeRecord?, notices: [AccountNotice]
    ) {
        switch event {
        case .heard(let status, let fresh): hear(status, fresh, found)
        case .began(let act): (begin(act, found), [])
        case .carriedOut(let act): (carryOut(act, found), [])
        case .failed(let act): (drop(act, found), [])
        case .postponed(let act, let wasSent): (postpone(act, wasSent, found), [])
        case .contradicted: (contradict(found), [])
        case .confirmed(let credential, let format, let keepsKey):
            (confirm(credential, format, keepsKey, found), [])
        case .uploadBegan: (editPendingUpload(found) { .pendingUpload($0, wasSent: true) }, [])
        case .uploadFailed: (editPendingUpload(found) { .pendingUpload($0, wasSent: false) }, [])
        case .uploadDone: (deliver(found), [])
        case .pendingUploadReplaced(let key, let format, let fresh):
            (replacePendingUpload(key, format, fresh, found), [])
        }
    }

    // MARK: What the account tells

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
            // A passcode of this device alone meets an account.
            let standing: AccountShare.Standing =
                status.hasPasscode ? .unconfirmed : .pendingUpload(fresh, wasSent: false)
            record.account = AccountShare(standing: standing, revision: status.revision)
            if status.hasPasscode { record.format = blank.format }
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
                record.format = blank.format
                notices.append(.changedElsewhere)
            }
        } else if status.hasPasscode {
            if status.revision != share.revision || share.isSwitchedOff {
                if share.standing == .confirmed { notices.append(.changedElsewhere) }
                share.standing = .unconfirmed
                share.isSwitchedOff = false
                record.format = blank.format
            }
        } else if status.revision == nil {
            // An account that never had a passcode is not the one that confirmed this: a server that lost its data
            // must not open anything, and gets the passcode again.
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
        // An invalid timeout of the server is ignored.
        if status.timeout.isValid { record.account?.timeout = status.timeout }
        return record
    }

    // MARK: Acts

    private func begin(_ act: AccountShare.Act, _ found: PasscodeRecord?) -> PasscodeRecord {
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

    /// The person's own act, with the answer in hand.
    private func carryOut(_ act: AccountShare.Act, _ found: PasscodeRecord?) -> PasscodeRecord? {
        guard let record = found, let share = record.account else { return found }
        if share.act == act { return act.kind == .switchOff ? nil : resolve(act, record) }
        // The status has told before, or something else came between: then the account has to be asked.
        return share.revision == act.revision ? record : contradict(record)
    }

    /// An act that is known to be carried out. A record that locks is not removed by what a status says.
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
        record.format = blank.format
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
        // Another key than the one that biometrics release: they wait for the passcode once more.
        if !keepsKey { record.biometrics?.enrolmentDigest = nil }
        record.throttle.clear()
        return record
    }

    // MARK: A passcode that was set offline

    private func editPendingUpload(
        _ found: PasscodeRecord?,
        _ standing: (AccountRevision) -> AccountShare.Standing
    ) -> PasscodeRecord? {
        guard var record = found, case .pendingUpload(let revision, _)? = record.account?.standing else {
            return found
        }
        record.account?.standing = standing(revision)
        return record
    }

    private func deliver(_ found: PasscodeRecord?) -> PasscodeRecord? {
        guard var record = found, case .pendingUpload(let revision, _)? = record.account?.standing else {
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
