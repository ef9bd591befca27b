/// The outcome of setting an account's first passcode.
public enum AccountSetOutcome: Sendable, Hashable {
    /// The account now has the passcode.
    case set
    /// The account already has a passcode, so the new one was not set. The two passcodes were not compared.
    case alreadySet
}

/// The account's answer to a passcode that was sent to it.
public enum AccountVerifyOutcome: Sendable, Hashable {
    /// The passcode was right, and the requested act was carried out.
    case right
    /// The passcode was wrong. `failures` counts the wrong passcodes in a row; `retryAfter` is the time to
    /// wait before the next try (zero: no wait).
    case wrong(failures: Int, retryAfter: Duration)
    /// The account has no passcode.
    case notSet
}

/// The account's answer to a reset code.
///
/// A server that must not reveal the reason returns ``refused`` in all cases except ``reset``.
public enum AccountResetOutcome: Sendable, Hashable {
    /// The code was right, and the new passcode is set.
    case reset
    /// The code differs from the code that was mailed for this request.
    case refused
    /// The code is too old. The person has to request another code.
    case expired
    /// The code was used already, or there were too many tries. The person has to request another code.
    case usedUp
}
