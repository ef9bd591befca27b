#if Passkeys
public import PortcullisCore

/// Why a browser's response was refused, or a relying party cannot be made of its texts.
public typealias WebAuthnError = CodedError<WebAuthnErrorCode>

/// The kinds of a ``WebAuthnError``, open for more.
public struct WebAuthnErrorCode: PortcullisCore.ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// The relying party's id or one of its origins is none, or they do not belong together.
    public static let invalidRelyingParty = Self("invalidRelyingParty")

    /// No challenge is open: it was answered before, or none was given out.
    public static let challengeSpent = Self("challengeSpent")
    /// The challenge was given out more than ``PasskeyChallenge/lifetime`` ago, or that cannot be known.
    public static let challengeExpired = Self("challengeExpired")
    /// The challenge was given to another session.
    public static let otherSession = Self("otherSession")
    /// The challenge was given out under another generation of the lock.
    public static let otherGeneration = Self("otherGeneration")
    /// The response is of the other ceremony: registration for authentication, or the reverse.
    public static let wrongCeremony = Self("wrongCeremony")

    /// The client data is no JSON object with the members that it must have.
    public static let malformedClientData = Self("malformedClientData")
    /// The client data is of another type.
    public static let wrongType = Self("wrongType")
    /// The client data has another challenge.
    public static let wrongChallenge = Self("wrongChallenge")
    /// The page had another origin.
    public static let wrongOrigin = Self("wrongOrigin")
    /// The page lay in a frame of another origin.
    public static let crossOrigin = Self("crossOrigin")
    /// The outermost page had another origin than those that may embed this one.
    public static let wrongTopOrigin = Self("wrongTopOrigin")

    /// The attestation object is no CBOR map with the members that it must have.
    public static let malformedAttestation = Self("malformedAttestation")
    /// The attestation's format is neither `none` nor packed self-attestation.
    public static let unsupportedAttestation = Self("unsupportedAttestation")
    /// The attestation's algorithm or signature is wrong.
    public static let badAttestation = Self("badAttestation")

    /// The authenticator data has a wrong length or cannot be decoded.
    public static let malformedAuthenticatorData = Self("malformedAuthenticatorData")
    /// The authenticator data is for another relying party.
    public static let wrongRelyingParty = Self("wrongRelyingParty")
    /// The authenticator data lacks the flag that a person was present.
    public static let userNotPresent = Self("userNotPresent")
    /// The authenticator data lacks the flag that the person was verified.
    public static let userNotVerified = Self("userNotVerified")
    /// The authenticator data's flags contradict each other, the ceremony or the registration.
    public static let inconsistentFlags = Self("inconsistentFlags")

    /// The public key is no COSE key of its kind.
    public static let malformedKey = Self("malformedKey")
    /// The public key is of an algorithm that was not asked for.
    public static let unsupportedAlgorithm = Self("unsupportedAlgorithm")
    /// The credential is another one than the response's, or is not known.
    public static let wrongCredential = Self("wrongCredential")
    /// The response's user handle is another one than the credential's.
    public static let wrongUser = Self("wrongUser")
    /// The signature does not fit.
    public static let badSignature = Self("badSignature")
    /// The signature counter is not greater than the one before, though one of them is not 0.
    public static let counterWentBack = Self("counterWentBack")

    /// The response holds no output of the PRF extension, or one of a wrong length.
    public static let noKeyOutput = Self("noKeyOutput")
    /// The response is no JSON object with the members that it must have.
    public static let malformedResponse = Self("malformedResponse")
}

extension CodedError where Kind == WebAuthnErrorCode {
    init(_ code: WebAuthnErrorCode, _ message: String, cause: (any Error)? = nil) {
        self.init(code: code, message: message, cause: cause)
    }
}
#endif
