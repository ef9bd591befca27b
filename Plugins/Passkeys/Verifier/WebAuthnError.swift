#if Passkeys
public import PortcullisCore

/// The error for a refused response of a browser, and for a relying party with an invalid id or origin.
public typealias WebAuthnError = CodedError<WebAuthnErrorCode>

/// The code of a ``WebAuthnError``. Later versions may add codes.
public struct WebAuthnErrorCode: PortcullisCore.ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code with this name.
    public init(_ name: String) { self.name = name }

    /// The site's id is no domain, an origin is malformed, or an origin does not belong to the id's domain.
    public static let invalidRelyingParty = Self("invalidRelyingParty")

    /// No challenge is open: the challenge was answered before, or none was given out.
    public static let challengeSpent = Self("challengeSpent")
    /// The challenge was given out more than ``PasskeyChallenge/lifetime`` ago, or its age cannot be
    /// determined.
    public static let challengeExpired = Self("challengeExpired")
    /// The challenge was given to another session.
    public static let otherSession = Self("otherSession")
    /// The lock's generation has changed since the challenge was given out, for example because the app was
    /// locked again.
    public static let otherGeneration = Self("otherGeneration")
    /// The response belongs to the other ceremony: a registration was requested and the response is an
    /// authentication, or the reverse.
    public static let wrongCeremony = Self("wrongCeremony")

    /// The client data is not a JSON object with the required members.
    public static let malformedClientData = Self("malformedClientData")
    /// The type in the client data differs from the type that the ceremony requires.
    public static let wrongType = Self("wrongType")
    /// The challenge in the client data differs from the challenge that the site gave out.
    public static let wrongChallenge = Self("wrongChallenge")
    /// The page's origin is none of the site's origins.
    public static let wrongOrigin = Self("wrongOrigin")
    /// The page was in a frame of another site, and the site does not allow that: ``RelyingParty/Embedding``.
    public static let crossOrigin = Self("crossOrigin")
    /// The outermost page's origin is not one of the origins that may embed the site.
    public static let wrongTopOrigin = Self("wrongTopOrigin")

    /// The attestation object is not a CBOR map with the required members.
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
    /// The flags of the authenticator data contradict each other, the ceremony, or the flags at registration.
    public static let inconsistentFlags = Self("inconsistentFlags")

    /// The public key is not a valid COSE key of its algorithm.
    public static let malformedKey = Self("malformedKey")
    /// The site does not accept the public key's algorithm or curve.
    public static let unsupportedAlgorithm = Self("unsupportedAlgorithm")
    /// The credential's id differs from the expected one, or the credential is not known.
    public static let wrongCredential = Self("wrongCredential")
    /// The response's user handle differs from the user handle of the credential.
    public static let wrongUser = Self("wrongUser")
    /// The signature does not verify.
    public static let badSignature = Self("badSignature")
    /// The signature counter is not greater than the stored counter, and at least one of the two counters is
    /// not 0.
    public static let counterWentBack = Self("counterWentBack")

    /// The response has no usable output of the PRF extension, or its output does not open the key.
    public static let noKeyOutput = Self("noKeyOutput")
    /// The response is not a JSON object with the required members.
    public static let malformedResponse = Self("malformedResponse")
}

extension CodedError where Kind == WebAuthnErrorCode {
    init(_ code: WebAuthnErrorCode, _ message: String, cause: (any Error)? = nil) {
        self.init(code: code, message: message, cause: cause)
    }
}
#endif
