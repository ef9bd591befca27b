#if Passkeys
public import PortcullisCore

/// The outputs of the PRF extension: 32 bytes for each of two salts. Each output is a `SecretBytes`, which
/// overwrites its bytes with zeros when it is released.
public struct PasskeyOutputs: Sendable {
    /// The output for the stored salt.
    public let first: SecretBytes
    /// The output for the fresh salt.
    public let second: SecretBytes

    /// Makes the value from the outputs for both salts.
    public init(first: SecretBytes, second: SecretBytes) { (self.first, self.second) = (first, second) }
}

/// A page's answer to a ``PasskeyPrompt``.
public enum PasskeyAnswer: Sendable {
    /// The browser made a passkey.
    case created(PasskeyRegistration)
    /// The browser used a passkey. The outputs are `nil` if the browser gave no output of the PRF extension.
    case used(PasskeyAssertion, PasskeyOutputs?)
    /// The browser's `InvalidStateError`: the device already has one of the excluded passkeys.
    case alreadyThere
    /// The person chose the passcode instead.
    case passcodeChosen
    /// The browser's `NotAllowedError`: the person closed the dialogue, let it time out, or has none of the
    /// requested passkeys. Browsers do not distinguish these cases, so that a page cannot find out which
    /// passkeys exist.
    case cancelled
    /// The browser's `AbortError`: the page or the browser's tab withdrew the prompt.
    case withdrawn
    /// The browser reported another error.
    case failed
}

extension PasskeyAnswer {
    /// Decodes the browser's response: the JSON of `PublicKeyCredential.toJSON()`, or `{"error": name}` with
    /// the name of the exception.
    ///
    /// The outputs are copied from `json` into other secrets, and never into a `String`.
    ///
    /// - Throws: ``WebAuthnErrorCode/malformedResponse`` if the JSON has neither of these two forms.
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
