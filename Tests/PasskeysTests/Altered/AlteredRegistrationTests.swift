#if Passkeys
import Crypto
import Testing

@testable import Passkeys

@Suite("Registrations that are altered (W-3)")
struct AlteredRegistrationTests {
    private static let alterations: [Alteration] =
        Alteration.ofClientData + Alteration.ofAuthenticatorData + ofAttestations + ofCredentials + ofKeys

    private static let ofAttestations: [Alteration] = [
        .init("type: the other ceremony's", .wrongType) { $0.set("type", "\"webauthn.get\"") },
        .init("attestation: bytes after it", .malformedAttestation) { $0.attestationRest = [0] },
        .init("attestation: another member", .malformedAttestation) {
            $0.attestationExtra = [.text("x"): .null]
        },
        .init("attestation: format no text", .malformedAttestation) {
            $0.attestationExtra = [.text("fmt"): .integer(1)]
        },
        .init("attestation: statement no map", .malformedAttestation) {
            $0.attestationExtra = [.text("attStmt"): .array([])]
        },
        .init("attestation: data no bytes", .malformedAttestation) {
            $0.attestationExtra = [.text("authData"): .text("")]
        },
        .init("attestation: format not asked for", .unsupportedAttestation) { $0.format = "fido-u2f" },
        .init("attestation: none that says something", .malformedAttestation) {
            $0.statement = [.text("alg"): .integer(-7)]
        },
        .init("packed: empty", .malformedAttestation) { $0.format = "packed" },
        .init("packed: a maker's", .unsupportedAttestation) { parts in
            (parts.format, parts.isSelfAttested) = ("packed", true)
            parts.statement = [.text("x5c"): .array([.bytes([0x30, 0])])]
        },
        .init("packed: another member", .malformedAttestation) { parts in
            (parts.format, parts.isSelfAttested) = ("packed", true)
            parts.statement = [.text("ecdaaKeyId"): .bytes([1])]
        },
        .init("packed: another algorithm", .badAttestation) { parts in
            (parts.format, parts.isSelfAttested) = ("packed", true)
            parts.statement = [.text("alg"): .integer(-8)]
        },
        .init("packed: another signature", .badAttestation) { parts in
            (parts.format, parts.isSelfAttested, parts.signatureFlip) = ("packed", true, 1)
        },
        .init("packed: an empty signature", .badAttestation) { parts in
            (parts.format, parts.isSelfAttested) = ("packed", true)
            parts.statement = [.text("sig"): .bytes([])]
        },
    ]

    private static let ofCredentials: [Alteration] = [
        .init("flags: no credential", .inconsistentFlags) { $0.flags.remove(.attestedCredential) },
        .init("credential: the browser names another", .wrongCredential) { $0.toldID = [9] },
        .init("credential: an empty id", .malformedAuthenticatorData) { $0.credentialID = [] },
        .init("credential: an id of 1,024 bytes", .malformedAuthenticatorData) {
            $0.credentialID = Array(repeating: 1, count: 1_024)
        },
        .init("credential: an id longer than all", .malformedAuthenticatorData) { $0.idLength = 1_000 },
        .init("credential: an id longer than it is", .malformedKey) { $0.idLength = 17 },
    ]

    private static let ofKeys: [Alteration] = [
        .init("key: no map", .malformedKey) { $0.keyBytes = [0x80] },
        .init("key: no algorithm", .malformedKey) { $0.key[.integer(3)] = nil },
        .init("key: ES384", .unsupportedAlgorithm) { $0.key[.integer(3)] = .integer(-35) },
        .init("key: RS1", .unsupportedAlgorithm) { $0.key[.integer(3)] = .integer(-65_535) },
        .init("key: of another kind", .malformedKey) { $0.key[.integer(1)] = .integer(1) },
        .init("key: on another curve", .malformedKey) { $0.key[.integer(-1)] = .integer(2) },
        .init("key: no y", .malformedKey) { $0.key[.integer(-3)] = nil },
        .init("key: y as a bit", .malformedKey) { $0.key[.integer(-3)] = .bool(true) },
        .init("key: x too short", .malformedKey) {
            $0.key[.integer(-2)] = .bytes(Array(repeating: 1, count: 31))
        },
        .init("key: not on the curve", .malformedKey) {
            $0.key[.integer(-2)] = .bytes(Array(repeating: 1, count: 32))
        },
        .init("key: the point at infinity", .malformedKey) { parts in
            parts.key[.integer(-2)] = .bytes(Array(repeating: 0, count: 32))
            parts.key[.integer(-3)] = .bytes(Array(repeating: 0, count: 32))
        },
        .init("key: a private part", .malformedKey) {
            $0.key[.integer(-4)] = .bytes(Array(repeating: 1, count: 32))
        },
        .init("key: a number in too many bytes", .malformedAuthenticatorData) { parts in
            parts.keyBytes = [0xA5, 0x18, 0x01, 0x02] + CBORWriter.bytes(.map(parts.key)).dropFirst(3)
        },
        .init("key: of a length that is not told", .malformedAuthenticatorData) { parts in
            parts.keyBytes = [0xBF] + CBORWriter.bytes(.map(parts.key)).dropFirst() + [0xFF]
        },
        .init("key: RSA of 1,024 bits", .malformedKey) {
            $0.key = [
                .integer(1): .integer(3), .integer(3): .integer(-257),
                .integer(-1): .bytes(Array(repeating: 0xFF, count: 128)), .integer(-2): .bytes([1, 0, 1]),
            ]
        },
        .init("key: EdDSA on Ed448", .unsupportedAlgorithm) {
            $0.key = [
                .integer(1): .integer(1), .integer(3): .integer(-8), .integer(-1): .integer(7),
                .integer(-2): .bytes(Array(repeating: 1, count: 57)),
            ]
        },
    ]

    private static let signer = P256.Signing.PrivateKey()

    private func parts() -> ResponseParts {
        ResponseParts(.registration, challenge: AlteredResponses.challenge, signer: Self.signer)
    }

    @Test("W-3: unaltered they are verified, with no attestation and one of the credential")
    func unaltered() throws {
        var parts = parts()
        let site = try AlteredResponses.site()
        #expect(
            try site.verify(parts.registration(), challenge: AlteredResponses.challenge).id
                == parts.credentialID
        )
        (parts.format, parts.isSelfAttested) = ("packed", true)
        parts.flags.formUnion([.backupEligible, .backedUp, .extensions])
        parts.extensions = CBORWriter.bytes(
            .map([.text("hmac-secret"): .bool(true), .text("credProtect"): .integer(2)])
        )
        parts.counter = 7
        parts.set("another", "{\"member\":[1,-2.5e3,null,\"\\ud83d\\ude00\"]}")
        let credential = try site.verify(parts.registration(), challenge: AlteredResponses.challenge)
        #expect(credential.counter == 7 && credential.isBackupEligible && credential.isBackedUp)
    }

    @Test("W-3: each is refused with its code", arguments: alterations)
    func refused(_ alteration: Alteration) throws {
        var parts = parts()
        alteration.alter(&parts)
        let (site, response) = (try AlteredResponses.site(), try parts.registration())
        let result = Result { () throws(WebAuthnError) in
            try site.verify(response, challenge: AlteredResponses.challenge)
        }
        #expect(result.code == alteration.code)
    }

    @Test("W-3: at least 40 kinds of altered registrations, each once")
    func count() {
        #expect(Self.alterations.count >= 40)
        #expect(Set(Self.alterations.map(\.name)).count == Self.alterations.count)
    }
}
#endif
