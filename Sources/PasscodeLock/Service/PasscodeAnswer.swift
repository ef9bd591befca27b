public import PortcullisCore

/// What became of a passcode that was tried.
public enum PasscodeAnswer: Sendable {
    /// It was right, and what was asked for is done.
    case right(UnlockProof)
    /// It was wrong: the failures in a row, and how long to wait before the next try (zero: not at all).
    case wrong(failures: Int, retryAfter: Duration)
    /// It was not looked at and not counted: so long is still to wait.
    case throttled(retryAfter: Duration)
    /// Too many failures: the policy's action has been carried out.
    case limitReached(ThrottlePolicy.LimitAction)
    /// It was not looked at and not counted: the hardware that its key is sealed in has counted as many wrong ones as it
    /// takes, and refuses the right one as well. Logging out is the way out.
    case triesExhausted
    /// There is no passcode.
    case notSet

    /// Whether it was right.
    public var isRight: Bool {
        if case .right = self { true } else { false }
    }
}

/// Evidence that a person has just shown who they are: only the service makes it.
public struct UnlockProof: Sendable {
    /// Whom it is about.
    public let user: UserID
    /// The key that the passcode, or an authenticator that releases keys, opened; `nil` from one that only
    /// asserts.
    public let key: SecretBytes?
    /// What it was given by.
    public let method: UnlockMethod

    init(user: UserID, key: SecretBytes?, method: UnlockMethod) {
        self.user = user
        self.key = key
        self.method = method
    }
}

/// What is known of a user's passcode without asking for it.
public struct PasscodeStatus: Sendable, Hashable {
    /// Whether a passcode is set.
    public var isSet: Bool
    /// Whether it locks; an account's administrator may have switched it off.
    public var isEnabled: Bool
    /// Wrong passcodes in a row.
    public var failures: Int
    /// How long to wait before the next try; zero: not at all.
    public var retryAfter: Duration
    /// The format the passcode was set with; the configured one when none is set.
    public var format: PasscodeFormat
    /// The timeout; the configured one when no passcode is set.
    public var timeout: LockTimeout
    /// Whether the user chose biometrics.
    public var usesBiometrics: Bool
    /// What of the lock's state was written down.
    public var lock: LockMark
    /// How the passcode stands to the account that it is shared with.
    public var standing: PasscodeStanding

    /// A status of these parts.
    public init(
        isSet: Bool,
        isEnabled: Bool,
        failures: Int,
        retryAfter: Duration,
        format: PasscodeFormat,
        timeout: LockTimeout,
        usesBiometrics: Bool,
        lock: LockMark,
        standing: PasscodeStanding = .local
    ) {
        self.isSet = isSet
        self.isEnabled = isEnabled
        self.failures = failures
        self.retryAfter = retryAfter
        self.format = format
        self.timeout = timeout
        self.usesBiometrics = usesBiometrics
        self.lock = lock
        self.standing = standing
    }
}

/// How a passcode of this device stands to an account's.
public enum PasscodeStanding: Sendable, Hashable {
    /// There is no account, or it has not been asked yet.
    case local
    /// The account has the same one; it is checked on this device.
    case confirmed
    /// The account may have another one: the next one entered is checked with it.
    case unconfirmed
    /// It was set while the account could not be reached, and is sent when it is next entered.
    case pendingUpload
    /// The account's was switched off elsewhere; what is locked stays locked until it is opened.
    case switchedOff
}

/// Biometrics as they can be offered at an instant.
public struct BiometricOffer: Sendable, Hashable {
    /// The kind there is.
    public var kind: BiometricKind
    /// Whether the user chose them.
    public var isEnabled: Bool
    /// Whether a prompt may be shown: chosen, available, with the same fingers or faces as when chosen, and
    /// releasing a key where one is needed.
    public var isUsable: Bool
    /// Whether they could be chosen now.
    public var canEnable: Bool

    /// An offer of these parts.
    public init(kind: BiometricKind, isEnabled: Bool, isUsable: Bool, canEnable: Bool) {
        self.kind = kind
        self.isEnabled = isEnabled
        self.isUsable = isUsable
        self.canEnable = canEnable
    }
}
