public import PortcullisCore

/// The reason why a request to the passcode lock failed.
///
/// A wrong passcode, a delay and "not set" are outcomes, not errors. If the passcode's record cannot be read,
/// the app stays locked. The person can then log out, which removes the record.
public typealias PasscodeError = CodedError<PasscodeErrorCode>

/// The codes of a ``PasscodeError``. Later versions may add more.
public struct PasscodeErrorCode: ErrorCode {
    /// The further values that a ``PasscodeError`` carries.
    public struct Details: Sendable, CustomStringConvertible {
        /// The fault in the format; only with ``PasscodeErrorCode/wrongFormat``.
        public let violation: PasscodeFormatViolation?

        /// Makes details.
        public init(violation: PasscodeFormatViolation?) { self.violation = violation }

        /// Empty: the details add nothing to the error's description.
        public var description: String { "" }
    }

    /// The name of the code.
    public let name: String

    /// Makes a code with this name.
    public init(_ name: String) { self.name = name }

    /// The passcode does not have the required format; `violation` says what is wrong.
    public static let wrongFormat = Self("wrongFormat")
    /// The passcode is easily guessed, and the policy rejects it.
    public static let easilyGuessed = Self("easilyGuessed")
    /// A passcode is already set. It can only be changed.
    public static let alreadySet = Self("alreadySet")
    /// The record cannot be understood. The app is locked.
    public static let damagedRecord = Self("damagedRecord")
    /// A newer version wrote the record. The app is locked.
    public static let newerRecord = Self("newerRecord")
    /// The store failed; `cause` is its `SecretStoreError`.
    public static let store = Self("store")
    /// The sealer failed; `cause` is its `PasscodeSealerError`.
    public static let sealer = Self("sealer")
    /// Biometrics could not be switched on, or their key could not be removed. `cause` is the
    /// `BiometricError`, if there is one.
    public static let biometrics = Self("biometrics")
    /// The account failed, is missing, or does not allow the request. `cause` is the `PasscodeAccountError`.
    public static let account = Self("account")
    /// The passcode has a limit of failures, and this process leaves the action of the limit to the app. Such
    /// a process cannot log out; see ``PasscodeConfiguration/carriesOutLimitAction``.
    public static let logOutInApp = Self("logOutInApp")
    /// The configuration itself is invalid, such as a format of three digits.
    public static let invalidConfiguration = Self("invalidConfiguration")
}

extension CodedError where Kind == PasscodeErrorCode {
    /// Makes an error of this code. With ``PasscodeErrorCode/wrongFormat``, `violation` says what is wrong
    /// with the passcode's format.
    public init(
        code: Code,
        message: String,
        violation: PasscodeFormatViolation? = nil,
        cause: (any Error)? = nil
    ) {
        self.init(code: code, message: message, details: .init(violation: violation), cause: cause)
    }

    /// Whether the error shows that a passcode's record may be stored: the record, or the whole store, cannot
    /// be understood.
    var isAboutDamage: Bool {
        switch code {
        case .damagedRecord, .newerRecord: return true
        case .store:
            let stored = (cause as? SecretStoreError)?.code.portable
            return stored == .damaged || stored == .newerFormat
        default: return false
        }
    }

    init(_ error: SecretStoreError) {
        self.init(code: .store, message: error.message, cause: error)
    }

    init(_ error: PasscodeSealerError) {
        self.init(code: .sealer, message: error.message, cause: error)
    }

    init(_ error: PasscodeAccountError) {
        self.init(code: .account, message: error.message, cause: error)
    }

    init(_ error: BiometricError) {
        self.init(code: .biometrics, message: error.message, cause: error)
    }
}
