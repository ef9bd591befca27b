#if Passkeys
internal import Crypto
internal import CryptoExtras

extension CredentialKey {
    /// Whether the cryptographic library accepts the numbers as a public key.
    var isUsable: Bool {
        switch numbers {
        case .p256(let x, let y): (try? P256.Signing.PublicKey(rawRepresentation: x + y)) != nil
        case .ed25519(let x): (try? Curve25519.Signing.PublicKey(rawRepresentation: x)) != nil
        case .rsa(let modulus, let exponent): (try? _RSA.Signing.PublicKey(n: modulus, e: exponent)) != nil
        }
    }

    /// Whether a signature of a message verifies with this key.
    ///
    /// - Parameters:
    ///   - signature: the signature in WebAuthn's encoding: ASN.1 in DER for ECDSA, the plain bytes for the
    ///     other algorithms.
    ///   - message: the authenticator data, followed by the hash of the client data.
    func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        // A key or signature that cannot be decoded counts as a wrong signature.
        switch numbers {
        case .p256(let x, let y):
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
                let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .ed25519(let x):
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else { return false }
            return key.isValidSignature(signature, for: message)
        case .rsa(let modulus, let exponent):
            guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else { return false }
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature),
                for: message,
                padding: .insecurePKCS1v1_5
            )
        }
    }
}
#endif
