#if Passkeys
/// A credential's public key in the COSE encoding (RFC 9052, RFC 9053, RFC 8812).
public struct CredentialKey: Sendable, Hashable {
    /// The algorithms that the site accepts, the preferred one first.
    public enum Algorithm: Int64, Sendable, Hashable, CaseIterable {
        /// ECDSA with SHA-256 on P-256.
        case es256 = -7
        /// EdDSA on Ed25519.
        case edDSA = -8
        /// RSASSA-PKCS1-v1_5 with SHA-256, and a key of 2,048 to 8,192 bits.
        case rs256 = -257
    }

    /// The numbers of the key.
    enum Numbers: Sendable, Hashable {
        case p256(x: [UInt8], y: [UInt8])
        case ed25519(x: [UInt8])
        case rsa(modulus: [UInt8], exponent: [UInt8])
    }

    /// The key as the authenticator wrote it.
    public let encoded: [UInt8]
    let numbers: Numbers

    /// The algorithm of the key's signatures.
    public var algorithm: Algorithm {
        switch numbers {
        case .p256: .es256
        case .ed25519: .edDSA
        case .rsa: .rs256
        }
    }

    /// Decodes a COSE key and checks it.
    ///
    /// - Throws: ``WebAuthnErrorCode/malformedKey`` if the bytes are no valid key;
    ///   ``WebAuthnErrorCode/unsupportedAlgorithm`` if the site does not accept the key's algorithm or curve.
    public init(encoded: [UInt8]) throws(WebAuthnError) {
        let value: CBORValue
        do throws(CBORMistake) { value = try CBORReader.value(of: encoded[...]) } catch {
            throw WebAuthnError(.malformedKey, "the key is no CBOR", cause: error)
        }
        try self.init(value, encoded: encoded)
    }

    /// Makes a key from its decoded CBOR value. Numbers that the cryptographic library does not accept are an
    /// error, so that every key can verify signatures.
    init(_ value: CBORValue, encoded: [UInt8]) throws(WebAuthnError) {
        guard let members = value.map else { throw Self.malformed("is no map") }
        guard let number = members[.integer(3)]?.integer else { throw Self.malformed("names no algorithm") }
        guard let algorithm = Algorithm(rawValue: number) else {
            throw WebAuthnError(.unsupportedAlgorithm, "the key's algorithm was not asked for")
        }
        self.encoded = encoded
        numbers = try Self.numbers(members, algorithm)
        // A key with further members is refused, because one of them may restrict the key to another use.
        guard members.count == (algorithm == .es256 ? 5 : 4) else { throw Self.malformed("has more members") }
        guard isUsable else { throw Self.malformed("has numbers that are none of its kind") }
    }

    private static func numbers(
        _ members: [CBORValue.Key: CBORValue],
        _ algorithm: Algorithm
    ) throws(WebAuthnError) -> Numbers {
        let (type, curve) = (members[.integer(1)]?.integer, members[.integer(-1)])
        switch algorithm {
        case .es256:
            guard type == 2, curve?.integer == 1, let x = members[.integer(-2)]?.bytes,
                let y = members[.integer(-3)]?.bytes, x.count == 32, y.count == 32
            else { throw malformed("is none on P-256, with both coordinates") }
            return .p256(x: x, y: y)
        case .edDSA:
            guard type == 1 else { throw malformed("is none of an Edwards curve") }
            guard curve?.integer == 6 else {
                throw WebAuthnError(.unsupportedAlgorithm, "the key's curve is not Ed25519")
            }
            guard let x = members[.integer(-2)]?.bytes, x.count == 32 else { throw malformed("has no point") }
            return .ed25519(x: x)
        case .rs256:
            guard type == 3, let modulus = curve?.bytes, let exponent = members[.integer(-2)]?.bytes,
                (256...1_024).contains(modulus.count), (1...4).contains(exponent.count), modulus.first != 0
            else { throw malformed("is no RSA key of 2,048 to 8,192 bits") }
            return .rsa(modulus: modulus, exponent: exponent)
        }
    }

    private static func malformed(_ what: String) -> WebAuthnError {
        WebAuthnError(.malformedKey, "the key \(what)")
    }
}

extension CredentialKey: Codable {
    /// Reads the COSE key and checks it.
    public init(from decoder: any Decoder) throws {
        try self.init(encoded: decoder.singleValueContainer().decode([UInt8].self))
    }

    /// Writes the COSE key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(encoded)
    }
}
#endif
