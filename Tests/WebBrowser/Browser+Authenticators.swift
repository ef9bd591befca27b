/// Authenticators in software (WebAuthn's extension of WebDriver), and what a page does with them.
extension Browser {
    /// An authenticator of the browser.
    package struct Authenticator: Sendable {
        fileprivate let name: String
    }

    /// A passkey of an authenticator, as the browser hands it out: without the secret of the PRF extension.
    package struct Passkey: Sendable {
        fileprivate let json: JSONText
    }

    /// A page without content, which is the driver's own: WebAuthn asks for a secure origin, as each on `localhost` is.
    package var emptyPage: String { get throws { "\(try emptyOrigin)/status" } }
    /// The origin of ``emptyPage``.
    package var emptyOrigin: String { get throws { "http://localhost:\(try chromium.port)" } }

    /// Adds an authenticator of the device, which consents to everything and recognises the person.
    ///
    /// - Parameters:
    ///   - hasPRF: whether it has WebAuthn's PRF extension.
    ///   - verifies: whether it can verify the person at all.
    package func addAuthenticator(hasPRF: Bool = true, verifies: Bool = true) async throws -> Authenticator {
        let wish: [String: Any] = [
            "protocol": "ctap2_1", "transport": "internal", "hasResidentKey": true,
            "hasUserVerification": verifies, "isUserVerified": verifies, "isUserConsenting": true,
            "extensions": hasPRF ? ["prf"] : [],
        ]
        let made = try await send("POST", "webauthn/authenticator", wish).value
        guard let name = made as? String else {
            throw Failure(description: "no authenticator")
        }
        return Authenticator(name: name)
    }

    /// Takes an authenticator away with its passkeys.
    package func remove(_ authenticator: Authenticator) async throws {
        _ = try await send("DELETE", path(authenticator))
    }

    /// Has an authenticator recognise no person from now on. After the first try it is blocked for good, as one in hardware is
    /// after several.
    package func recogniseNobody(by authenticator: Authenticator) async throws {
        _ = try await send("POST", path(authenticator, "uv"), ["isUserVerified": false])
    }

    /// The passkeys of an authenticator.
    package func passkeys(of authenticator: Authenticator) async throws -> [Passkey] {
        let found = try await send("GET", path(authenticator, "credentials")).value as? [[String: Any]]
        return try (found ?? []).map { Passkey(json: try JSONText($0)) }
    }

    /// Takes the passkeys of an authenticator away.
    package func removePasskeys(of authenticator: Authenticator) async throws {
        _ = try await send("DELETE", path(authenticator, "credentials"))
    }

    /// Puts a copy of a passkey into an authenticator, with this count of its uses.
    package func add(_ passkey: Passkey, used: Int, to authenticator: Authenticator) async throws {
        var parts = passkey.json.value as? [String: Any] ?? [:]
        parts["signCount"] = used
        _ = try await send("POST", path(authenticator, "credential"), parts)
    }

    private func send(_ method: String, _ path: String, _ body: [String: Any] = [:]) async throws -> JSONText
    {
        try await chromium.send(BrowserCommand("", method, path, body))
    }

    private func path(_ authenticator: Authenticator, _ part: String? = nil) -> String {
        "webauthn/authenticator/\(authenticator.name)\(part.map { "/\($0)" } ?? "")"
    }

    /// What a page's script sends for a prompt: the credential in JSON, or the name of the error.
    package func answer(options: String, creates: Bool) async throws -> String {
        let (method, parse) =
            creates ? ("create", "parseCreationOptionsFromJSON") : ("get", "parseRequestOptionsFromJSON")
        let script = """
            const [options, done] = arguments;
            navigator.credentials.\(method)({publicKey: PublicKeyCredential.\(parse)(JSON.parse(options))})
              .then(made => done(JSON.stringify(made.toJSON())), error => done(JSON.stringify({error: error.name})));
            """
        let answer = try await send("POST", "execute/async", ["script": script, "args": [options]])
        guard let text = answer.value as? String else {
            throw Failure(description: "the script gave nothing")
        }
        return text
    }
}
