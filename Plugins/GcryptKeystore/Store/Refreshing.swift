internal import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Takes in what other processes did.
    ///
    /// Runs on the store's queue, without the lock unless it says otherwise.
    ///
    /// - Parameter notice: what the lock's file says, where that was read already.
    func refresh(holdingLock: Bool, _ notice: FileLock.Notice? = nil) throws(SecretStoreError) {
        let known = try state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            return state.view.head
        }
        // Before the file is looked at: it then holds every write that was counted, but for one that is under
        // way.
        let before: FileLock.Notice
        if let notice { before = notice } else { before = try lockFile.notice() }
        let writes = holdingLock || before.note == .settled ? before.writes : nil
        guard let status = try known.log.statusInPlace() else {
            try reopen(holdingLock: holdingLock)
            return
        }
        if try known.extent.isCurrent(at: status.size, others: before.hasOthers(since: known.writes)) {
            state.withLock { state in
                state.view.size = status.size
                state.view.writes = writes ?? state.view.writes
            }
            return
        }
        // Taken out of the state, so that the index need not copy itself on the first change.
        var view = state.withLock { state in
            defer { state.view = state.view.head }
            state.isRefreshing = true
            return state.view
        }
        var touched: Set<SecretNamespace> = []
        // Until all of it has worked: else the next call would take what was read before a failure for the
        // whole file.
        view.isDoubtful = true
        defer {
            state.withLock { [view] state in
                state.view = view
                state.isRefreshing = false
            }
            // Also of what was read before something failed: later calls do not read it again.
            signals.signal(touched)
        }
        // The size as it is now: a reader that looked at the view before it was taken out may have seen a
        // longer file.
        try view.extend(to: try view.log.status().size, touching: &touched)
        if view.ending == .clean {
            view.writes = writes
        } else if !holdingLock {
            try lockFile.whileHeld { () throws(SecretStoreError) in
                view.writes = try lockFile.notice().writes
                let size = try view.log.status().size
                try view.extend(to: size, touching: &touched)
                try view.settleTail(at: size)
            }
        }
        if case .damage = view.ending { try view.demandUndamaged() }
        try adoptHeader(&view)
        view.isDoubtful = false
    }

    /// Opens the file that took this one's place, as compaction does.
    private func reopen(holdingLock: Bool) throws(SecretStoreError) {
        let opener = StoreOpener(configuration: configuration, files: files)
        let anchors = configuration.anchors(files).map { Anchor(port: $0, ring: ring) }
        // Before the store is read: what is committed meanwhile must not make the store look old.
        let witnesses = try anchors.map { (anchor) throws(SecretStoreError) in try anchor.read() }
        if try opener.isMissing() {
            let code: SecretStoreError.Code = anchors.isEmpty ? .missingStore : .rolledBack
            throw SecretStoreError(code: code, message: "the store's file was removed", path: place.path)
        }
        var (_, view, _) = try opener.read(storeKey: ring.storeKey)
        if view.ending != .clean {
            if !holdingLock {
                view = try lockFile.whileHeld { () throws(SecretStoreError) in
                    var view = try opener.read(storeKey: ring.storeKey).1
                    try view.settleTail(at: try view.log.status().size)
                    return view
                }
            }
            try view.demandUndamaged()
        }
        guard view.header.storeID == ring.storeID else {
            throw .damaged("another store was put in the place of this one", place.path)
        }
        let before = state.withLock { $0.view.header.fileGeneration }
        // A writer that replaces the file increments its generation; a copy of this very file is an older one
        // too.
        if view.header.fileGeneration <= before {
            throw SecretStoreError(
                code: .rolledBack,
                message: "an older file was put in the place of this one",
                path: place.path
            )
        }
        for (anchor, witness) in zip(anchors, witnesses) { try anchor.check(view, against: witness) }
        let old = state.withLock { [view] state in
            defer { state.view = view }
            return state.view.index
        }
        // A compaction replaces the file and changes no item.
        defer {
            signals.signal(signals.observed.filter { !old.holdsTheSame(as: view.index, in: $0) })
        }
        try adoptClassKey(view.header)
    }

    /// Reads the header page again if the log witnessed another one.
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

    /// Takes over or drops the first class's key where it was replaced.
    func adoptClassKey(_ header: HeaderPage) throws(SecretStoreError) {
        guard let mine = ring.unlocked, mine.epoch != header.classEpoch else { return }
        do {
            let raw = try KeyRing.classKey(.whenUnlocked, header, ring.storeKey)
            try ring.replace(raw, epoch: header.classEpoch)
        } catch {
            throw .gcrypt(error, place.path)
        }
    }
}
