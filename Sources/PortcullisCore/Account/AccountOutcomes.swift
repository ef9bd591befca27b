/// How setting an account's first passcode ended.
public enum AccountSetOutcome: Sendable, Hashable {
    /// It is set.
    case set
    /// There is one already; it was not looked at whether it is the same.
    case alreadySet
}

/// What became of a passcode that an account was asked about.
public enum AccountVerifyOutcome: Sendable, Hashable {
    /// It was right, and what was asked for is done.
    case right
    /// It was wrong: the failures in a row, and how long to wait before the next try (zero: not at all).
    case wrong(failures: Int, retryAfter: Duration)
    /// The account has no passcode.
    case notSet
}

/// What became of a reset code.
///
/// A server that must not tell more answers ``refused`` for all that is not ``reset``.
public enum AccountResetOutcome: Sendable, Hashable {
    /// It was right, and the new passcode is set.
    case reset
    /// It is not the code that was sent for the request.
    case refused
    /// It was sent too long ago; another has to be requested.
    case expired
    /// It was used, or tried too often; another has to be requested.
    case usedUp
}
