internal import LinuxSystem
internal import PortcullisCore

/// Opens or makes a store's file.
///
/// The calls block, so they run on the store's queue.
struct StoreOpener {
    let configuration: KeystoreConfiguration
    let files: any KeystoreFiles
    var place: FilePlace { FilePlace(path: configuration.path) }

    /// The result of opening a store: its keys, the view of its file, and its lock.
    struct Opened {
        var ring: KeyRing
        var view: StoreView
        var lock: FileLock
        /// The slot that the credential opened; `nil` if the store key was known.
        var slot: Slot?
    }

    func open() throws(SecretStoreError) -> Opened {
        try place.demandStoreName()
        // The anchor must not have the name of one of the store's own files. The store and the anchor would
        // overwrite each other.
        if let anchorPath = configuration.anchorPath { try place.demandForeign(anchorPath, files) }
        // The anchors are read before the store is read. In the other order, a commit between the two reads
        // would make the store look older than its anchors.
        let anchors = configuration.anchors(files)
        let records = try anchors.map { (anchor) throws(SecretStoreError) in try anchor.records() }
        // An anchor is made after its store. So if there is an anchor but no store, the store was removed.
        let exists = try !isMissing()
        if !exists { try prepareForNew(isWitnessed: records.contains { $0 != nil }) }
        try FilePlace.demandSafeFolder(place.folder, files)
        let lock = try FileLock(place, files, timeout: configuration.lockTimeout)
        if !exists {
            try lock.whileHeld { (held) throws(SecretStoreError) in
                // Another process may have made the store while this one waited for the lock.
                guard try isMissing() else { return }
                for anchor in anchors where try anchor.records() != nil { throw storeIsGone }
                // Until the folder is synced, a power failure can undo the creation of the file. So the
                // creation counts as a write.
                let writes = try lock.begin(after: try lock.notice(held), held)
                do throws(SecretStoreError) { try create() } catch {
                    // After a failed sync of the folder a later sync would not write the file's name. With
                    // this notice the next writer renames the file again. A failure to write the notice is
                    // ignored, because `error` has the reason.
                    if error.code == .durabilityUnknown { try? lock.noteFailedSync() }
                    throw error
                }
                // No byte of the new file depends on an earlier failed sync. So the note of a failed sync is
                // removed from the notice.
                try lock.noteRepair(held)
                try lock.end(writes, held)
            }
        }
        var (ring, view, slot) = try load(lock)
        if try !accept(view, ring, anchors, records) {
            try lock.whileHeld { (held) throws(SecretStoreError) in
                // The anchors and the store may have changed before the lock was taken, so both are read
                // again.
                let known = anchors.map { Anchor(port: $0, ring: ring) }
                let witnesses = try known.map { (anchor) throws(SecretStoreError) in try anchor.read() }
                (ring, view, _) = try load(storeKey: ring.storeKey, lock, held)
                let notice = try lock.notice(held)
                do throws(SecretStoreError) {
                    for (anchor, witness) in zip(known, witnesses) {
                        try anchor.settle(view, against: witness, notice, held)
                    }
                } catch {
                    // A failure to write the notice is ignored: the store is not opened, and `error` has the
                    // reason.
                    if error.code == .durabilityUnknown { try? lock.noteFailedSync() }
                    throw error
                }
            }
        }
        return Opened(ring: ring, view: view, lock: lock, slot: slot)
    }

    /// Whether each anchor's records, which were read before the store, fit the store; see
    /// ``Anchor/accepts(_:against:)``.
    private func accept(
        _ view: StoreView,
        _ ring: KeyRing,
        _ anchors: [any RollbackAnchor],
        _ records: [[UInt8]?]
    ) throws(SecretStoreError) -> Bool {
        for (anchor, records) in zip(anchors, records) {
            let known = Anchor(port: anchor, ring: ring)
            let witness = try records.flatMap { (bytes) throws(SecretStoreError) in
                try known.witness(in: bytes)
            }
            guard try known.accepts(view, against: witness) else { return false }
        }
        return true
    }

    func isMissing() throws(SecretStoreError) -> Bool {
        do { return try files.status(at: place.path) == nil } catch { throw .system(error, place.path) }
    }

    var storeIsGone: SecretStoreError {
        SecretStoreError(
            code: .rolledBack,
            message: "the anchor knows a store, but it is gone",
            path: place.path
        )
    }

    private func prepareForNew(isWitnessed: Bool) throws(SecretStoreError) {
        if isWitnessed { throw storeIsGone }
        if case .keyFile(let key) = configuration.credential { try place.demandForeign(key, files) }
        do {
            guard configuration.createsIfMissing else {
                throw SecretStoreError(
                    code: .missingStore,
                    message: "there is no store here",
                    path: place.path
                )
            }
            try files.makeFolders(place.folder)
            try syncParent()
        } catch let error as SystemCallError {
            throw .system(error, place.folder)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(code: .systemFailure, message: "no store was made", path: place.path)
        }
    }

    /// Syncs the folder that contains the store's folder. The process that made the store's folder may have
    /// been killed before this sync.
    private func syncParent() throws(SystemCallError) {
        let parent = place.folder.pathFolder
        // The name of a mounted folder is not on the parent's file system, so no sync is needed.
        let folders = try (files.status(at: place.folder), files.status(at: parent))
        guard let own = folders.0, let other = folders.1, own.identity.device == other.identity.device else {
            return
        }
        do throws(SystemCallError) { try files.syncFolder(parent) } catch {
            // If this user may not read the parent folder, the sync is left out. In that case another user
            // has usually made the store's folder.
            guard error.isRefusal else { throw error }
        }
    }

