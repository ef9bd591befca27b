internal import Gcrypt
internal import PortcullisCore

/// The record of a key that is sealed in a chip. Opening the key needs the record, the passcode and the chip.
struct TPMSeal: Sendable, Hashable {
    /// The version of the record's layout.
    private static let version: UInt8 = 1

    /// The address of the chip; empty if it may not be recorded.
    var address: String
    /// The Name of the chip's storage key. If the Name differs, the chip is another one, or it was cleared.
    var storageName: [UInt8]
    /// The index that counts wrong passcodes, as it is after the first write.
    var index: Chip.Index
    /// The number of wrong passcodes after which the chip refuses every passcode.
    var limit: UInt32
    /// The object with the chip's half of the wrapping key. The chip releases this half when the passcode is
    /// right.
    var object: Chip.Blob
    /// The key, wrapped under both halves of the wrapping key: nonce, ciphertext and tag.
    var wrapped: [UInt8] = []
    /// The second way to open the key: a recovery passphrase; `nil` if there is none.
    var recovery: Recovery?

    /// The key, wrapped a second time under a recovery passphrase.
    struct Recovery: Sendable, Hashable {
        var parameters: Argon2Parameters
        var salt: [UInt8]
        var object: Chip.Blob
        var wrapped: [UInt8]
    }

    static let wrappedSize = 32 + SealingKey.overhead

    /// All bytes of the record except the wrapped key. The wrapped key is bound to these bytes.
    private var head: [UInt8] {
        var wire = Wire(Self.version)
        wire.put(sized: Array(address.utf8))
        wire.put(sized: storageName)
        wire.put(index.handle)
        wire.put(sized: index.policy)
        wire.put(limit)
        wire.put(object)
        guard let recovery else {
            wire.put(UInt8(0))
            return wire.bytes
        }
        wire.put(UInt8(1))
        for number in [recovery.parameters.memory, recovery.parameters.passes, recovery.parameters.lanes] {
            wire.put(number)
        }
        wire.put(sized: recovery.salt)
        wire.put(recovery.object)
        wire.put(sized: recovery.wrapped)
        return wire.bytes
    }

    var bytes: [UInt8] { head + wrapped }

    /// Decodes a record.
    ///
    /// - Throws: `malformed` if the bytes are no valid record.
    init(_ bytes: [UInt8]) throws(PasscodeSealerError) {
        do throws(ChipFailure) {
            guard bytes.count > Self.wrappedSize else { throw .garbled }
            wrapped = Array(bytes.suffix(Self.wrappedSize))
            var reader = WireReader(bytes.dropLast(Self.wrappedSize))
            guard try reader.number(UInt8.self) == Self.version else { throw .garbled }
            guard let text = String(validating: try reader.sized(), as: UTF8.self),
                text.isEmpty || TPMAddress(text) != nil
            else { throw .garbled }
            address = text
            storageName = try reader.sized()
            let handle: UInt32 = try reader.number()
            index = Chip.Index.pinFail(handle, policy: try reader.sized()).whenWritten
            limit = try reader.number()
            object = try reader.blob()
            if try reader.number(UInt8.self) == 1 {
                recovery = Recovery(
                    parameters: Argon2Parameters(
                        memory: try reader.number(),
                        passes: try reader.number(),
                        lanes: try reader.number()
                    ),
                    salt: try reader.sized(),
                    object: try reader.blob(),
                    wrapped: try reader.sized()
                )
            }
            guard reader.isAtEnd, storageName.count == 34, index.policy.count == Digest.size,
                TPMPlace.range.contains(handle), limit > 0,
                recovery.map({ $0.salt.count == 16 && $0.wrapped.count == Self.wrappedSize }) ?? true
            else { throw .garbled }
        } catch {
            throw PasscodeSealerError(code: .malformed, message: "the record of the sealed key is damaged")
        }
    }

    init(
        address: String,
        storageName: [UInt8],
        index: Chip.Index,
        limit: UInt32,
        object: Chip.Blob,
        recovery: Recovery?
    ) {
        (self.address, self.storageName, self.index, self.limit) = (address, storageName, index, limit)
        (self.object, self.recovery) = (object, recovery)
    }

    /// The data that the wrapped key is bound to.
    func binding(_ sealed: SealedKey, _ context: String) -> [UInt8] {
        var wire = Wire()
        wire.put(sized: Array("portcullis tpm".utf8))
        wire.put(sized: Array(context.utf8))
        wire.put(sized: Array(sealed.algorithm.utf8))
        wire.put(sized: sealed.salt)
        wire.put(UInt32(truncatingIfNeeded: sealed.format))
        for number in [sealed.parameters.memory, sealed.parameters.passes, sealed.parameters.lanes] {
            wire.put(number)
        }
        return wire.bytes + head
    }
}

extension Wire {
    fileprivate mutating func put(_ blob: Chip.Blob) {
        put(sized: blob.publicArea)
        put(sized: blob.privateArea)
    }
}

extension WireReader {
    fileprivate mutating func blob() throws(ChipFailure) -> Chip.Blob {
        Chip.Blob(publicArea: try sized(), privateArea: try sized())
    }
}
