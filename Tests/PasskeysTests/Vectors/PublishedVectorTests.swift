#if Passkeys
import PortcullisCore
import Testing

@testable import Passkeys

@Suite("W3C's test vectors of WebAuthn Level 3, section 16 (W-3)")
struct PublishedVectorTests {
    private static let verifiedRegistrations: Set = [
        "none-es256", "packed-self-es256", "none-es256-crossOrigin", "none-es256-topOrigin",
        "none-es256-long-credential-id",
    ]
    /// Keys of other algorithms than those that are asked for.
    private static let otherAlgorithms: Set = ["packed-es384", "packed-es512", "packed-ed448"]

    @Test("W-3: all vectors are there")
    func complete() {
        #expect(PublishedVector.all.count == 15)
        let names = Set(PublishedVector.all.map(\.name))
        #expect(Self.verifiedRegistrations.union(Self.otherAlgorithms).isSubset(of: names))
    }

    @Test(
        "W-3: registrations with no attestation or one of the credential are verified",
        arguments: PublishedVector.all
    )
    func registration(_ vector: PublishedVector) throws {
        let site = try PublishedVector.site()
        let result = Result { () throws(WebAuthnError) in
            try site.verify(vector.created, challenge: vector.registrationChallenge)
        }
        if Self.verifiedRegistrations.contains(vector.name) {
            let credential = try result.get()
            #expect(credential.id == vector.credentialID)
            #expect(credential.key.algorithm == .es256)
            #expect(credential.counter == 0)
        } else {
            // A maker's attestation is not asked for.
            let code: WebAuthnErrorCode =
                Self.otherAlgorithms.contains(vector.name) ? .unsupportedAlgorithm : .unsupportedAttestation
            #expect(result.code == code)
        }
    }

    @Test(
        "W-3: authentications are verified, with each key of ES256, EdDSA and RS256",
        arguments: PublishedVector.all.filter { !otherAlgorithms.contains($0.name) }
    )
    func authentication(_ vector: PublishedVector) throws {
        let site = try PublishedVector.site()
        let credential = try vector.credential()
        let used = try site.verify(
            vector.used,
            challenge: vector.authenticationChallenge,
            credential: credential
        )
        #expect(used.counter == 0)
        #expect(used.id == credential.id)
        var altered = vector.used
        altered.signature[altered.signature.count - 1] ^= 1
        #expect(throws: WebAuthnError.self) {
            try site.verify(altered, challenge: vector.authenticationChallenge, credential: credential)
        }
    }

    @Test("W-3: the vectors have keys of all three algorithms")
    func algorithms() throws {
        let algorithms = try PublishedVector.all.filter { !Self.otherAlgorithms.contains($0.name) }
            .map { try $0.credential().key.algorithm }
        #expect(Set(algorithms) == Set(CredentialKey.Algorithm.allCases))
        #expect(algorithms.count == 12)
    }

    @Test("W-3: a site that is in no frame refuses the vectors of frames")
    func frames() throws {
        let site = try PublishedVector.site(embedding: .refused)
        let other = try PublishedVector.site(embedding: .allowed(topOrigins: ["https://example.net"]))
        for (name, site, code) in [
            ("none-es256-crossOrigin", site, WebAuthnErrorCode.crossOrigin),
            ("none-es256-topOrigin", site, .crossOrigin),
            ("none-es256-topOrigin", other, .wrongTopOrigin),
        ] {
            let vector = try #require(PublishedVector.all.first { $0.name == name })
            let created = Result { () throws(WebAuthnError) in
                try site.verify(vector.created, challenge: vector.registrationChallenge)
            }
            #expect(created.code == code)
            let credential = try vector.credential()
            let used = Result { () throws(WebAuthnError) in
                try site.verify(
                    vector.used,
                    challenge: vector.authenticationChallenge,
                    credential: credential
                )
            }
            #expect(used.code == code)
        }
    }

    @Test(
        "W-3: no cut of a vector's attestation object is taken, and none is a trap",
        arguments: PublishedVector.all
    )
    func cuts(_ vector: PublishedVector) throws {
        let site = try PublishedVector.site()
        for count in 0..<vector.attestationObject.count {
            var cut = vector.created
            cut.attestationObject = Array(vector.attestationObject.prefix(count))
            let result = Result { () throws(WebAuthnError) in
                try site.verify(cut, challenge: vector.registrationChallenge)
            }
            #expect(result.code == .malformedAttestation)
        }
    }
}

extension PublishedVector {
    /// The passkey that the registration made, whatever its attestation says.
    func credential() throws -> PasskeyCredential {
        let object = try CBORReader.value(of: attestationObject[...])
        let data = try AuthenticatorData(try #require(object.map?[.text("authData")]?.bytes))
        let made = try #require(data.credential)
        return PasskeyCredential(
            id: made.id,
            key: made.key,
            counter: data.counter,
            isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp),
            model: made.aaguid
        )
    }
}

extension Result where Failure == WebAuthnError {
    /// The code of a refusal; `nil` where it is none.
    var code: WebAuthnErrorCode? { if case .failure(let error) = self { error.code } else { nil } }
}
#endif