    private func create() throws(SecretStoreError) {
        let slots = SlotKeys(files: files)
        if case .keyFile(let path) = configuration.credential { try slots.makeKeyFile(path) }
        let storeKey = SecretBytes(randomCount: 32)
        var header = HeaderPage(storeID: randomBytes(16), fileSalt: randomBytes(16))
        let first = try slots.prepare(
            .store,
            for: configuration.credential,
            cost: configuration.argon2,
            path: place.path
        )
        try first.add(storeKey, to: &header, path: place.path)
        for target in [Slot.Target.whenUnlocked, .afterFirstUnlock] {
            try header.wrapUnderStoreKey(SecretBytes(randomCount: 32), target, storeKey, place.path)
        }
        _ = try FileWriter(files: files, place: place).makeStore(
            header: header,
            storeKey: storeKey,
            lastVersion: 0
        ) { () throws(SecretStoreError) in nil }
    }

    /// Reads the store. If the file looks unfinished or damaged, reads it again with the lock held.
    private func load(_ lock: FileLock) throws(SecretStoreError) -> (KeyRing, StoreView, Slot?) {
        do {
            // The notice has the number of begun writes. The notice is read before the file. So the file has
            // all these writes, except for a write that is still under way.
            let notice = try lock.notice()
            var (ring, view, slot) = try read(storeKey: nil)
            view.freshness.took(Freshness.taken(notice, isLocked: false))
            if view.ending == .clean { return (ring, view, slot) }
            return try lock.whileHeld { (held) throws(SecretStoreError) in
                let (ring, view, _) = try load(storeKey: ring.storeKey, lock, held)
                return (ring, view, slot)
            }
        } catch {
            // Another process may have been changing a header page or the file during the read. So the store
            // is read again under the lock.
            guard error.code == .damaged else { throw error }
            return try lock.whileHeld { (held) throws(SecretStoreError) in
                try load(storeKey: nil, lock, held)
            }
        }
    }

    /// Reads the store with the lock held, and refuses a damaged one.
    ///
    /// - Parameter storeKey: the store key; `nil` to read the key from a slot.
    private func load(
        storeKey: SecretBytes?,
        _ lock: FileLock,
        _ held: borrowing HeldLock
    ) throws(SecretStoreError) -> (KeyRing, StoreView, Slot?) {
        let writes = try lock.notice(held).writes
        var (ring, view, slot) = try read(storeKey: storeKey)
        view.freshness.took(writes)
        try view.demandUndamaged()
        try view.settleTail(at: try view.log.status().size, held)
        return (ring, view, slot)
    }

    /// Opens the file, checks its header and reads all its frames.
    ///
    /// - Parameter storeKey: the store key; `nil` to read the key from a slot. The slot is then returned too.
    func read(storeKey known: SecretBytes?) throws(SecretStoreError) -> (KeyRing, StoreView, Slot?) {
        let (descriptor, identity) = try openFile()
        var pages = try HeaderPages(files, descriptor, place.path)
        var slot: Slot?
        let (header, mac, storeKey) = try pages.inForce { (header) throws(SecretStoreError) in
            if let known { return known }
            guard let opened = try openSlot(header) else { throw wrongKey }
            slot = opened.slot
            return opened.key
        }
        let ring = try KeyRing(storeKey: storeKey, header: header, path: place.path)
        try pages.refuseForged(ring.headerKey)
        let keys: FrameKeys
        do { keys = try FrameKeys(storeKey: storeKey, header: header) } catch {
            throw .gcrypt(error, place.path)
        }
        let log = LogFile(files, place.path, descriptor, identity, keys)
        var view = StoreView(log: log, header: header, headerMAC: mac)
        view.hasUnfinishedHeader = pages.replacement(mac) != nil
        try view.extend(to: try log.status().size)
        if view.ending == .clean { try view.demandHeader() }
        return (ring, view, slot)
    }

    func openSlot(_ header: HeaderPage) throws(SecretStoreError) -> SlotKeys.Opened? {
        try SlotKeys(files: files).open(header, .store, with: configuration.credential, path: place.path)
    }

    var wrongKey: SecretStoreError {
        var message = "the key or passphrase opens no slot"
        // The protected key stays beside the store when its slot is removed.
        if case .rawKey = configuration.credential, let found = try? files.status(at: place.protectedKey),
            found.kind == .regular
        {
            message += "; if the key is that of \(place.protectedKey), move this file away"
        }
        return SecretStoreError(code: .wrongKey, message: message, path: place.path)
    }

    func openFile(
        _ mode: OpenMode = .readWrite
    ) throws(SecretStoreError) -> (file: OpenDescriptor, identity: FileIdentity) {
        do {
            let descriptor = OpenDescriptor(try files.open(place.path, mode), files)
            let status = try files.status(of: descriptor.number)
            try FilePlace.demandPrivate(status, place.path, user: files.user)
            return (descriptor, status.identity)
        } catch let error as SystemCallError where error.isMissing {
            throw SecretStoreError(code: .missingStore, message: "there is no store here", path: place.path)
        } catch let error as SystemCallError {
            throw .system(error, place.path)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(
                    code: .systemFailure,
                    message: "the store was not opened",
                    path: place.path
                )
        }
    }
}

extension HeaderPage {
    /// Adds a slot that holds a class key, wrapped under the store key.
    mutating func wrapUnderStoreKey(
        _ key: SecretBytes,
        _ target: Slot.Target,
        _ storeKey: SecretBytes,
        _ path: String
    ) throws(SecretStoreError) {
        var slot = Slot(kind: .storeKey, target: target, id: try takeSlotID(path), cost: nil)
        do {
            try slot.wrap(key, under: try slot.wrappingKey(from: storeKey), storeID: storeID)
        } catch {
            throw .gcrypt(error, path)
        }
        slots.append(slot)
    }
}
