#if Passkeys
public import PortcullisCore

/// What a person reads of passkeys; a translation replaces each text.
public struct PasskeyTexts: Sendable, Hashable {
    /// Why a passkey is set up.
    public var enrolment = "Unlock with a passkey"
    /// No passkey is kept for the user.
    public var noPasskey = "There is no passkey to unlock with. Enter the passcode."
    /// The passkey that was used is not, or no longer, known.
    public var unknownPasskey =
        "This passkey does not unlock any more. Enter the passcode and set it up anew."
    /// The authenticator does not have the PRF extension.
    public var noKeyOutput =
        "This passkey cannot keep a key, because its device or browser lacks the PRF extension. Use another one, or the passcode."
    /// The authenticator did not verify the person.
    public var userNotVerified =
        "This passkey did not check that it is you. Use one with a fingerprint, a face or a PIN."
    /// The signature counter went back.
    public var counterWentBack =
        "There may be a copy of this passkey, so it does not unlock. Enter the passcode and set up another one."
    /// The challenge ran out.
    public var tooLate = "That took too long. Try again."
    /// The passkeys cannot be read or written.
    public var storeFailed = "The passkeys cannot be read now. Enter the passcode."
    /// Everything else.
    public var failed = BiometricOutcome.defaultFailureMessage

    /// The texts in English.
    public init() {}

    /// The text for a response that was refused.
    public func message(for code: WebAuthnErrorCode) -> String {
        switch code {
        case .noKeyOutput: noKeyOutput
        case .userNotVerified: userNotVerified
        case .wrongCredential, .wrongUser: unknownPasskey
        case .counterWentBack: counterWentBack
        case .challengeExpired: tooLate
        default: failed
        }
    }
}

extension BiometricKind {
    /// A passkey of the person's device or security key.
    public static let passkey = BiometricKind(displayName: "Passkey", symbolName: "passkey")
}

extension BiometricErrorCode {
    /// The prompt ended without a passkey: the person or the page took it away, or it ran out.
    public static let passkeyPromptEnded = Self("passkeys.promptEnded")
    /// The authenticator does not have the PRF extension, and so cannot keep a key.
    public static let passkeyWithoutPRF = Self("passkeys.withoutPRF")
    /// The browser's response was refused; the cause is a ``WebAuthnError``.
    public static let passkeyRefused = Self("passkeys.refused")
    /// What is kept of a user's passkeys cannot be understood; forgetting them starts anew.
    public static let passkeyRecordDamaged = Self("passkeys.recordDamaged")
}
#endif
