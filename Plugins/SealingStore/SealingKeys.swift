internal import Gcrypt
internal import PortcullisCore

/// The keys of a store: one key for names, which never changes, and the keys for values. The newest value key
/// seals new values.
struct SealingKeys: Sendable {
    let nameKey: SecretBytes
    var valueKeys: [UInt32: (raw: SecretBytes, key: SealingKey)]
    var current: UInt32

    static func made() throws(SecretStoreError) -> SealingKeys {
        var keys = SealingKeys(nameKey: SecretBytes(randomCount: 32), valueKeys: [:], current: 0)
        try keys.addValueKey()
        return keys
    }

    private init(
        nameKey: SecretBytes,
        valueKeys: [UInt32: (raw: SecretBytes, key: SealingKey)],
        current: UInt32
    ) {
        (self.nameKey, self.valueKeys, self.current) = (nameKey, valueKeys, current)
    }

    mutating func addValueKey() throws(SecretStoreError) {
        guard current < .max, valueKeys.count < 1000 else {
            throw SecretStoreError(code: .tooLarge, message: "there are too many value keys: retire old ones")
        }
        let raw = SecretBytes(randomCount: 32)
        do { valueKeys[current + 1] = (raw, try SealingKey(raw)) } catch { throw .sealing(error) }
        current += 1
    }

    /// The newest value key, which seals values, and its id.
    var sealing: (id: UInt32, key: SealingKey) {
        guard let key = valueKeys[current] else { preconditionFailure("the current key is one of the keys") }
        return (current, key.key)
    }

    /// The keys in bytes: name key (32), id of the current value key (4), and for each value key its id (4)
    /// and the key (32).
    var content: SecretBytes {
        var parts = [nameKey, SecretBytes(copying: [UInt8](current))]
        for (id, key) in valueKeys.sorted(by: { $0.key < $1.key }) {
            parts += [SecretBytes(copying: [UInt8](id)), key.raw]
        }
        return SecretBytes(joining: parts)
    }

    init(_ content: SecretBytes) throws(SecretStoreError) {
        guard content.count >= 72, (content.count - 36) % 36 == 0 else {
            throw .damaged("the sealing keys have another length")
        }
        nameKey = content.part(0..<32)
        current = content.part(32..<36).sealedBytes.number(at: 0)
        valueKeys = [:]
        for start in stride(from: 36, to: content.count, by: 36) {
            let raw = content.part(start + 4..<start + 36)
            do {
                let id: UInt32 = content.part(start..<start + 4).sealedBytes.number(at: 0)
                valueKeys[id] = (raw, try SealingKey(raw))
            } catch { throw .sealing(error) }
        }
        guard valueKeys[current] != nil else { throw .damaged("the sealing keys lack the current one") }
    }
}

extension [UInt8] {
    init(_ number: UInt32) {
        self = []
        append(number)
    }
}
