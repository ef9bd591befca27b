public import PortcullisCore

/// Why the passcode lock could not do what it was asked.
///
/// A wrong passcode, a delay and "not set" are outcomes, not errors. While a record cannot be read the app
/// stays locked; the way out is to log out, which removes the record.
public typealias PasscodeError = CodedError<PasscodeErrorCode>

/// The kinds of a ``PasscodeError``, open for more.
public struct PasscodeErrorCode: ErrorCode {
    /// What such an error tells besides.
    public struct Details: Sendable, CustomStringConvertible {
        /// What is wrong with the format, with ``PasscodeErrorCode/wrongFormat``.
        public let violation: PasscodeFormatViolation?

        /// Details of this value.
        public init(violation: PasscodeFormatViolation?) { self.violation = violation }

        /// The part of the error's description that is theirs.
        public var description: String { "" }
    }

    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// The passcode does not have the format asked for; `violation` says what is wrong.
    public static let wrongFormat = Self("wrongFormat")
    /// The passcode is easily guessed and the policy rejects such ones.
    public static let easilyGuessed = Self("easilyGuessed")
    /// A passcode is set already; change it instead.
    public static let alreadySet = Self("alreadySet")
    /// The record cannot be understood; the app is locked.
    public static let damagedRecord = Self("damagedRecord")
    /// The record was written by a newer version; the app is locked.
    public static let newerRecord = Self("newerRecord")
    /// The store failed; `cause` is its `SecretStoreError`.
    public static let store = Self("store")
    /// The sealer failed; `cause` is its `PasscodeSealerError`.
    public static let sealer = Self("sealer")
    /// Biometrics could not be prepared; `cause` is the `BiometricError`, where there is one.
    public static let biometrics = Self("biometrics")
    /// The account failed or has to be asked first; `cause` is its `PasscodeAccountError`.
    public static let account = Self("account")
    /// The configuration itself is impossible, such as a format of three digits.
    public static let invalidConfiguration = Self("invalidConfiguration")
}

extension CodedError where Kind == PasscodeErrorCode {
    /// An error of this kind, with what is wrong with the format, where that is the reason.
    public init(
        code: Code,
        message: String,
        violation: PasscodeFormatViolation? = nil,
        cause: (any Error)? = nil
    ) {
        self.init(code: code, message: message, details: .init(violation: violation), cause: cause)
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
