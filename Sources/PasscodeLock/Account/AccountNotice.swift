/// A change in the account's status that the app reports to the person.
public enum AccountNotice: Sendable, Hashable {
    /// Another device changed the passcode. The account checks the next passcode that is entered on this
    /// device.
    case changedElsewhere
    /// Another device switched the passcode off. A locked app stays locked until it is unlocked. After that
    /// the app no longer locks.
    case switchedOffElsewhere
    /// An administrator switched passcodes off for this account.
    case disabled
    /// An administrator switched passcodes on again for this account.
    case enabled
    /// The account has carried out an act of this device. The device received no answer to the act, and
    /// learned the outcome from the account's status.
    case carriedOut(AccountAct)
    /// The account has not carried out an act of this device. The device received no answer to the act, and
    /// learned the outcome from the account's status.
    case notCarriedOut(AccountAct)
}

/// A change of the passcode that a person requests from the account.
public enum AccountAct: String, Sendable, Hashable, Codable {
    /// The person sets the first passcode.
    case set
    /// The person changes the passcode.
    case change
    /// The person sets another passcode with a reset code.
    case reset
    /// The person switches the passcode off.
    case switchOff
}

/// The account's status, and the changes on this device that followed from the status.
public struct AccountReport: Sendable, Hashable {
    /// Whether the account has a passcode.
    public var hasPasscode: Bool
    /// Whether passcodes are switched on for this account. An administrator can switch them off.
    public var isEnabled: Bool
    /// The changes on this device that followed from the status.
    public var notices: [AccountNotice]

    /// Makes a report.
    public init(hasPasscode: Bool, isEnabled: Bool, notices: [AccountNotice] = []) {
        self.hasPasscode = hasPasscode
        self.isEnabled = isEnabled
        self.notices = notices
    }
}
