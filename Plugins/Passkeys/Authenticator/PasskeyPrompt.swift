#if Passkeys
public import PortcullisCore

/// A request that a page passes to its browser. It is open until it is answered, withdrawn or 60 seconds old.
///
/// No part is secret: the challenge and the salts may be in a page. Only the passkey can compute outputs from
/// the salts.
public struct PasskeyPrompt: Sendable, Hashable {
    /// A passkey that may answer the prompt.
    public struct Allowed: Sendable, Hashable {
        /// The credential's id.
        public let id: [UInt8]
        /// The first salt that the passkey's PRF is evaluated with. It is stored with the encrypted key that
        /// only this passkey can decrypt.
        public let salt: [UInt8]
    }

    /// The action that the browser has to perform.
    public enum Request: Sendable, Hashable {
        /// Make a passkey with the PRF extension for this user handle: `navigator.credentials.create()`. A
        /// device that already has an excluded passkey makes none.
        case create(userHandle: [UInt8], accountName: String, excluding: [[UInt8]])
        /// Use one of these passkeys: `navigator.credentials.get()`. The passkey's PRF is evaluated for two
        /// salts: the passkey's own salt and the fresh salt.
        case use([Allowed], freshSalt: [UInt8])

        var ceremony: PasskeyCeremony {
            switch self {
            case .create: .registration
            case .use: .authentication
            }
        }
    }

    /// The prompt's id, which an answer has to repeat. Each prompt has an id of its own.
    public let id: String
    /// The user whose passkey is requested.
    public let user: UserID
    /// Whether the prompt belongs to an enrolment (`true`) or to an unlock (`false`). For an enrolment, a
    /// page calls the browser at once, because the person has just requested the enrolment.
    public let isEnrolment: Bool
    /// The reason that the person reads.
    public let reason: String
    /// The title of the button that chooses the passcode instead; `nil` if there is no such button.
    public let fallbackTitle: String?
    /// The site that the passkey is bound to.
    public let site: RelyingParty
    /// The challenge's bytes, which the response has to sign.
    public let challenge: [UInt8]
    /// The action that the browser has to perform.
    public let request: Request

    /// The ceremony of the request.
    public var ceremony: PasskeyCeremony { request.ceremony }

    /// The browser's options in JSON. The text needs no escaping in a page's script.
    ///
    /// If ``request`` asks to make a passkey, a page passes the options to
    /// `PublicKeyCredential.parseCreationOptionsFromJSON`. If it asks to use one, a page passes them to
    /// `PublicKeyCredential.parseRequestOptionsFromJSON`.
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
