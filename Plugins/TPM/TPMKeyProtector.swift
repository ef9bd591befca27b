internal import Gcrypt
public import PortcullisCore

/// Protects a store's key with one machine's TPM 2.0. The protected key is kept beside the store, and only
/// that chip can open it.
///
/// The protector asks for no passcode. So each program that may read the file and use the chip can open the
/// store. The protector has one effect: a copy of the store, from a backup or a stolen disk, cannot be
/// opened on another machine. Nothing stays in the chip.
public struct TPMKeyProtector: KeyProtector {
    private static let magic: [UInt8] = Array("PKTP".utf8) + [1]

    private let address: TPMAddress
    private let connect: @Sendable (TPMAddress) throws(ChipFailure) -> any ChipLine
    private let queue = ChipQueue()

    /// Makes a protector that uses this chip.
    public init(_ address: TPMAddress = .system) {
        self.init(address) { (address) throws(ChipFailure) in try TCTILine(address) }
    }

    init(
        _ address: TPMAddress,
        connect: @escaping @Sendable (TPMAddress) throws(ChipFailure) -> any ChipLine
    ) {
        (self.address, self.connect) = (address, connect)
    }

    /// Protects a key; see ``/PortcullisCore/KeyProtector``.
    public func protect(_ key: SecretBytes) async throws(SecretStoreError) -> [UInt8] {
        try await onChip { (chip) throws(ChipFailure) in
            guard let hold = try StorageKeyHold(in: chip) else { throw .garbled }
            defer { hold.release(to: chip) }
            let session = try chip.startSession(.hmac, saltedTo: hold.key)
            defer { chip.flush(session) }
            let blob = try chip.create(
                under: hold.key,
                session,
                authorization: nil,
                data: key,
                policy: nil
            )
            var wire = Wire()
            wire.put(raw: Self.magic)
            wire.put(sized: hold.key.entity.name)
            wire.put(sized: blob.publicArea)
            wire.put(sized: blob.privateArea)
            return wire.bytes
        }
    }

    /// Releases a key; see ``/PortcullisCore/KeyProtector``.
    public func release(_ protected: [UInt8]) async throws(SecretStoreError) -> SecretBytes {
        let (name, blob) = try Self.read(protected)
        let key = try await onChip { (chip) throws(ChipFailure) -> SecretBytes? in
            guard let hold = try StorageKeyHold(in: chip, named: name) else { return nil }
            defer { hold.release(to: chip) }
            let session = try chip.startSession(.hmac, saltedTo: hold.key)
            defer { chip.flush(session) }
            let object = try chip.load(blob, under: hold.key, session)
            defer { try? chip.flush(object.handle) }
            return try chip.unseal(object, .session(session, isLast: true))
        }
        guard let key else {
            throw SecretStoreError(code: .wrongKey, message: "the store's key is in another TPM")
        }
        return key
    }

    private static func read(_ protected: [UInt8]) throws(SecretStoreError) -> ([UInt8], Chip.Blob) {
        do throws(ChipFailure) {
            var reader = WireReader(protected)
            guard try reader.take(magic.count) == magic else { throw .garbled }
            let name = try reader.sized()
            let blob = Chip.Blob(publicArea: try reader.sized(), privateArea: try reader.sized())
            guard reader.isAtEnd else { throw .garbled }
            return (name, blob)
        } catch {
            throw SecretStoreError(code: .damaged, message: "this is no key of a TPM")
        }
    }

    private func onChip<Value: Sendable>(
        _ body: @escaping @Sendable (Chip) throws(ChipFailure) -> Value
    ) async throws(SecretStoreError) -> Value {
        let (address, connect) = (address, connect)
        do {
            return try await queue.ask(orThrow: ChipFailure(kind: .busy)) { () throws(ChipFailure) in
                try Chip(try connect(address), pause: { Pause.hold($0) }).carryOut(body)
            }
        } catch {
            if error.code == .integrity || error.code == .size {
                throw SecretStoreError(code: .damaged, message: "the TPM's key was altered", cause: error)
            }
            let cause = PasscodeSealerError(error, address)
            throw SecretStoreError(code: .unavailable, message: cause.message, cause: cause)
        }
    }
}
