internal import Gcrypt
internal import PortcullisCore

/// The two values that a passcode, or a recovery passphrase, gives.
///
/// Either alone is of no use: one authorises what the chip counts, and the other is needed besides, so that a chip which is
/// broken or replaced still costs a derivation for each guess.
struct SealSecrets: Sendable {
    /// What the chip is shown.
    let authorization: SecretBytes
    /// What the chip never sees.
    private let other: SecretBytes
    private let label: String
    private let context: [UInt8]

    enum Use: String, Sendable { case passcode, recovery }

    /// Derives them; blocks.
    init(
        _ use: Use,
        _ secret: SecretBytes,
        salt: [UInt8],
        _ parameters: Argon2Parameters,
        context: String
    ) throws(PasscodeSealerError) {
        let derived = try Argon2.derive(secret, salt: salt, parameters, length: 2 * Digest.size)
        self.context = Array(context.utf8)
        label = "portcullis tpm \(use.rawValue)"
        other = derived.part(Digest.size..<2 * Digest.size)
        do {
            authorization = Self.trimmed(
                try Digest.derive(from: derived.part(0..<Digest.size), Array(label.utf8), [0], self.context)
            )
        } catch {
            throw PasscodeSealerError(code: .systemFailure, message: "\(error)")
        }
    }

    /// A chip drops the zero bytes at an authorization's end.
    private static func trimmed(_ secret: SecretBytes) -> SecretBytes {
        var count = secret.count
        secret.withBytes { bytes in while count > 0, bytes[count - 1] == 0 { count -= 1 } }
        return secret.part(0..<count)
    }

    /// A random authorization, which is forgotten with the last reference to it.
    static func random() -> SecretBytes { trimmed(SecretBytes(randomCount: Digest.size)) }

    /// Wraps a key under this and what the chip releases: nonce, ciphertext and tag.
    func wrap(_ key: SecretBytes, with released: SecretBytes, binding: [UInt8]) throws(PasscodeSealerError)
        -> [UInt8]
    {
        let nonce = SecretBytes(randomCount: SealingKey.nonceSize).withBytes { bytes in
            bytes.indices.map { bytes[$0] }
        }
        do {
            return nonce
                + (try Sealed.seal(key, under: try wrapping(released), nonce: nonce, binding: binding))
        } catch {
            throw PasscodeSealerError(code: .systemFailure, message: "\(error)")
        }
    }

    /// Opens what ``wrap(_:with:binding:)`` made; `nil` where it was altered.
    func unwrap(_ wrapped: [UInt8], with released: SecretBytes, binding: [UInt8])
        throws(PasscodeSealerError) -> SecretBytes?
    {
        do {
            return try Sealed.open(
                Array(wrapped[SealingKey.nonceSize...]),
                under: try wrapping(released),
                nonce: Array(wrapped[..<SealingKey.nonceSize]),
                binding: binding
            )
        } catch {
            throw PasscodeSealerError(code: .systemFailure, message: "\(error)")
        }
    }

    private func wrapping(_ released: SecretBytes) throws(GcryptFailure) -> SecretBytes {
        try Digest.derive(
            from: SecretBytes(joining: [released, other]),
            Array(label.utf8),
            [1],
            context
        )
    }
}
