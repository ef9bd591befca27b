#if Passkeys
import Testing

@testable import Passkeys

/// One thing that is wrong with a response, and the code it is refused with.
struct Alteration: Sendable, CustomTestStringConvertible {
    let name: String
    let code: WebAuthnErrorCode
    let alter: @Sendable (inout ResponseParts) -> Void

    init(
        _ name: String,
        _ code: WebAuthnErrorCode,
        _ alter: @escaping @Sendable (inout ResponseParts) -> Void
    ) {
        (self.name, self.code, self.alter) = (name, code, alter)
    }

    var testDescription: String { name }
}

extension Alteration {
    /// What can be wrong with the client data of either ceremony.
    static let ofClientData: [Alteration] = [
        .init("client data: nothing", .malformedClientData) { $0.clientText = "" },
        .init("client data: an array", .malformedClientData) { $0.clientText = "[]" },
        .init("client data: text after it", .malformedClientData) { $0.clientText = "{} {}" },
        .init("client data: a byte order mark", .malformedClientData) { parts in
            parts.clientText = "\u{FEFF}" + String(decoding: parts.clientDataJSON, as: UTF8.self)
        },
        .init("client data: cut", .malformedClientData) { parts in
            parts.clientText = String(String(decoding: parts.clientDataJSON, as: UTF8.self).dropLast())
        },
        .init("client data: two origins", .malformedClientData) {
            $0.client.append(("origin", "\"https://example.org\""))
        },
        .init("client data: two origins, one name escaped", .malformedClientData) {
            $0.client.append(("\\u006frigin", "\"https://example.org\""))
        },
        .init("client data: nested too deep", .malformedClientData) {
            $0.set("extra", String(repeating: "[", count: 100) + String(repeating: "]", count: 100))
        },
        .init("type: none", .malformedClientData) { $0.set("type", nil) },
        .init("type: a number", .malformedClientData) { $0.set("type", "1") },
        .init("type: another API's", .wrongType) { $0.set("type", "\"payment.get\"") },
        .init("type: upper case", .wrongType) { $0.set("type", "\"WEBAUTHN.GET\"") },
        .init("challenge: none", .malformedClientData) { $0.set("challenge", nil) },
        .init("challenge: null", .malformedClientData) { $0.set("challenge", "null") },
        .init("challenge: empty", .wrongChallenge) { $0.set("challenge", "\"\"") },
        .init("challenge: another", .wrongChallenge) {
            $0.set("challenge", "\"\(Base64URL.text(Array(repeating: 7, count: 32)))\"")
        },
        .init("challenge: one byte less", .wrongChallenge) {
            $0.set("challenge", "\"\(Base64URL.text(AlteredResponses.challenge.dropLast()))\"")
        },
        .init("challenge: padded", .malformedClientData) {
            $0.set("challenge", "\"\(Base64URL.text(AlteredResponses.challenge))=\"")
        },
        .init("challenge: bits after the last byte", .malformedClientData) {
            $0.set("challenge", "\"\(Base64URL.text(AlteredResponses.challenge).dropLast())5\"")
        },
        .init("origin: none", .malformedClientData) { $0.set("origin", nil) },
        .init("origin: another site", .wrongOrigin) { $0.set("origin", "\"https://example.com\"") },
        .init("origin: a domain below", .wrongOrigin) { $0.set("origin", "\"https://evil.example.org\"") },
        .init("origin: another port", .wrongOrigin) { $0.set("origin", "\"https://example.org:8443\"") },
        .init("origin: without TLS", .wrongOrigin) { $0.set("origin", "\"http://example.org\"") },
        .init("origin: a slash after it", .wrongOrigin) { $0.set("origin", "\"https://example.org/\"") },
        .init("origin: a zero byte after it", .wrongOrigin) {
            $0.set("origin", "\"https://example.org\\u0000\"")
        },
        .init("origin: null", .malformedClientData) { $0.set("origin", "null") },
        .init("cross origin", .crossOrigin) { $0.set("crossOrigin", "true") },
        .init("cross origin: a text", .malformedClientData) { $0.set("crossOrigin", "\"false\"") },
        .init("top origin without cross origin", .malformedClientData) {
            $0.set("topOrigin", "\"https://example.org\"")
        },
        .init("top origin", .crossOrigin) { parts in
            parts.set("crossOrigin", "true")
            parts.set("topOrigin", "\"https://example.org\"")
        },
    ]

    /// What can be wrong with the authenticator data of either ceremony.
    static let ofAuthenticatorData: [Alteration] = [
        .init("site: another's hash", .wrongRelyingParty) { $0.relyingPartyID = "example.com" },
        .init("site: a domain below", .wrongRelyingParty) { $0.relyingPartyID = "a.example.org" },
        .init("flags: no person", .userNotPresent) { $0.flags.remove(.userPresent) },
        .init("flags: person not verified", .userNotVerified) { $0.flags.remove(.userVerified) },
        .init("flags: backed up, which it cannot be", .inconsistentFlags) { $0.flags.insert(.backedUp) },
        .init("flags: extensions that are not there", .malformedAuthenticatorData) {
            $0.flags.insert(.extensions)
        },
        .init("extensions without the flag", .malformedAuthenticatorData) { $0.extensions = [0xA0] },
        .init("extensions: no map", .malformedAuthenticatorData) { parts in
            parts.flags.insert(.extensions)
            parts.extensions = [0x80]
        },
        .init("extensions: bytes after them", .malformedAuthenticatorData) { parts in
            parts.flags.insert(.extensions)
            parts.extensions = [0xA0, 0x00]
        },
        .init("extensions: a name twice", .malformedAuthenticatorData) { parts in
            parts.flags.insert(.extensions)
            parts.extensions = [0xA2, 0x61, 0x61, 0x00, 0x61, 0x61, 0x00]
        },
        .init("authenticator data: one byte less", .malformedAuthenticatorData) { $0.cut = 1 },
        .init("authenticator data: one byte more", .malformedAuthenticatorData) { $0.extensions = [0] },
    ]
}

/// What altered responses have in common.
enum AlteredResponses {
    static let challenge: [UInt8] = (0..<32).map { 200 - $0 }

    static func site() throws(WebAuthnError) -> RelyingParty {
        try RelyingParty(id: ResponseParts.site, name: "Example", origins: ["https://\(ResponseParts.site)"])
    }
}
#endif
