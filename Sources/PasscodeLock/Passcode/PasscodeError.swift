internal import PortcullisCore

/// Why the passcode lock could not do what it was asked.
///
/// A wrong passcode, a delay and "not set" are outcomes, not errors. While a record cannot be read the app
/// stays locked; the way out is to log out, which removes the record.
public struct PasscodeError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable {
            case wrongFormat, easilyGuessed, alreadySet, damagedRecord, newerRecord, store, sealer
            case biometrics, account, invalidConfiguration
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The passcode does not have the format asked for; ``PasscodeError/violation`` says what is wrong.
        public static let wrongFormat = Code(.wrongFormat)
        /// The passcode is easily guessed and the policy rejects such ones.
        public static let easilyGuessed = Code(.easilyGuessed)
        /// A passcode is set already; change it instead.
        public static let alreadySet = Code(.alreadySet)
        /// The record cannot be understood; the app is locked.
        public static let damagedRecord = Code(.damagedRecord)
        /// The record was written by a newer version; the app is locked.
        public static let newerRecord = Code(.newerRecord)
        /// The store failed; ``PasscodeError/cause`` is its `SecretStoreError`.
        public static let store = Code(.store)
        /// The sealer failed; ``PasscodeError/cause`` is its `PasscodeSealerError`.
        public static let sealer = Code(.sealer)
        /// Biometrics could not be prepared; ``PasscodeError/cause`` is the `BiometricError`, where there is one.
        public static let biometrics = Code(.biometrics)
        /// The account failed or has to be asked first; ``PasscodeError/cause`` is its `PasscodeAccountError`.
        public static let account = Code(.account)
        /// The configuration itself is impossible, such as a format of three digits.
        public static let invalidConfiguration = Code(.invalidConfiguration)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure.
    public let code: Code
    /// One sentence for people; never a passcode.
    public let message: String
    /// What is wrong with the format, with ``Code/wrongFormat``.
    public let violation: PasscodeFormatViolation?
    /// What it was caused by.
    public let cause: (any Error)?

    /// An error of this kind.
    public init(
        code: Code,
        message: String,
        violation: PasscodeFormatViolation? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.violation = violation
        self.cause = cause
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

    /// Code, message and cause on one line.
    public var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
