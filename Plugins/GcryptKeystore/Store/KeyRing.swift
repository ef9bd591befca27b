internal import PortcullisCore
internal import Synchronization

/// The keys of an open store.
///
/// What is dropped is zeroed.
final class KeyRing: Sendable {
    let storeID: [UInt8]
    let storeKey: SecretBytes
    let headerKey: SecretBytes
    let anchorKey: SecretBytes
    private let afterFirstUnlock: SealingKey

    /// The key of a class, expanded for use, and which one of its keys it is.
    struct ClassKey: Sendable {
        var sealing: SealingKey
        var epoch: UInt32
    }

    private let whenUnlocked = Mutex<ClassKey?>(nil)

    init(storeKey: SecretBytes, header: HeaderPage, path: String) throws(SecretStoreError) {
        storeID = header.storeID
        self.storeKey = storeKey
        do {
            headerKey = try Self.headerKey(storeKey, header.storeID)
            anchorKey = try Digest.derive(from: storeKey, Array("portcullis anchor".utf8), header.storeID)
            guard let raw = try Self.classKey(.afterFirstUnlock, header, storeKey) else {
                throw SecretStoreError.damaged("a class key does not verify", path)
            }
            afterFirstUnlock = try SealingKey(raw)
            if let raw = try Self.classKey(.whenUnlocked, header, storeKey) {
                try adopt(raw, epoch: header.classEpoch)
            }
        } catch let error as GcryptFailure {
            throw .gcrypt(error, path)
        } catch {
            throw error as? SecretStoreError ?? .damaged("a class key does not verify", path)
        }
    }

    static func headerKey(_ storeKey: SecretBytes, _ storeID: [UInt8]) throws(GcryptFailure) -> SecretBytes {
        try Digest.derive(from: storeKey, Array("portcullis header".utf8), storeID)
    }

    /// The class key that is wrapped under the store key; `nil` when there is none, or it does not verify.
    static func classKey(
        _ target: Slot.Target,
        _ header: HeaderPage,
        _ storeKey: SecretBytes
    ) throws(GcryptFailure) -> SecretBytes? {
        guard let slot = header.slots.first(where: { $0.kind == .storeKey && $0.target == target }) else {
            return nil
        }
        return try slot.unwrap(under: try slot.wrappingKey(from: storeKey), storeID: header.storeID)
    }

    func adopt(_ raw: SecretBytes, epoch: UInt32) throws(GcryptFailure) {
        let key = ClassKey(sealing: try SealingKey(raw), epoch: epoch)
        whenUnlocked.withLock { $0 = key }
    }

    /// Drops the key of the first class.
    func lock() { whenUnlocked.withLock { $0 = nil } }

    var unlocked: ClassKey? { whenUnlocked.withLock { $0 } }

    /// The key for a class byte; `nil` while it is locked.
    func sealing(_ accessibility: UInt8) -> SealingKey? {
        accessibility & 0x7F == Accessibility.Availability.afterFirstUnlock.rawValue
            ? afterFirstUnlock : whenUnlocked.withLock { $0?.sealing }
    }
}
