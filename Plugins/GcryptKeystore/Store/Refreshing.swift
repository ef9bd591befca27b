internal import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Reads the changes of other processes, for a caller that does not hold the lock. The call takes the
    /// lock if another process may be writing. This runs on the store's queue.
    func refresh() throws(SecretStoreError) {
        var found: SecretStoreError?
        do throws(SecretStoreError) {
            if try extend(after: nil, isLocked: false) { return }
            if try reopen() { return }
        } catch {
            // Another process may have changed a header page between the reads of the pages and of the log.
            // So damage is looked for once more with the lock held.
            guard error.code == .damaged else { throw error }
            found = error
        }
        do throws(SecretStoreError) {
            try lockFile.whileHeld { (held) throws(SecretStoreError) in
                try refresh(after: try lockFile.notice(held), held)
            }
        } catch {
            throw error.code == .lockTimeout ? found ?? error : error
        }
    }

    /// Reads the changes of other processes, for a writer.
    ///
    /// - Parameter notice: the notice that was in the lock's file before this write began.
    func refresh(after notice: LockNotice, _ held: borrowing HeldLock) throws(SecretStoreError) {
        if try !extend(after: notice, isLocked: true) { try reopen(held) }
    }

    /// Reads the new frames of the open file.
    ///
    /// - Returns: `false` if the open file is no longer at the store's path.
    private func extend(after notice: LockNotice?, isLocked: Bool) throws(SecretStoreError) -> Bool {
        let known = try state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            return state.view.head
        }
        // The notice has the number of begun writes. The notice is read before the file. So the file has all
        // these writes, except for a write that is still under way.
        let before: LockNotice
        if let notice { before = notice } else { before = try lockFile.notice() }
        guard let status = try known.log.statusInPlace() else { return false }
        let readsPreallocated = before.hasOthers(since: known.freshness.writes)
        if try known.extent.isCurrent(at: status.size, readsPreallocated: readsPreallocated) {
            state.withLock { state in
                state.view.size = status.size
                state.view.freshness.found(before: before, isLocked: isLocked)
            }
            return true
        }
        // The view is taken out of the state, so that its index is not copied on the first change.
        var view = state.withLock { state in
            // Meanwhile the state has only the view's head, without the index. After a failure the view may
            // lack some frames. So the state's view counts as doubtful until the update has succeeded, and no
            // call takes it for complete.
            state.view.freshness.begin()
            defer { state.view = state.view.head }
            return state.view
        }
        var touched: Set<SecretNamespace> = []
        defer {
            state.withLock { [view] state in state.view = view }
            // Frames that were read before a failure are signalled too, because later calls do not read them
            // again.
            signals.signal(touched)
        }
        // The file may have grown since `status` was read, and a reader on another thread may have seen the
        // larger size. As soon as the view has any new frame, that reader takes the view for complete; see
        // `lookAtFile`. So the size is read again here, and the view gets all frames up to that size.
        try view.extend(to: try view.log.status().size, touching: &touched)
        if view.ending == .clean {
            view.freshness.took(Freshness.taken(before, isLocked: isLocked))
        } else if !isLocked {
            try lockFile.whileHeld { (held) throws(SecretStoreError) in
                view.freshness.took(try lockFile.notice(held).writes)
                let size = try view.log.status().size
                try view.extend(to: size, touching: &touched)
                try view.settleTail(at: size, held)
            }
        }
        if case .damage = view.ending { try view.demandUndamaged() }
        try adoptHeader(&view)
        view.freshness.finish()
        return true
    }

    /// Opens the new file at the store's path, which has replaced the open file, for instance by a
    /// compaction.
    ///
    /// - Returns: `false` if another process may be writing the file or an anchor. The caller then takes the
    ///   lock and calls ``reopen(_:)``.
    private func reopen() throws(SecretStoreError) -> Bool {
        let (view, witnesses) = try readNew()
        guard view.ending == .clean else { return false }
        try demandSuccessor(view)
        for (anchor, witness) in witnesses {
            guard try anchor.accepts(view, against: witness) else { return false }
        }
        try adopt(view)
        return true
    }

    /// Opens the new file at the store's path with the lock held.
    private func reopen(_ held: borrowing HeldLock) throws(SecretStoreError) {
        var (view, witnesses) = try readNew()
        try view.demandUndamaged()
        try view.settleTail(at: try view.log.status().size, held)
        try demandSuccessor(view)
        let notice = try lockFile.notice(held)
        do throws(SecretStoreError) {
            for (anchor, witness) in witnesses { try anchor.settle(view, against: witness, notice, held) }
        } catch {
            throw error.code == .durabilityUnknown ? poison(error) : error
        }
        try adopt(view)
    }

    /// Reads the file at the store's path, and the records of the anchors.
    private func readNew() throws(SecretStoreError) -> (StoreView, [(Anchor, Anchor.Witness?)]) {
        let opener = StoreOpener(configuration: configuration, files: files)
        let anchors = configuration.anchors(files).map { Anchor(port: $0, ring: ring) }
        // The anchors are read before the store is read. In the other order, a commit between the two reads
        // would make the store look older than its anchors.
        let witnesses = try anchors.map { (anchor) throws(SecretStoreError) in try anchor.read() }
        if try opener.isMissing() {
            let code: SecretStoreError.Code = anchors.isEmpty ? .missingStore : .rolledBack
            throw SecretStoreError(code: code, message: "the store's file was removed", path: place.path)
        }
        return (try opener.read(storeKey: ring.storeKey).1, Array(zip(anchors, witnesses)))
    }

    /// Refuses a new file that is another store's, or is older than the open file.
    private func demandSuccessor(_ view: StoreView) throws(SecretStoreError) {
        guard view.header.storeID == ring.storeID else {
            throw .damaged("another store was put in the place of this one", place.path)
        }
        // A writer that replaces the file raises the file generation. The new file's sequence continues after
        // all frames of the open file. A complete file of a killed compaction may be put in the store's place
        // later. If the store has had commits since, the first sequence number of that file is too low, and
        // the file is refused. A file of the same generation must have all frames that this process has read.
        let before = state.withLock { $0.view }
        if view.header.fileGeneration > before.header.fileGeneration,
            view.header.firstSequence >= before.cursor.sequence
        {
            return
        }
        guard try view.holdsAll(of: before) else {
            throw SecretStoreError(
                code: .rolledBack,
                message: "an older file was put in the place of this one",
                path: place.path
            )
        }
    }

    private func adopt(_ view: StoreView) throws(SecretStoreError) {
        let (old, header) = state.withLock { state in
            defer { state.view = view }
            return (state.view.index, state.view.header)
        }
        // Only namespaces with changed items are signalled. A compaction replaces the file but changes no
        // item.
        defer {
            signals.signal(signals.observed.filter { !old.holdsTheSame(as: view.index, in: $0) })
        }
        try adoptClassKey(view.header, over: header)
    }

    /// Reads the header pages again if the last header record in the log names another page than the
    /// view's header page.
    private func adoptHeader(_ view: inout StoreView) throws(SecretStoreError) {
        guard let witnessed = view.cursor.header, witnessed.mac != view.headerMAC else { return }
        try readHeader(&view)
    }

    func readHeader(_ view: inout StoreView) throws(SecretStoreError) {
        let pages = try HeaderPages(files, view.log.descriptor, place.path)
        let (header, mac, _) = try pages.inForce { _ throws(SecretStoreError) in ring.storeKey }
        view.header = header
        view.headerMAC = mac
        try view.demandHeader()
    }

    /// If the key of the `whenUnlocked` class was replaced, drops the old key and adopts the new one. The new
    /// key of a sealed class cannot be read without a credential, so that class is then locked in this
    /// process. A class that another process has unsealed is unlocked in this process too.
    ///
    /// - Parameter old: the header that the new header replaces.
    private func adoptClassKey(_ header: HeaderPage, over old: HeaderPage) throws(SecretStoreError) {
        let (mine, locks) = (ring.unlocked, ring.locks)
        let isUnsealed = mine == nil && old.isSealed && !header.isSealed
        let isReplaced = mine.map { $0.epoch != header.classEpoch || !header.mayShareClassKey(with: old) }
        guard isUnsealed || isReplaced == true else { return }
        do {
            let raw = try KeyRing.classKey(.whenUnlocked, header, ring.storeKey)
            if let raw, isUnsealed {
                _ = try ring.adopt(raw, epoch: header.classEpoch, ifLocks: locks)
            } else {
                try ring.replace(raw, epoch: header.classEpoch)
            }
        } catch {
            throw .gcrypt(error, place.path)
        }
    }
}
