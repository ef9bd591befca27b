internal import Gcrypt
internal import PortcullisCore

/// The item with a store's keys. The keys are sealed under the item key. There is one slot for each wrapping
/// key. The slot holds the item key, sealed under that wrapping key.
///
/// The bytes are: format (1), generation (8), number of slots (1); for each slot a digest that identifies its
/// wrapping key (16), a nonce (12) and the sealed item key (48); nonce (12), sealed keys, tag (16). All bytes
/// before the last nonce are authenticated with the keys.
struct KeyringItem: Sendable {
    private static let format: UInt8 = 1
    private static let slotSize = 16 + 12 + 48
    private static let mostSlots = 16

    var generation: UInt64
    var keys: SealingKeys
    /// The item key, which the store's keys are sealed under.
    private var itemKey: SecretBytes
    private var slots: [[UInt8]]

    static func made(under wrappingKeys: [SecretBytes]) throws(SecretStoreError) -> KeyringItem {
        var item = KeyringItem(
            generation: 1,
            keys: try .made(),
            itemKey: SecretBytes(randomCount: 32),
            slots: []
        )
        try item.wrap(under: wrappingKeys)
        return item
    }

    private init(generation: UInt64, keys: SealingKeys, itemKey: SecretBytes, slots: [[UInt8]]) {
        (self.generation, self.keys, self.itemKey, self.slots) = (generation, keys, itemKey, slots)
    }

    private static func mark(_ wrapping: SecretBytes) throws(GcryptFailure) -> [UInt8] {
        Array(try Digest.authenticate(Array("portcullis slot 1".utf8), under: wrapping).prefix(16))
    }

    /// Makes a new item key, and a slot for each of these wrapping keys. Afterwards no other wrapping key
    /// opens the item, and neither does the earlier item key.
    mutating func wrap(under wrappingKeys: [SecretBytes]) throws(SecretStoreError) {
        guard (1...Self.mostSlots).contains(wrappingKeys.count), wrappingKeys.allSatisfy({ $0.count == 32 })
        else {
            throw SecretStoreError(
                code: .wrongKey,
                message: "one to \(Self.mostSlots) wrapping keys of 32 bytes are needed"
            )
        }
        itemKey = SecretBytes(randomCount: 32)
        slots = []
        do {
            for wrapping in wrappingKeys {
                let mark = try Self.mark(wrapping)
                let nonce = [UInt8].random(SealingKey.nonceSize)
                slots.append(
                    mark + nonce + (try Sealed.seal(itemKey, under: wrapping, nonce: nonce, binding: mark))
                )
            }
        } catch {
            throw .sealing(error)
        }
    }

    /// Decodes and opens the item.
    ///
    /// - Throws: `wrongKey` if no slot is for one of the wrapping keys; `newerFormat` if the item has another
    ///   format; `damaged` if the bytes are too short or do not open.
    init(_ value: SecretBytes, under wrappingKeys: [SecretBytes]) throws(SecretStoreError) {
        let bytes = value.sealedBytes
        guard bytes.count > 10 else { throw .damaged("the sealing keys are too short") }
        guard bytes[0] == Self.format else {
            throw SecretStoreError(code: .newerFormat, message: "the sealing keys have format \(bytes[0])")
        }
        let start = 10 + Int(bytes[9]) * Self.slotSize
        guard bytes.count >= start + SealingKey.overhead else {
            throw .damaged("the sealing keys are too short")
        }
        slots = stride(from: 10, to: start, by: Self.slotSize).map { Array(bytes[$0..<$0 + Self.slotSize]) }
        generation = bytes.number(at: 1)
        do {
            itemKey = try Self.itemKey(in: slots, wrappingKeys)
            let nonce = Array(bytes[start..<start + SealingKey.nonceSize])
            let content = try Sealed.open(
                Array(bytes[(start + nonce.count)...]),
                under: itemKey,
                nonce: nonce,
                binding: Array(bytes[..<start])
            )
            guard let content else { throw SecretStoreError.damaged("the sealing keys do not open") }
            keys = try SealingKeys(content)
        } catch let failure as GcryptFailure {
            throw .sealing(failure)
        } catch {
            throw error as? SecretStoreError ?? .damaged("the sealing keys do not open")
        }
    }

    private static func itemKey(
        in slots: [[UInt8]],
        _ wrappingKeys: [SecretBytes]
    ) throws -> SecretBytes {
        for wrapping in wrappingKeys where wrapping.count == 32 {
            let mark = try mark(wrapping)
            for slot in slots where slot.starts(with: mark) {
                let opened = try Sealed.open(
                    Array(slot[28...]),
                    under: wrapping,
                    nonce: Array(slot[16..<28]),
                    binding: mark
                )
                guard let opened, opened.count == 32 else {
                    throw SecretStoreError.damaged("the slot of a wrapping key does not open")
                }
                return opened
            }
        }
        throw SecretStoreError(code: .wrongKey, message: "the store is sealed under another key")
    }

    func value() throws(SecretStoreError) -> SecretBytes {
        var bytes: [UInt8] = [Self.format]
        bytes.append(generation)
        bytes.append(UInt8(slots.count))
        for slot in slots { bytes += slot }
        let nonce = [UInt8].random(SealingKey.nonceSize)
        do {
            let sealed = try Sealed.seal(keys.content, under: itemKey, nonce: nonce, binding: bytes)
            return SecretBytes(copying: bytes + nonce + sealed)
        } catch {
            throw .sealing(error)
        }
    }
}
