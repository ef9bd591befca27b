/// What a person should hear of after the account was asked.
public enum AccountNotice: Sendable, Hashable {
    /// The passcode was changed on another device: the next one entered is checked with the account.
    case changedElsewhere
    /// The passcode was switched off on another device: what is locked stays locked until it is opened, and nothing
    /// locks afterwards.
    case switchedOffElsewhere
    /// An administrator switched passcodes off.
    case disabled
    /// An administrator switched them on again.
    case enabled
    /// An act whose answer was lost was carried out.
    case carriedOut(AccountAct)
    /// An act whose answer was lost was not carried out.
    case notCarriedOut(AccountAct)
}

/// What a person wants of the account.
public enum AccountAct: String, Sendable, Hashable, Codable {
    /// Setting the first passcode.
    case set
    /// Changing it.
    case change
    /// Setting another with a code.
    case reset
    /// Switching it off.
    case switchOff
}

/// What the account told.
public struct AccountReport: Sendable, Hashable {
    /// Whether the account has a passcode.
    public var hasPasscode: Bool
    /// Whether passcodes are in use; an administrator may have switched them off.
    public var isEnabled: Bool
    /// What changed on this device by it.
    public var notices: [AccountNotice]

    /// A report of these parts.
    public init(hasPasscode: Bool, isEnabled: Bool, notices: [AccountNotice] = []) {
        self.hasPasscode = hasPasscode
        self.isEnabled = isEnabled
        self.notices = notices
    }
}
