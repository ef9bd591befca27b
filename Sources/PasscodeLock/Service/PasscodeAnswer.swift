public import PortcullisCore

/// The result of trying a passcode.
public enum PasscodeAnswer: Sendable {
    /// The passcode was right, and the act that needed the passcode is done.
    case right(UnlockProof)
    /// The passcode was wrong. The values are the number of failures in a row and the delay before the next
    /// try. The delay may be zero.
    case wrong(failures: Int, retryAfter: Duration)
    /// A delay is still running, or the try that reached the limit of failures may still be under way. The
    /// passcode was neither checked nor counted.
    case throttled(retryAfter: Duration)
    /// There were too many failures. If ``PasscodeConfiguration/carriesOutLimitAction`` is `true`, the
    /// policy's action has been carried out. If it is `false`, the action stays due, and no passcode is tried
    /// any more.
    case limitReached(ThrottlePolicy.LimitAction)
    /// The passcode was neither checked nor counted. The hardware that holds the key has counted too many
    /// wrong passcodes, and now refuses the right passcode too. The person can use
    /// ``PasscodeService/recover(with:to:)`` or log out.
    case triesExhausted
    /// No passcode is set.
    case notSet

    /// Whether the passcode was right.
    public var isRight: Bool {
        if case .right = self { true } else { false }
    }
}

/// Evidence that the user has just proved their identity. Only ``PasscodeService`` makes such evidence.
public struct UnlockProof: Sendable {
    /// The user who gave the proof.
    public let user: UserID
    /// The key that the passcode opened or the authenticator released; `nil` if the authenticator confirmed
    /// the person without releasing a key.
    public let key: SecretBytes?
    /// The way in which the person gave the proof.
    public let method: UnlockMethod

    init(user: UserID, key: SecretBytes?, method: UnlockMethod) {
        self.user = user
        self.key = key
        self.method = method
    }
}

/// The state of a user's passcode that can be read without the passcode.
public struct PasscodeStatus: Sendable, Hashable {
    /// Whether a passcode is set.
    public var isSet: Bool
    /// Whether a passcode may lock the app. `false` while the account's administrator forbids passcodes, and
    /// if this device has no record of a passcode.
    public var isEnabled: Bool
    /// The number of wrong passcodes in a row.
    public var failures: Int
    /// The time to the next try; zero when a passcode may be tried now.
    public var retryAfter: Duration
    /// The format of the passcode that is set, or of a passcode that was switched off elsewhere and still
    /// unlocks a locked app. Without such a passcode, the configured format.
    public var format: PasscodeFormat
    /// The timeout of the lock; the configured timeout when no passcode is set.
    public var timeout: LockTimeout
    /// Whether the user switched biometrics on.
    public var usesBiometrics: Bool
    /// The stored part of the lock's state.
    public var lock: LockMark
    /// The relation between this device's passcode and the account's.
    public var standing: PasscodeStanding
    /// The algorithm that is named in the sealed key. It identifies the sealer. `nil` if this device has no
    /// sealed key.
    public var algorithm: String?
    /// Whether a recovery passphrase can set a new passcode; see ``PasscodeService/recover(with:to:)``.
    public var isRecoverable: Bool

    /// Makes a status.
    public init(
        isSet: Bool,
        isEnabled: Bool,
        failures: Int,
        retryAfter: Duration,
        format: PasscodeFormat,
        timeout: LockTimeout,
        usesBiometrics: Bool,
        lock: LockMark,
        standing: PasscodeStanding = .local,
        algorithm: String? = nil,
        isRecoverable: Bool = false
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
        self.algorithm = algorithm
        self.isRecoverable = isRecoverable
    }

    /// Whether a passcode unlocks a locked app. A passcode that was switched off elsewhere unlocks the app
    /// once more.
    var unlocks: Bool { isSet || standing == .switchedOff }
}

/// The relation between a passcode of this device and an account's passcode.
public enum PasscodeStanding: Sendable, Hashable {
    /// There is no account, or the account has not been asked yet.
    case local
    /// The account has the same passcode. The device checks the passcode without asking the account.
    case confirmed
    /// The account may have another passcode. The account checks the next passcode that is entered.
    case unconfirmed
    /// The passcode was set while the account could not be reached. The device sends it to the account when
    /// the person enters it the next time.
    case pendingUpload
    /// The account's passcode was switched off on another device, so the app no longer locks. If the app is
    /// locked already, it stays locked until the person unlocks it or logs out. This device's last passcode
    /// unlocks it. If the account's passcode was changed before it was switched off, the device's passcode
    /// unlocks only while the account answers that it has none. If this device never had a passcode of its
    /// own, the person resets the passcode by mail or logs out.
    case switchedOff
}

/// The biometrics that can be offered now.
public struct BiometricOffer: Sendable, Hashable {
    /// The kind of biometrics that the device has.
    public var kind: BiometricKind
    /// Whether the user switched biometrics on. It is `false` if the key has to be enrolled again and
    /// ``/PortcullisCore/BiometricAvailability/asksToEnroll`` is set.
    public var isEnabled: Bool
    /// Whether a prompt may be shown. Biometrics must be switched on and available. The enrolled fingers or
    /// faces must not have changed since the authenticator enrolled the key. The passcode must not need a
    /// confirmation by the account. If unlocking needs a key, biometrics must release one.
    public var isUsable: Bool
    /// Whether biometrics can be switched on now. The authenticator must tell its enrolment digest.
    public var canEnable: Bool

    /// Makes an offer.
    public init(kind: BiometricKind, isEnabled: Bool, isUsable: Bool, canEnable: Bool) {
        self.kind = kind
        self.isEnabled = isEnabled
        self.isUsable = isUsable
        self.canEnable = canEnable
    }
}
