#if Passkeys
public import PortcullisCore

/// The outputs of the PRF extension: 32 bytes for each of two salts. They are zeroed like any secret.
public struct PasskeyOutputs: Sendable {
    /// For the salt that was stored.
    public let first: SecretBytes
    /// For the fresh salt.
    public let second: SecretBytes

    /// Outputs for both salts.
    public init(first: SecretBytes, second: SecretBytes) { (self.first, self.second) = (first, second) }
}

/// What a page says that became of a ``PasskeyPrompt``.
public enum PasskeyAnswer: Sendable {
    /// A passkey was made.
    case created(PasskeyRegistration)
    /// A passkey was used; `nil` where the browser gave no output of the PRF extension.
    case used(PasskeyAssertion, PasskeyOutputs?)
    /// The browser's `InvalidStateError`: the device has a passkey that was excluded.
    case alreadyThere
    /// The person chose the passcode.
    case passcodeChosen
    /// The browser's `NotAllowedError`: the person took the dialogue away, let it run out, or had no such passkey. Browsers
    /// do not tell which, so that a page cannot find out.
    case cancelled
    /// The page, or the browser's tab, took the prompt away.
    case withdrawn
    /// Every other error of the browser.
    case failed
}

extension PasskeyAnswer {
    /// The browser's response in JSON: what `PublicKeyCredential.toJSON()` gives, or `{"error": name}` with the name of the
    /// exception.
    ///
    /// Outputs go from this secret into others, and into no text.
    ///
    /// - Throws: ``WebAuthnErrorCode/malformedResponse`` where it is neither.
    public init(json: SecretBytes) throws(WebAuthnError) {
        self = try json.withBytes { (bytes: Span<UInt8>) throws(WebAuthnError) in
            try PasskeyAnswer(reading: bytes)
        }
    }

    private init(reading bytes: Span<UInt8>) throws(WebAuthnError) {
        let value: JSONValue
        do throws(JSONMistake) { value = try JSONReader.value(of: bytes) } catch {
            throw WebAuthnError(.malformedResponse, "the response is no JSON", cause: error)
        }
        guard let members = value.object else { throw Self.malformed("is no object") }
        if let error = members["error"] {
            self = try Self.answer(toError: error, bytes)
            return
        }
        guard let response = members["response"]?.object else { throw Self.malformed("has no response") }
        let id = try Self.bytes(members, "rawId", bytes)
        let client = try Self.bytes(response, "clientDataJSON", bytes)
        let prf = members["clientExtensionResults"]?.object?["prf"]?.object
        guard response["signature"] != nil else {
            let object = try Self.bytes(response, "attestationObject", bytes)
            self = .created(
                PasskeyRegistration(
                    credentialID: id,
                    clientDataJSON: client,
                    attestationObject: object,
                    hasPRF: prf?["enabled"]?.bool
                )
            )
            return
        }
        let assertion = PasskeyAssertion(
            credentialID: id,
            clientDataJSON: client,
            authenticatorData: try Self.bytes(response, "authenticatorData", bytes),
            signature: try Self.bytes(response, "signature", bytes),
            userHandle: Self.isThere(response["userHandle"])
                ? try Self.bytes(response, "userHandle", bytes) : nil
        )
        self = .used(assertion, try Self.outputs(prf?["results"]?.object, bytes))
    }

    private static func isThere(_ value: JSONValue?) -> Bool { value != nil && value != .null }

    private static func answer(toError value: JSONValue, _ bytes: Span<UInt8>) throws(WebAuthnError)
        -> PasskeyAnswer
    {
        guard case .string(let place, isEscaped: false) = value else {
            throw malformed("has an error without a name")
        }
        let name: String
        do throws(JSONMistake) {
            name = try JSONText.decode(bytes.extracting(place), isEscaped: false)
        } catch {
            throw WebAuthnError(.malformedResponse, "the response has an error without a name", cause: error)
        }
        return switch name {
        case "NotAllowedError": .cancelled
        case "AbortError": .withdrawn
        case "InvalidStateError": .alreadyThere
        default: .failed
        }
    }

    private static func bytes(
        _ members: [String: JSONValue],
        _ name: String,
        _ bytes: Span<UInt8>
    ) throws(WebAuthnError) -> [UInt8] {
        guard case .string(let place, isEscaped: false) = members[name],
            let value = Base64URL.bytes(bytes.extracting(place))
        else { throw malformed("has no \(name) in base 64 for URLs") }
        return value
    }

    private static func outputs(
        _ results: [String: JSONValue]?,
        _ bytes: Span<UInt8>
    ) throws(WebAuthnError) -> PasskeyOutputs? {
        guard let results, isThere(results["first"]), isThere(results["second"]) else { return nil }
        guard case .string(let first, isEscaped: false) = results["first"],
            case .string(let second, isEscaped: false) = results["second"],
            let first = Base64URL.secret(bytes.extracting(first)),
            let second = Base64URL.secret(bytes.extracting(second))
        else { throw malformed("has outputs that are not in base 64 for URLs") }
        return PasskeyOutputs(first: first, second: second)
    }

    private static func malformed(_ what: String) -> WebAuthnError {
        WebAuthnError(.malformedResponse, "the response \(what)")
    }
}
#endif
