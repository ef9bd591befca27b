#if Passkeys
import Crypto

@testable import Passkeys

/// All that a response is made of, so that a test can alter any of it before it is signed.
struct ResponseParts: Sendable {
    static let site = "example.org"

    // The client data.
    /// The members as JSON, in order.
    var client: [(name: String, json: String)]
    /// What the client data is, where that is not an object of these members.
    var clientText: String?
    // The authenticator data.
    var relyingPartyID = ResponseParts.site
    var flags: AuthenticatorData.Flags
    var counter: UInt32 = 0
    var credentialID = Array<UInt8>(1...16)
    /// The length that stands before the id; `nil`: its own.
    var idLength: Int?
    var key: [CBORValue.Key: CBORValue]
    /// The key's bytes, where they are not those of `key`.
    var keyBytes: [UInt8]?
    var extensions: [UInt8] = []
    /// How much of the authenticator data is left.
    var cut = 0
    // The attestation.
    var format = "none"
    var statement: [CBORValue.Key: CBORValue] = [:]
    var isSelfAttested = false
    var attestationRest: [UInt8] = []
    var attestationExtra: [CBORValue.Key: CBORValue] = [:]
    // Around it.
    /// The id that the browser tells; `nil`: the authenticator's.
    var toldID: [UInt8]?
    var userHandle: [UInt8]?
    var signatureFlip: UInt8 = 0

    let signer: P256.Signing.PrivateKey

    init(_ ceremony: PasskeyCeremony, challenge: [UInt8], signer: P256.Signing.PrivateKey) {
        self.signer = signer
        client = [
            ("type", ceremony == .registration ? "\"webauthn.create\"" : "\"webauthn.get\""),
            ("challenge", "\"\(Base64URL.text(challenge))\""),
            ("origin", "\"https://\(Self.site)\""),
            ("crossOrigin", "false"),
        ]
        flags =
            ceremony == .registration
            ? [.userPresent, .userVerified, .attestedCredential] : [.userPresent, .userVerified]
        let point = Array(signer.publicKey.rawRepresentation)
        key = [
            .integer(1): .integer(2), .integer(3): .integer(-7), .integer(-1): .integer(1),
            .integer(-2): .bytes(Array(point[..<32])), .integer(-3): .bytes(Array(point[32...])),
        ]
    }

    /// Puts another value in the place of a member of the client data; `nil` leaves it out.
    mutating func set(_ name: String, _ json: String?) {
        guard let index = client.firstIndex(where: { $0.name == name }) else {
            if let json { client.append((name, json)) }
            return
        }
        if let json { client[index].json = json } else { client.remove(at: index) }
    }

    var clientDataJSON: [UInt8] {
        Array((clientText ?? "{\(client.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}").utf8)
    }

    var authenticatorData: [UInt8] {
        var data = Array(SHA256.hash(data: Array(relyingPartyID.utf8))) + [flags.rawValue]
        data += (0..<4).reversed().map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
        if flags.contains(.attestedCredential) {
            let length = idLength ?? credentialID.count
            data += Array(repeating: 0, count: 16) + [UInt8(length >> 8), UInt8(length & 255)] + credentialID
            data += keyBytes ?? CBORWriter.bytes(.map(key))
        }
        return (data + extensions).dropLast(cut)
    }

    private var signed: [UInt8] { authenticatorData + SHA256.hash(data: clientDataJSON) }

    private func signature() throws -> [UInt8] {
        var signature = Array(try signer.signature(for: signed).derRepresentation)
        signature[signature.count - 1] ^= signatureFlip
        return signature
    }

    func registration(hasPRF: Bool? = true) throws -> PasskeyRegistration {
        var statement = statement
        if isSelfAttested {
            statement.merge(
                [.text("alg"): .integer(-7), .text("sig"): .bytes(try signature())],
                uniquingKeysWith: { told, _ in told }
            )
        }
        let object: [CBORValue.Key: CBORValue] = [
            .text("fmt"): .text(format), .text("attStmt"): .map(statement),
            .text("authData"): .bytes(authenticatorData),
        ]
        return PasskeyRegistration(
            credentialID: toldID ?? credentialID,
            clientDataJSON: clientDataJSON,
            attestationObject: CBORWriter.bytes(.map(object.merging(attestationExtra) { $1 }))
                + attestationRest,
            hasPRF: hasPRF
        )
    }

    func assertion() throws -> PasskeyAssertion {
        PasskeyAssertion(
            credentialID: toldID ?? credentialID,
            clientDataJSON: clientDataJSON,
            authenticatorData: authenticatorData,
            signature: try signature(),
            userHandle: userHandle
        )
    }
}
#endif
