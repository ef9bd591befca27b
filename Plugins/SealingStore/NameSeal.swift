internal import Gcrypt
internal import PortcullisCore

/// The place of an item in the underlying store.
struct Place: Sendable {
    /// The item's name in the underlying store. It reveals only the length of the real name.
    let name: SecretName
    /// The digest that identifies the real name in memory.
    let tag: NameTag
    /// The number of the bucket that the item belongs to. The items of a bucket share a ``Floor``.
    let bucket: Int
    /// Whether the real name is too long for a name in the underlying store. In that case the item has the
    /// sealed name before the value.
    let isLong: Bool
}

/// Sixteen bytes of a name's keyed digest.
struct NameTag: Hashable, Sendable {
    let first: UInt64
    let second: UInt64
}

/// Seals names. The same name always gives the same text. So an item is found by its name, and names are
/// listed without a read of values.
///
/// The key never changes, because another key would give every item another name.
final class NameSeal: Sendable {
    /// The number of buckets. Each bucket has one ``Floor``.
    static let buckets = 4096
    /// The size in bytes of the longest real name that can be sealed in a name in the underlying store.
    /// Sealed and in base 64, a name of this size fills the 512 bytes that the underlying store allows.
    private static let longest = 512 * 3 / 4 - SealingKey.overhead
    /// The first character of a name in the underlying store if the real name is too long. It is no digit of
    /// base 64.
    private static let longMark = "~"

    private let sealing: SealingKey
    private let digestKey: SecretBytes

    init(_ nameKey: SecretBytes) throws(GcryptFailure) {
        sealing = try SealingKey(Digest.derive(from: nameKey, Array("portcullis names 1".utf8)))
        digestKey = try Digest.derive(from: nameKey, Array("portcullis digests 1".utf8))
    }

    /// Returns the namespace in the underlying store for the sealing store's own items of this kind.
    func ownSpace(_ kind: String) throws(SecretStoreError) -> SecretNamespace {
        try space([0] + Array(kind.utf8))
    }

    /// Returns the namespace in the underlying store that stands for a namespace of this store. The result is
    /// a digest. It never has to be decoded, because no store lists its namespaces.
    func space(_ namespace: SecretNamespace) throws(SecretStoreError) -> SecretNamespace {
        try space([1] + Array(namespace.rawValue.utf8))
    }

    private func space(_ bytes: [UInt8]) throws(SecretStoreError) -> SecretNamespace {
        try SecretNamespace(Base64URL.text(try digest([1] + bytes)))
    }

    private func digest(_ bytes: [UInt8]) throws(SecretStoreError) -> [UInt8] {
        do { return try Digest.authenticate(bytes, under: digestKey) } catch { throw .sealing(error) }
    }

    func place(of name: SecretName) throws(SecretStoreError) -> Place {
        let digest = try digest([0] + Self.bound(name))
        let isLong = name.name.utf8.count > Self.longest
        let text =
            isLong
            ? Self.longMark + Base64URL.text(digest)
            : Base64URL.text(try sealed(name, nonce: Array(digest.prefix(SealingKey.nonceSize))))
        return Place(
            name: try SecretName(text, in: try space(name.namespace)),
            tag: NameTag(first: digest.number(at: 12), second: digest.number(at: 20)),
            bucket: Int(digest.number(UInt16.self, at: 28)) % Self.buckets,
            isLong: isLong
        )
    }

    /// Returns the nonce, the sealed name and the tag, one after the other.
    func sealed(_ name: SecretName) throws(SecretStoreError) -> [UInt8] {
        try sealed(name, nonce: Array(try digest([0] + Self.bound(name)).prefix(SealingKey.nonceSize)))
    }

    private func sealed(_ name: SecretName, nonce: [UInt8]) throws(SecretStoreError) -> [UInt8] {
        var bytes = nonce
        do {
            try Sealed.append(
                SecretBytes(copying: name.name.utf8),
                to: &bytes,
                under: sealing,
                nonce: nonce.indices,
                binding: Array(name.namespace.rawValue.utf8)
            )
        } catch {
            throw .sealing(error)
        }
        return bytes
    }

    /// Whether the item with this name in the underlying store has the sealed name before the value.
    static func isLong(_ below: SecretName) -> Bool { below.name.hasPrefix(longMark) }

    /// Opens a name from the list of the underlying store.
    ///
    /// - Throws: `damaged` for a name that this store did not write.
    func name(_ below: SecretName, in namespace: SecretNamespace) throws(SecretStoreError) -> SecretName {
        guard let bytes = Base64URL.bytes(below.name.utf8) else {
            throw .damaged("a name below was not sealed")
        }
        return try name(bytes, of: below, in: namespace)
    }

    /// Opens a sealed name. Checks that the item with the name `below` in the underlying store belongs to the
    /// sealed name.
    func name(
        _ bytes: [UInt8],
        of below: SecretName,
        in namespace: SecretNamespace
    ) throws(SecretStoreError) -> SecretName {
        guard bytes.count >= SealingKey.overhead else { throw .damaged("a name below is too short") }
        let opened: SecretBytes?
        do {
            opened = try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(GcryptFailure) in
                try unsafe Array(namespace.rawValue.utf8).span.bytes.withUnsafeBytes {
                    (binding) throws(GcryptFailure) in
                    try unsafe Sealed.open(
                        UnsafeRawBufferPointer(rebasing: bytes[SealingKey.nonceSize...]),
                        under: sealing,
                        nonce: UnsafeRawBufferPointer(rebasing: bytes[..<SealingKey.nonceSize]),
                        binding: binding
                    )
                }
            }
        } catch {
            throw .sealing(error)
        }
        guard let opened else { throw .damaged("a name below does not open") }
        guard let text = String(validating: opened.sealedBytes, as: UTF8.self),
            let name = try? SecretName(text, in: namespace),
            try place(of: name).name == below
        else { throw .damaged("a name below is not where it belongs") }
        return name
    }

    /// Encodes the namespace and the name in bytes. No two names give the same bytes.
    static func bound(_ name: SecretName) -> [UInt8] {
        let namespace = Array(name.namespace.rawValue.utf8)
        return [UInt8(namespace.count)] + namespace + Array(name.name.utf8)
    }
}
