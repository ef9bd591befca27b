#if Passkeys
public import PortcullisCore

/// The texts about passkeys that a person reads. A translation replaces each text.
public struct PasskeyTexts: Sendable, Hashable {
    /// The reason in the prompts of an enrolment.
    public var enrolment = "Unlock with a passkey"
    /// The text if no passkey is stored for the user.
    public var noPasskey = "There is no passkey to unlock with. Enter the passcode."
    /// The text if the person used a passkey that is not stored, or is no longer stored.
    public var unknownPasskey =
        "This passkey does not unlock any more. Enter the passcode and set it up anew."
    /// The text for a passkey that gives no output of the PRF extension, or an output that does not open the
    /// key.
    public var noKeyOutput =
        "This passkey cannot keep a key, because its device or browser lacks the PRF extension. Use another one, or the passcode."
    /// The text if the authenticator did not verify the person.
    public var userNotVerified =
        "This passkey did not check that it is you. Use one with a fingerprint, a face or a PIN."
    /// The text if the signature counter went back.
    public var counterWentBack =
        "There may be a copy of this passkey, so it does not unlock. Enter the passcode and set up another one."
    /// The text if the challenge expired.
    public var tooLate = "That took too long. Try again."
    /// The text if an unlock cannot read, decode or write the passkeys.
    public var storeFailed = "The passkeys cannot be read now. Enter the passcode."
    /// The text for every other failure.
    public var failed = BiometricOutcome.defaultFailureMessage

    /// Makes the texts in English.
    public init() {}

    /// The text if an enrolment ended without a passkey.
    public var notMade = "No passkey was set up."
    /// The text if an enrolment cannot decode the stored passkeys.
    public var recordDamaged = "The passkeys cannot be read. Switch passkeys off, and set them up anew."

    /// The text for the error of an enrolment; `nil` for a code that is not about passkeys.
    ///
    /// An app's screens show this text if the app sets `PasscodeStrings.biometricError` to this method.
    public func message(for code: BiometricErrorCode) -> String? {
        switch code {
        case .passkeyWithoutPRF: noKeyOutput
        case .passkeyPromptEnded, .passkeyRefused: notMade
        case .passkeyRecordDamaged: recordDamaged
        default: nil
        }
    }

    /// The text for a response that was refused with this code.
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
    /// The kind of authentication that uses a passkey on the person's device or security key.
    public static let passkey = BiometricKind(displayName: "Passkey", symbolName: "passkey")
}

extension BiometricErrorCode {
    /// The prompt ended without a passkey, for example because the person or the page closed it, or because
    /// it timed out in the browser.
    public static let passkeyPromptEnded = Self("passkeys.promptEnded")
    /// The authenticator or the browser does not have the PRF extension, so the passkey cannot keep a key.
    public static let passkeyWithoutPRF = Self("passkeys.withoutPRF")
    /// The browser's response was refused; the cause is a ``WebAuthnError``.
    public static let passkeyRefused = Self("passkeys.refused")
    /// The stored record of a user's passkeys cannot be decoded. Forgetting the passkeys removes the record.
    public static let passkeyRecordDamaged = Self("passkeys.recordDamaged")
}
#endif
