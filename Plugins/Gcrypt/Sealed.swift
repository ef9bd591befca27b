package import PortcullisCore

/// Seals and opens whole secrets. The tag follows the ciphertext. A key in `SecretBytes` is expanded for one
/// call only. A `SealingKey` stays expanded for many calls.
package enum Sealed {
    package static func seal(
        _ secret: SecretBytes,
        under key: SecretBytes,
        nonce: [UInt8],
        binding: [UInt8]
    ) throws(GcryptFailure) -> [UInt8] {
        var sealed = nonce
        try append(
            secret,
            to: &sealed,
            under: try SealingKey(key),
            nonce: nonce.indices,
            binding: binding
        )
        return Array(sealed[nonce.count...])
    }

    /// Appends the ciphertext and the tag to `bytes`. The nonce must already be in `bytes`, in the range
    /// `nonce`.
    package static func append(
        _ secret: SecretBytes,
        to bytes: inout [UInt8],
        under sealing: SealingKey,
        nonce: Range<Int>,
        binding: [UInt8]
    ) throws(GcryptFailure) {
        let start = bytes.count
        let tag = start + secret.count
        bytes.append(contentsOf: repeatElement(0, count: secret.count + SealingKey.tagSize))
        var failure: GcryptFailure?
        secret.withBytes { plain in
            unsafe plain.withUnsafeBytes { plain in
                unsafe bytes.withUnsafeMutableBytes { bytes in
                    unsafe binding.withUnsafeBytes { binding in
                        do throws(GcryptFailure) {
                            try unsafe sealing.seal(
                                plain,
                                into: UnsafeMutableRawBufferPointer(rebasing: bytes[start..<tag]),
                                tag: UnsafeMutableRawBufferPointer(rebasing: bytes[tag...]),
                                nonce: UnsafeRawBufferPointer(rebasing: bytes[nonce]),
                                binding: binding
                            )
                        } catch {
                            failure = error
                        }
                    }
                }
            }
        }
        if let failure { throw failure }
    }

    package static func open(
        _ sealed: [UInt8],
        under key: SecretBytes,
        nonce: [UInt8],
        binding: [UInt8]
    ) throws(GcryptFailure) -> SecretBytes? {
        let key = try SealingKey(key)
        return try unsafe sealed.span.bytes.withUnsafeBytes { (sealed) throws(GcryptFailure) in
            try unsafe nonce.span.bytes.withUnsafeBytes { (nonce) throws(GcryptFailure) in
                try unsafe binding.span.bytes.withUnsafeBytes { (binding) throws(GcryptFailure) in
                    try unsafe open(sealed, under: key, nonce: nonce, binding: binding)
                }
            }
        }
    }

    /// Opens ciphertext and tag. The plaintext is written only to the secret's memory. Returns `nil` if the
    /// tag is wrong.
    @unsafe
    package static func open(
        _ sealed: UnsafeRawBufferPointer,
        under key: SealingKey,
        nonce: UnsafeRawBufferPointer,
        binding: UnsafeRawBufferPointer
    ) throws(GcryptFailure) -> SecretBytes? {
        let size = sealed.count - SealingKey.tagSize
        guard size >= 0 else { return nil }
        var fits = false
        let secret = try SecretBytes(capacity: size) {
            (output: inout OutputSpan<UInt8>) throws(GcryptFailure) in
            try unsafe output.withUnsafeMutableBufferPointer { (buffer, count) throws(GcryptFailure) in
                fits = try unsafe key.open(
                    UnsafeRawBufferPointer(rebasing: sealed[..<size]),
                    into: UnsafeMutableRawBufferPointer(buffer),
                    tag: UnsafeRawBufferPointer(rebasing: sealed[size...]),
                    nonce: nonce,
                    binding: binding
                )
                count = size
            }
        }
        return fits ? secret : nil
    }
}
