#if Passkeys
public import PortcullisCore

/// What a page has to ask its browser for, until it is answered or taken away.
///
/// Nothing of it is secret: challenge and salts may be in a page. The passkey alone makes keys of them.
public struct PasskeyPrompt: Sendable, Hashable {
    /// A passkey that may be used.
    public struct Allowed: Sendable, Hashable {
        /// The credential's id.
        public let id: [UInt8]
        /// The salt that its key was wrapped under: the first one to evaluate.
        public let salt: [UInt8]
    }

    /// What the browser is asked to do.
    public enum Request: Sendable, Hashable {
        /// To make a passkey for this user handle, with the PRF extension, unless the device has one of those that are excluded:
        /// `navigator.credentials.create()`.
        case create(userHandle: [UInt8], accountName: String, excluding: [[UInt8]])
        /// To use one of these, and to evaluate the PRF with its salt and with a fresh one: `navigator.credentials.get()`.
        case use([Allowed], freshSalt: [UInt8])

        var ceremony: PasskeyCeremony {
            switch self {
            case .create: .registration
            case .use: .authentication
            }
        }
    }

    /// Names the prompt in its answer; another for each prompt.
    public let id: String
    /// Whose passkey.
    public let user: UserID
    /// Whether a passkey is set up, rather than used to unlock. A page begins such a prompt at once, because the person
    /// has just asked for it.
    public let isEnrolment: Bool
    /// Why, as the person reads it.
    public let reason: String
    /// The button that chooses the passcode instead; `nil` where there is none.
    public let fallbackTitle: String?
    /// The site.
    public let site: RelyingParty
    /// The bytes to sign.
    public let challenge: [UInt8]
    /// What to do.
    public let request: Request

    /// Which call of the browser's it is.
    public var ceremony: PasskeyCeremony { request.ceremony }

    /// The options as `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` take them. They
    /// may stand in a page's script as they are.
    public var optionsJSON: String {
        let challenge = "\"challenge\":\"\(Base64URL.text(challenge))\""
        let timeout = "\"timeout\":\(PasskeyChallenge.lifetime.components.seconds * 1_000)"
        switch request {
        case .create(let handle, let name, let excluded):
            let site = "{\"id\":\(JSONText.encode(site.id)),\"name\":\(JSONText.encode(site.name))}"
            let name = JSONText.encode(name)
            let algorithms = CredentialKey.Algorithm.allCases.map {
                "{\"type\":\"public-key\",\"alg\":\($0.rawValue)}"
            }
            return "{\"rp\":\(site),"
                + "\"user\":{\"id\":\"\(Base64URL.text(handle))\",\"name\":\(name),\"displayName\":\(name)},"
                + "\(challenge),\"pubKeyCredParams\":[\(algorithms.joined(separator: ","))],\(timeout),"
                + "\"excludeCredentials\":[\(Self.descriptors(excluded))],"
                + "\"authenticatorSelection\":{\"residentKey\":\"preferred\",\"userVerification\":\"required\"},"
                + "\"attestation\":\"none\",\"extensions\":{\"prf\":{}}}"
        case .use(let allowed, let freshSalt):
            let second = Base64URL.text(freshSalt)
            let salts = allowed.map {
                "\"\(Base64URL.text($0.id))\":{\"first\":\"\(Base64URL.text($0.salt))\",\"second\":\"\(second)\"}"
            }
            return
                "{\"rpId\":\(JSONText.encode(site.id)),\(challenge),\(timeout),\"userVerification\":\"required\","
                + "\"allowCredentials\":[\(Self.descriptors(allowed.map(\.id)))],"
                + "\"extensions\":{\"prf\":{\"evalByCredential\":{\(salts.joined(separator: ","))}}}}"
        }
    }

    private static func descriptors(_ ids: [[UInt8]]) -> String {
        ids.map { "{\"type\":\"public-key\",\"id\":\"\(Base64URL.text($0))\"}" }.joined(separator: ",")
    }
}
#endif
