#if Passkeys
import Crypto
import Testing

@testable import Passkeys

@Suite("Assertions that are altered (W-3)")
struct AlteredAssertionTests {
    private static let alterations: [Alteration] =
        Alteration.ofClientData + Alteration.ofAuthenticatorData + [
            .init("type: the other ceremony's", .wrongType) { $0.set("type", "\"webauthn.create\"") },
            .init("flags: a credential", .inconsistentFlags) { $0.flags.insert(.attestedCredential) },
            .init("flags: can be backed up, which it could not", .inconsistentFlags) {
                $0.flags.insert(.backupEligible)
            },
            .init("credential: another", .wrongCredential) { $0.toldID = [9] },
            .init("credential: none", .wrongCredential) { $0.toldID = [] },
            .init("user: another", .wrongUser) { $0.userHandle = [6] },
            .init("user: empty", .wrongUser) { $0.userHandle = [] },
            .init("signature: one bit", .badSignature) { $0.signatureFlip = 1 },
            .init("counter: the same", .counterWentBack) { $0.counter = 5 },
            .init("counter: less", .counterWentBack) { $0.counter = 4 },
            .init("counter: 0 after it counted", .counterWentBack) { $0.counter = 0 },
        ]

    private static let signer = P256.Signing.PrivateKey()

    private func parts() -> ResponseParts {
        var parts = ResponseParts(.authentication, challenge: AlteredResponses.challenge, signer: Self.signer)
        parts.counter = 6
        return parts
    }

    private func credential(_ parts: ResponseParts, counter: UInt32 = 5) throws -> PasskeyCredential {
        PasskeyCredential(
            id: parts.credentialID,
            key: try CredentialKey(encoded: CBORWriter.bytes(.map(parts.key))),
            counter: counter,
            isBackupEligible: false,
            isBackedUp: false,
            model: []
        )
    }

    @Test("W-3: unaltered it is verified; a counter of 0 on both sides is right")
    func unaltered() throws {
        var parts = parts()
        let (site, challenge) = (try AlteredResponses.site(), AlteredResponses.challenge)
        let kept = try credential(parts)
        #expect(try site.verify(parts.assertion(), challenge: challenge, credential: kept).counter == 6)
        (parts.counter, parts.userHandle) = (0, [5])
        let uncounted = try credential(parts, counter: 0)
        let used = try site.verify(
            parts.assertion(),
            challenge: challenge,
            credential: uncounted,
            userHandle: [5]
        )
        #expect(used == uncounted)
        parts.flags.insert(.extensions)
        parts.extensions = CBORWriter.bytes(
            .map([.text("hmac-secret"): .bytes(Array(repeating: 3, count: 48))])
        )
        _ = try site.verify(parts.assertion(), challenge: challenge, credential: uncounted, userHandle: [5])
    }

    @Test("W-3: each is refused with its code", arguments: alterations)
    func refused(_ alteration: Alteration) throws {
        var parts = parts()
        let credential = try credential(parts)
        alteration.alter(&parts)
        let (site, response) = (try AlteredResponses.site(), try parts.assertion())
        let result = Result { () throws(WebAuthnError) in
            try site.verify(
                response,
                challenge: AlteredResponses.challenge,
                credential: credential,
                userHandle: [5]
            )
        }
        #expect(result.code == alteration.code)
    }

    @Test("W-3: what was signed is refused once a byte of it is another")
    func everyByte() throws {
        let parts = parts()
        let (site, credential) = (try AlteredResponses.site(), try credential(parts))
        let response = try parts.assertion()
        for place in response.authenticatorData.indices {
            var altered = response
            altered.authenticatorData[place] ^= 1
            #expect(throws: WebAuthnError.self) {
                try site.verify(altered, challenge: AlteredResponses.challenge, credential: credential)
            }
        }
        for place in response.clientDataJSON.indices {
            var altered = response
            altered.clientDataJSON[place] ^= 1
            #expect(throws: WebAuthnError.self) {
                try site.verify(altered, challenge: AlteredResponses.challenge, credential: credential)
            }
        }
    }

    @Test("W-3: at least 40 kinds of altered assertions, each once")
    func count() {
        #expect(Self.alterations.count >= 40)
        #expect(Set(Self.alterations.map(\.name)).count == Self.alterations.count)
    }

    @Test("W-3: a counter that went back is told only of a signature that fits")
    func signatureFirst() throws {
        var parts = parts()
        (parts.counter, parts.signatureFlip) = (1, 1)
        let (site, response, kept) = (
            try AlteredResponses.site(), try parts.assertion(), try credential(parts)
        )
        let result = Result { () throws(WebAuthnError) in
            try site.verify(response, challenge: AlteredResponses.challenge, credential: kept)
        }
        #expect(result.code == .badSignature)
    }
}
#endif
