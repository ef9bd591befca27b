#if Passkeys
import Foundation
import Passkeys
import Testing

/// One of W3C's test vectors: a registration, and an authentication with what it made.
struct PublishedVector: Sendable, Decodable, CustomTestStringConvertible {
    struct Bytes: Sendable, Decodable {
        let bytes: [UInt8]

        init(from decoder: any Decoder) throws {
            var digits = Substring(try decoder.singleValueContainer().decode(String.self))
            var bytes: [UInt8] = []
            while !digits.isEmpty {
                bytes.append(try #require(UInt8(digits.prefix(2), radix: 16)))
                digits = digits.dropFirst(2)
            }
            self.bytes = bytes
        }
    }

    private struct Registration: Sendable, Decodable {
        let challenge, credentialID, clientDataJSON, attestationObject: Bytes

        enum CodingKeys: String, CodingKey {
            case challenge, clientDataJSON, attestationObject
            case credentialID = "credential_id"
        }
    }

    private struct Authentication: Sendable, Decodable {
        let challenge, authenticatorData, clientDataJSON, signature: Bytes
    }

    private struct File: Decodable { let vectors: [PublishedVector] }

    let name: String
    private let registration: Registration
    private let authentication: Authentication

    var testDescription: String { name }

    static let all: [PublishedVector] = {
        guard let file = Bundle.module.url(forResource: "webauthn-level-3", withExtension: "json"),
            let vectors = try? JSONDecoder().decode(File.self, from: Data(contentsOf: file)).vectors
        else { preconditionFailure("the vectors are not in the bundle") }
        return vectors
    }()

    var registrationChallenge: [UInt8] { registration.challenge.bytes }
    var authenticationChallenge: [UInt8] { authentication.challenge.bytes }
    var credentialID: [UInt8] { registration.credentialID.bytes }
    var attestationObject: [UInt8] { registration.attestationObject.bytes }

    var created: PasskeyRegistration {
        PasskeyRegistration(
            credentialID: registration.credentialID.bytes,
            clientDataJSON: registration.clientDataJSON.bytes,
            attestationObject: registration.attestationObject.bytes,
            hasPRF: nil
        )
    }

    var used: PasskeyAssertion {
        PasskeyAssertion(
            credentialID: registration.credentialID.bytes,
            clientDataJSON: authentication.clientDataJSON.bytes,
            authenticatorData: authentication.authenticatorData.bytes,
            signature: authentication.signature.bytes,
            userHandle: nil
        )
    }

    /// The site of all vectors, which takes what they show: no verification of the person, and frames.
    static func site(
        embedding: RelyingParty.Embedding = .allowed(topOrigins: ["https://example.com"])
    ) throws(WebAuthnError) -> RelyingParty {
        try RelyingParty(
            id: "example.org",
            name: "Example",
            origins: ["https://example.org"],
            embedding: embedding,
            needsUserVerification: false
        )
    }
}
#endif
