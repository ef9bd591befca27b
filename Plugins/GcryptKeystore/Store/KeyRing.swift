internal import Gcrypt
internal import PortcullisCore
internal import Synchronization

/// The keys of an open store. A key that is dropped is zeroed.
final class KeyRing: Sendable {
    let storeID: [UInt8]
    let storeKey: SecretBytes
    let headerKey: SecretBytes
    let anchorKey: SecretBytes
    private let afterFirstUnlock: SealingKey

    /// A class key, ready for use. Its class epoch distinguishes it from earlier keys of the class.
    struct ClassKey: Sendable {
        var sealing: SealingKey
        var epoch: UInt32
    }

    /// The key of the `whenUnlocked` class, and the number of times the class was locked. If that number
    /// changes while a key is derived, the derived key is refused.
    private let whenUnlocked = Mutex<(key: ClassKey?, locks: Int)>((nil, 0))

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
                _ = try adopt(raw, epoch: header.classEpoch, ifLocks: 0)
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

    /// Returns the class key that is wrapped under the store key; `nil` if there is none, or if it does not verify.
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

    /// Adopts a key, and returns whether the key was adopted. If ``locks`` no longer equals the parameter
    /// `locks`, the class was locked meanwhile, and the key is refused.
    func adopt(_ raw: SecretBytes, epoch: UInt32, ifLocks locks: Int) throws(GcryptFailure) -> Bool {
        let key = ClassKey(sealing: try SealingKey(raw), epoch: epoch)
        return whenUnlocked.withLock { state in
            guard state.locks == locks else { return false }
            state.key = key
            return true
        }
    }

    /// Replaces the present key by another key, or drops it if `raw` is `nil`. A locked class stays locked.
    func replace(_ raw: SecretBytes?, epoch: UInt32) throws(GcryptFailure) {
        var key: ClassKey?
        if let raw { key = ClassKey(sealing: try SealingKey(raw), epoch: epoch) }
        whenUnlocked.withLock { [key] state in
            if state.key != nil { state.key = key }
        }
    }

    /// Drops the key of the `whenUnlocked` class.
    func lock() {
        whenUnlocked.withLock { state in
            state.key = nil
            state.locks += 1
        }
    }

    var unlocked: ClassKey? { whenUnlocked.withLock { $0.key } }

    /// The number of times the class was locked.
    var locks: Int { whenUnlocked.withLock { $0.locks } }

    /// Returns the key of the class that an item's accessibility byte names; `nil` if the class is locked, or
    /// if its key does not belong to the class epoch `epoch`.
    func sealing(_ accessibility: UInt8, epoch: UInt32) -> SealingKey? {
        if accessibility & 0x7F == Accessibility.Availability.afterFirstUnlock.rawValue {
            return afterFirstUnlock
        }
        return unlocked.flatMap { $0.epoch == epoch ? $0.sealing : nil }
    }
}
