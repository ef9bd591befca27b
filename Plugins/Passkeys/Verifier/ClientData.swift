#if Passkeys
/// The client data: the browser's statement about a ceremony (Web Authentication Level 3, section 5.8.1).
struct ClientData: Sendable, Hashable {
    let type: String
    let challenge: [UInt8]
    let origin: String
    let isCrossOrigin: Bool
    let topOrigin: String?

    /// Decodes the JSON bytes whose hash the authenticator signed. Members without a property in this type
    /// are ignored.
    init(_ json: [UInt8]) throws(WebAuthnError) {
        let members: [String: JSONValue]?
        do throws(JSONMistake) { members = try JSONReader.value(of: json.span).object } catch {
            throw WebAuthnError(.malformedClientData, "the client data is no JSON", cause: error)
        }
        guard let members else { throw Self.malformed("is no object") }
        guard case .string(let place, isEscaped: false) = members["challenge"],
            let challenge = Base64URL.bytes(json.span.extracting(place))
        else { throw Self.malformed("has no challenge in base 64 for URLs") }
        self.challenge = challenge
        guard let type = try Self.text(members, "type", json),
            let origin = try Self.text(members, "origin", json)
        else { throw Self.malformed("has no type or no origin") }
        (self.type, self.origin) = (type, origin)
        switch members["crossOrigin"] {
        case nil: isCrossOrigin = false
        case .bool(let value): isCrossOrigin = value
        default: throw Self.malformed("has a crossOrigin that is neither true nor false")
        }
        topOrigin = try Self.text(members, "topOrigin", json)
        guard topOrigin == nil || isCrossOrigin else {
            throw Self.malformed("has a topOrigin without being of another origin")
        }
    }

    /// The text of the member with this name; `nil` if there is no such member.
    private static func text(
        _ members: [String: JSONValue],
        _ name: String,
        _ json: [UInt8]
    ) throws(WebAuthnError) -> String? {
        guard let member = members[name] else { return nil }
        guard case .string(let place, let isEscaped) = member else {
            throw malformed("has a \(name) that is no text")
        }
        do throws(JSONMistake) {
            return try JSONText.decode(json.span.extracting(place), isEscaped: isEscaped)
        } catch {
            throw WebAuthnError(
                .malformedClientData,
                "the client data has a \(name) that is no text",
                cause: error
            )
        }
    }

    private static func malformed(_ what: String) -> WebAuthnError {
        WebAuthnError(.malformedClientData, "the client data \(what)")
    }
}

extension RelyingParty {
    /// Checks the client data of a ceremony: its type, challenge and origins.
    func check(
        _ json: [UInt8],
        of ceremony: PasskeyCeremony,
        challenge: [UInt8]
    ) throws(WebAuthnError) {
        let data = try ClientData(json)
        guard data.type == (ceremony == .registration ? "webauthn.create" : "webauthn.get") else {
            throw WebAuthnError(.wrongType, "the client data is of another type")
        }
        guard data.challenge == challenge else {
            throw WebAuthnError(.wrongChallenge, "the client data has another challenge")
        }
        guard origins.contains(data.origin) else {
            throw WebAuthnError(.wrongOrigin, "the page's origin is not the site's")
        }
        guard data.isCrossOrigin else { return }
        guard case .allowed(let topOrigins) = embedding else {
            throw WebAuthnError(.crossOrigin, "the page lay in a frame of another origin")
        }
        if let topOrigin = data.topOrigin, !topOrigins.contains(topOrigin) {
            throw WebAuthnError(.wrongTopOrigin, "the outermost page's origin may not embed the site")
        }
    }
}
#endif
