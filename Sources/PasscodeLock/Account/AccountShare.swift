internal import PortcullisCore

/// The part of a device's record that concerns the account. The record has this part once the passcode is
/// shared with an account.
///
/// This part alone cannot unlock the app. An act holds a sealed key of its own. That key replaces the
/// record's key only after the account has carried the act out.
struct AccountShare: Sendable, Hashable, Codable {
    /// The relation between the device's credential and the account's passcode.
    enum Standing: Sendable, Hashable, Codable {
        /// The account has confirmed that it has the passcode of this device. The device checks the passcode
        /// without asking the account.
        case confirmed
        /// The account may have another passcode. The device asks the account once before it relies on its
        /// own credential again.
        case unconfirmed
        /// The passcode was set while the account could not be reached. When the person enters the passcode
        /// the next time, the device sends it to the account under this revision. `wasSent` is `true` if an
        /// earlier attempt may have reached the account.
        case pendingUpload(AccountRevision, wasSent: Bool)
    }

    /// An act whose answer is not known yet. The device writes the act to the record before sending it.
    struct Act: Sendable, Hashable, Codable {
        var kind: AccountAct
        /// The revision that the account has after it has carried the act out.
        var revision: AccountRevision
        /// The key sealed under the new passcode; `nil` when the act switches the passcode off.
        var candidate: SealedKey?
        /// The format of the new passcode.
        var format: PasscodeFormat
    }

    var standing: Standing
    /// The revision that the account reported or accepted last.
    var revision: AccountRevision?
    /// The timeout that the account reported or accepted last.
    var timeout: AccountTimeout?
    /// Whether a status of the account showed that the passcode is switched off. The record stays until a
    /// right passcode or a log-out removes the record, or a new passcode replaces it.
    var isSwitchedOff = false
    var act: Act?

    /// The revision of a passcode that was set while the account could not be reached, and still has to be
    /// sent; `nil` if no upload is pending.
    var pendingRevision: AccountRevision? {
        if case .pendingUpload(let revision, _) = standing { revision } else { nil }
    }

    /// Whether a passcode still has to be sent to the account.
    var isUploadPending: Bool { pendingRevision != nil }

    /// Whether every value is in the range that this library writes.
    var isSane: Bool { timeout?.isValid ?? true && act?.format.isValid ?? true }
}

extension PasscodeRecord {
    /// Whether the record has a passcode that locks. The result is `false` while the first passcode is being
    /// sent to the account, and after the passcode was switched off elsewhere.
    var isSet: Bool { credential != .none && account?.isSwitchedOff != true }

    /// Whether the device has to ask the account to check the next passcode.
    ///
    /// An account whose passcode was switched off can check none. So the device then checks the passcode with
    /// its own credential, if it has one.
    var needsAccount: Bool {
        guard let account, account.standing == .unconfirmed else { return false }
        return !account.isSwitchedOff || credential == .account
    }

    /// Whether the account has to tell its status before the next passcode is tried. After the passcode was
    /// changed elsewhere and then switched off, the device's own opens only if the account says now that it
    /// has none.
    var needsStatus: Bool { account?.standing == .unconfirmed }

    /// The format in which the next passcode is entered. The format of a passcode that was changed elsewhere
    /// is not known, so it is the configured one. A device without a credential of its own has stored the
    /// format that was configured when it heard of the passcode.
    func askedFormat(configured: PasscodeFormat) -> PasscodeFormat {
        needsAccount && credential != .account ? configured : format
    }

    var standing: PasscodeStanding {
        guard let account else { return .local }
        if account.isSwitchedOff { return .switchedOff }
        return switch account.standing {
        case .confirmed: .confirmed
        case .unconfirmed: .unconfirmed
        case .pendingUpload: .pendingUpload
        }
    }

    /// The shorter of the device's timeout and the account's: the account can only shorten a timeout.
    var effectiveTimeout: LockTimeout {
        guard case .minutes(let minutes)? = account?.timeout else { return timeout }
        let limit = Duration.seconds(60 * minutes)
        return switch timeout {
        case .never: .after(limit)
        case .after(let own): .after(min(own, limit))
        }
    }
}

extension AccountTimeout {
    /// Makes the timeout that is sent to the account: whole minutes, rounded up. The device keeps the exact
    /// timeout.
    init(_ timeout: LockTimeout) {
        switch timeout {
        case .never: self = .never
        case .after(let duration):
            let seconds = duration.components.seconds + (duration.components.attoseconds > 0 ? 1 : 0)
            self = .minutes(Int(min((seconds + 59) / 60, 525_600)))
        }
    }
}
