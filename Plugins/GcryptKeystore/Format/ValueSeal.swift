internal import Gcrypt
internal import PortcullisCore

/// Seals and opens values under their class key. A seal is bound to store, name, version and class.
enum ValueSeal {
    static func binding(
        _ storeID: [UInt8],
        _ name: SecretName,
        _ accessibility: UInt8,
        version: UInt64
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(26 + name.namespace.rawValue.utf8.count + name.name.utf8.count)
        bytes += storeID
        bytes.append(version)
        bytes.append(accessibility)
        bytes.append(UInt8(name.namespace.rawValue.utf8.count))
        bytes += name.namespace.rawValue.utf8
        bytes += name.name.utf8
        return bytes
    }

    /// Seals a value. Returns nonce, ciphertext and tag.
    static func seal(
        _ value: SecretBytes,
        under key: SealingKey,
        binding: [UInt8]
    ) throws(GcryptFailure) -> [UInt8] {
        var sealed: [UInt8] = []
        sealed.reserveCapacity(value.count + SealingKey.overhead)
        sealed.appendRandom(SealingKey.nonceSize)
        try Sealed.append(value, to: &sealed, under: key, nonce: 0..<SealingKey.nonceSize, binding: binding)
        return sealed
    }

    /// Opens a sealed value. Returns `nil` if the key, the bytes or the binding differ from those of the
    /// seal.
    @unsafe
    static func open(
        _ sealed: UnsafeRawBufferPointer,
        under key: SealingKey,
        binding: [UInt8]
    ) throws(GcryptFailure) -> SecretBytes? {
        guard sealed.count >= SealingKey.overhead else { return nil }
        return try unsafe binding.span.bytes.withUnsafeBytes { (binding) throws(GcryptFailure) in
            try unsafe Sealed.open(
                UnsafeRawBufferPointer(rebasing: sealed[SealingKey.nonceSize...]),
                under: key,
                nonce: UnsafeRawBufferPointer(rebasing: sealed[..<SealingKey.nonceSize]),
                binding: binding
            )
        }
    }
}
