internal import PortcullisCore

/// What a device's record knows of the account that the passcode is shared with.
///
/// Nothing here can open anything by itself: an act that was begun keeps its own sealed key, which takes the place
/// of the record's only when the account has carried the act out.
struct AccountShare: Sendable, Hashable, Codable {
    /// How the device's credential stands to the account's passcode.
    enum Standing: Sendable, Hashable, Codable {
        /// The account has said that it is the same; checked locally.
        case confirmed
        /// It may be another one: the account has to be asked, once, before it counts.
        case unconfirmed
        /// Set here while the account could not be reached; to be sent under this revision when it is next entered.
        case pendingUpload(AccountRevision, wasSent: Bool)
    }

    /// An act of which the answer is not known yet; written down before it is sent.
    struct Act: Sendable, Hashable, Codable {
        var kind: AccountAct
        /// The account's revision once it is carried out.
        var revision: AccountRevision
        /// The key sealed under the new passcode; `nil` for switching off.
        var candidate: SealedKey?
        /// What the new passcode looks like.
        var format: PasscodeFormat
    }

    var standing: Standing
    /// The account's revision as last heard.
    var revision: AccountRevision?
    /// The account's timeout as last heard.
    var timeout: AccountTimeout?
    /// The account's passcode was switched off elsewhere: the record only holds what is locked now.
    var isSwitchedOff = false
    var act: Act?

    /// Whether every value is one that this library could have written.
    var isSane: Bool { timeout?.isValid ?? true && act?.format.isValid ?? true }
}

extension PasscodeRecord {
    /// Whether a passcode locks or did: not so while the first one is only being sent.
    var isSet: Bool { credential != .none && account?.isSwitchedOff != true }

    /// Whether only the account can say what the passcode is.
    var needsAccount: Bool { account?.standing == .unconfirmed }

    var standing: PasscodeStanding {
        guard let account else { return .local }
        if account.isSwitchedOff { return .switchedOff }
        return switch account.standing {
        case .confirmed: .confirmed
        case .unconfirmed: .unconfirmed
        case .pendingUpload: .pendingUpload
        }
    }

    /// The stricter of the device's timeout and the account's: what the account says can only shorten it.
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
    /// What the account is told of a timeout: whole minutes, rounded up, because the device keeps the exact one.
    init(_ timeout: LockTimeout) {
        switch timeout {
        case .never: self = .never
        case .after(let duration):
            let seconds = duration.components.seconds + (duration.components.attoseconds > 0 ? 1 : 0)
            self = .minutes(Int(min((seconds + 59) / 60, 525_600)))
        }
    }
}
