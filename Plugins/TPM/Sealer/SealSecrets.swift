internal import Gcrypt
internal import PortcullisCore

/// The two values that are derived from a passcode or a recovery passphrase.
///
/// An attacker needs both values. The chip checks the first value, the authorization. The second value is
/// never sent to the chip. So even with a broken or replaced chip, each guess costs a derivation.
struct SealSecrets: Sendable {
    /// The authorization, which the chip checks.
    let authorization: SecretBytes
    /// The value that is never sent to the chip.
    private let other: SecretBytes
    private let label: String
    private let context: [UInt8]

    enum Use: String, Sendable { case passcode, recovery }

    /// Derives both values from a secret. The derivation blocks the calling thread.
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

    /// Removes the zero bytes at the end of an authorization, as a chip does.
    private static func trimmed(_ secret: SecretBytes) -> SecretBytes {
        var count = secret.count
        secret.withBytes { bytes in while count > 0, bytes[count - 1] == 0 { count -= 1 } }
        return secret.part(0..<count)
    }

    /// Makes a random authorization. It is stored nowhere, so it is lost with the last reference to it.
    static func random() -> SecretBytes { trimmed(SecretBytes(randomCount: Digest.size)) }

    /// Wraps a key. The wrapping key is derived from `released`, which the chip releases, and from a second
    /// value, which the chip never gets. The result is the nonce, the ciphertext and the tag.
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

    /// Unwraps the result of ``wrap(_:with:binding:)``; `nil` if it was altered.
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
