internal import AdapterKit
internal import Gcrypt
public import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Drops the key of the `whenUnlocked` class from memory at once.
    ///
    /// After that, reading or writing an item of the class throws `classLocked`. The names of these items,
    /// all other items and compaction stay usable. Other processes are not affected.
    ///
    /// If another process unseals the class afterwards, the class is unlocked in this process too. After the
    /// unsealing, opening the store is enough to read the items of the class.
    public func lock() { ring.lock() }

    /// Whether the `whenUnlocked` class is locked in this process. Opening a sealed store leaves the class
    /// locked.
    public var isLocked: Bool { ring.unlocked == nil }

    /// Whether the `whenUnlocked` key is wrapped only under the keys that were given to
    /// ``seal(under:recovery:)``.
    public var isSealed: Bool {
        state.withLock {
            $0.view.header.isSealed
        }
    }

    /// Unlocks the `whenUnlocked` class in this process.
    ///
    /// If a passphrase opens a slot with weaker Argon2id parameters than the configuration's, the slot then
    /// gets the configuration's parameters. The same happens when a store is opened.
    ///
    /// - Parameter credential: for a sealed store, the key or a recovery credential that the class was sealed
    ///   under; otherwise any credential that opens the store.
    /// - Throws: `wrongKey` if the credential opens no slot; `classLocked` if ``lock()`` was called
    ///   meanwhile, because that call takes precedence; `durabilityUnknown` if a sync failed while the slot
    ///   was strengthened. A call that throws `wrongKey` or `classLocked` leaves the class as it is.
    public func unlock(with credential: KeystoreCredential) async throws(SecretStoreError) {
        let locks = ring.locks
        while true {
            let header = try await currentHeader()
            let slots = SlotKeys(files: files)
            let path = place.path
            let target: Slot.Target = header.isSealed ? .whenUnlocked : .store
            let opened = try await derivations.run { () throws(SecretStoreError) in
                try slots.open(header, target, with: credential, path: path)
            }
            let isDone = try await worker.run { () throws(SecretStoreError) in
                try self.refresh()
                // The derivation takes a while. If another process has replaced the class key in that time,
                // the slot's key is outdated, and the slot is opened again.
                guard self.state.withLock({ $0.view.header.mayShareClassKey(with: header) }) else {
                    return false
                }
                try self.adopt(opened?.key, header, ifLocks: locks)
                return true
            }
            guard isDone else { continue }
            if let opened { try await strengthen(opened, with: credential) }
            return
        }
    }

    func currentHeader() async throws(SecretStoreError) -> HeaderPage {
        try await worker.run { () throws(SecretStoreError) in
            try self.refresh()
            return self.state.withLock { $0.view.header }
        }
    }

    /// Adopts the class key. For a sealed store `opened` is the class key. Otherwise `opened` is the store
    /// key, which unwraps the class key in the header.
    private func adopt(
        _ opened: SecretBytes?,
        _ header: HeaderPage,
        ifLocks locks: Int
    ) throws(SecretStoreError) {
        guard let opened, header.isSealed || opened.matches(ring.storeKey) else {
            throw SecretStoreError(
                code: .wrongKey,
                message: "the key or passphrase opens no slot",
                path: place.path
            )
        }
        let isAdopted: Bool
        do {
            let raw = header.isSealed ? opened : try KeyRing.classKey(.whenUnlocked, header, ring.storeKey)
            guard let raw else { throw SecretStoreError.damaged("a class key does not verify", place.path) }
            isAdopted = try ring.adopt(raw, epoch: header.classEpoch, ifLocks: locks)
        } catch let error as GcryptFailure {
            throw .gcrypt(error, place.path)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(
                    code: .systemFailure,
                    message: "the class was not unlocked",
                    path: place.path
                )
        }
        if !isAdopted {
            throw SecretStoreError(
                code: .classLocked,
                message: "the class was locked meanwhile",
                path: place.path
            )
        }
    }

    /// Seals the `whenUnlocked` class. The class gets a new key, which only `key` and the recovery
    /// credentials open. The values of the class are sealed under the new key.
    ///
    /// The call compacts the store, so that the file keeps nothing under the old key. A class that is sealed
    /// already gets a new key too. The class stays unlocked, unless ``lock()`` is called meanwhile.
    ///
    /// - Parameters:
    ///   - key: 32 bytes, such as the key that a passcode opens.
    ///   - recovery: further credentials that open the class.
    /// - Throws: `classLocked` while the class is locked; `durabilityUnknown` if a sync failed. After
    ///   `durabilityUnknown` the class may be sealed already. Keep `key` until the store is open again and
    ///   shows whether the class is sealed.
    public func seal(
        under key: SecretBytes,
        recovery: [KeystoreCredential] = []
    ) async throws(SecretStoreError) {
        try await replaceClassKey(wraps: [.rawKey(key)] + recovery)
    }

    /// Ends the sealing of the `whenUnlocked` class. The class gets a new key, which is wrapped under the
    /// store key. From then on, opening the store unlocks the class.
    ///
    /// - Throws: `classLocked` while the class is locked.
    public func unseal() async throws(SecretStoreError) { try await replaceClassKey(wraps: []) }

    /// Replaces the class key by a new one. If `wraps` is empty, the new key is wrapped under the store key.
    private func replaceClassKey(wraps: [KeystoreCredential]) async throws(SecretStoreError) {
        let (slots, path, cost) = (SlotKeys(files: files), place.path, configuration.argon2)
        let fresh = SecretBytes(randomCount: 32)
        let made = try await derivations.run { () throws(SecretStoreError) in
            var prepared: [SlotKeys.Prepared] = []
            for credential in wraps {
                prepared.append(try slots.prepare(.whenUnlocked, for: credential, cost: cost, path: path))
            }
            return prepared
        }
        try await worker.run { () throws(SecretStoreError) in
            try self.whileWriting { (held) throws(SecretStoreError) in
                try self.rewriteClass(under: fresh, made, held)
            }
        }
    }

    /// Compacts the store, and seals the values of the class under a new key in the same pass.
    private func rewriteClass(
        under fresh: SecretBytes,
        _ wraps: [SlotKeys.Prepared],
        _ held: borrowing HeldLock
    ) throws(SecretStoreError) {
        var header = state.withLock { $0.view.header }
        guard let old = ring.unlocked, old.epoch == header.classEpoch else {
            throw SecretStoreError(code: .classLocked, message: "the class is locked", path: place.path)
        }
        header.slots.removeAll { $0.target == .whenUnlocked }
        header.classEpoch = try header.classEpoch.next(place.path)
        if wraps.isEmpty { try header.wrapUnderStoreKey(fresh, .whenUnlocked, ring.storeKey, place.path) }
        let new: SealingKey
        do { new = try SealingKey(fresh) } catch { throw .gcrypt(error, place.path) }
        for wrap in wraps { try wrap.add(fresh, to: &header, path: place.path) }
        try header.demandRoom(place.path)
        try rewrite(header, for: .seal, held) { (item: FileWriter.Item) throws(SecretStoreError) in
            guard item.accessibility.availability == .whenUnlocked else { return item }
            var item = item
            let binding = ValueSeal.binding(
                self.ring.storeID,
                item.name,
                item.accessibility.byte,
                version: item.version
            )
            do {
                let sealed = item.sealed
                let value = try unsafe sealed.span.bytes.withUnsafeBytes { (bytes) throws(GcryptFailure) in
                    try unsafe ValueSeal.open(bytes, under: old.sealing, binding: binding)
                }
                guard let value else {
                    throw SecretStoreError.damaged(
                        "the value of \(item.name) does not verify",
                        self.place.path
                    )
                }
                item.sealed = try ValueSeal.seal(value, under: new, binding: binding)
            } catch {
                throw error as? SecretStoreError
                    ?? SecretStoreError(
                        code: .systemFailure,
                        message: "a value was not sealed",
                        path: self.place.path
                    )
            }
            return item
        }
        do { try ring.replace(fresh, epoch: header.classEpoch) } catch { throw .gcrypt(error, place.path) }
    }
}

extension HeaderPage {
    /// Whether the `whenUnlocked` key is not wrapped under the store key.
    var isSealed: Bool { !slots.contains { $0.kind == .storeKey && $0.target == .whenUnlocked } }

    func demandRoom(_ path: String) throws(SecretStoreError) {
        guard slots.count <= Layout.mostSlots else {
            throw SecretStoreError(
                code: .invalidSlot,
                message: "there is no room for another slot",
                path: path
            )
        }
        guard [Slot.Target.store, .whenUnlocked].allSatisfy(isTriable) else {
            throw SecretStoreError(
                code: .invalidSlot,
                message: "trying all passphrase slots would take too long",
                path: path
            )
        }
    }

    /// Whether the total cost of trying a passphrase on all slots of a target is within the limit for one
    /// opening.
    func isTriable(_ target: Slot.Target) -> Bool {
        // A slot whose Argon2id parameters are out of bounds is refused before a key is derived. So such
        // slots do not count.
        let tried = slots.filter { $0.kind == .passphrase && $0.target == target && $0.cost.isSane }
        return tried.reduce(0) { $0 + UInt64($1.cost.memory) * UInt64($1.cost.passes) } <= Layout.mostWork
    }
}
