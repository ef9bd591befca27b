internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Changes the file with the lock held, after making all earlier writes durable.
    ///
    /// The notice in the lock's file counts this write as under way until everything is synced. If this
    /// process is killed before that, the next writer syncs the file before it appends. So no frame follows
    /// bytes that a power failure could remove.
    func whileWriting<Value>(
        within limit: Duration? = nil,
        _ body: (borrowing HeldLock) throws(SecretStoreError) -> Value
    ) throws(SecretStoreError) -> Value {
        try lockFile.whileHeld(within: limit) { (held) throws(SecretStoreError) in
            let writes = try prepareToWrite(held)
            // The view has all writes of other processes now, so it takes over the number of begun writes.
            // While the notice shows this number, the view counts as complete. If the write of this process
            // fails, the number becomes unknown, and the next call checks the file again.
            state.withLock { $0.view.freshness.took(writes) }
            let value: Value
            do throws(SecretStoreError) { value = try body(held) } catch {
                let isUsable = state.withLock { state in
                    state.view.freshness.took(nil)
                    return state.failure == nil
                }
                // All acknowledged writes are on disk: the failed write is not acknowledged, and all earlier
                // writes are durable. So the notice records that this write has ended.
                if isUsable { try? lockFile.end(writes, held) }
                throw error
            }
            // If `body` has replaced the file, the view is a new one. So the number of begun writes is set
            // again.
            state.withLock { $0.view.freshness.took(writes) }
            // If the notice cannot be written, the only effect is that the next writer syncs once more.
            try? lockFile.end(writes, held)
            return value
        }
    }

    /// Reads the frames of other processes, moves an unfinished tail to the file `STORE.tail`, and makes
    /// the last writer's frames durable.
    ///
    /// - Returns: the number of writes that have begun, including this one.
    private func prepareToWrite(_ held: borrowing HeldLock) throws(SecretStoreError) -> WriteCount {
        // A write of a closed or unusable store does not begin. Otherwise the notice would count it as under
        // way until another process writes.
        if let failure = state.withLock({ $0.failure }) { throw failure }
        let notice = try lockFile.notice(held)
        let writes = try lockFile.begin(after: notice, held)
        try takeIn(notice, held)
        try settleHeader(held)
        let isFirst = state.withLock { state in
            defer { state.hasWritten = true }
            return !state.hasWritten
        }
        switch notice.note {
        case .settled where notice.counts != nil:
            // The notice is not synced. So after a power failure it may be settled although a killed writer
            // has left a new file.
            if isFirst {
                try removeLeftoverIfPossible(held)
                lookAtAnchors(held)
            }
        case .settled, .writing:
            // It is possible that an earlier write is unfinished. A settled notice without counts does not
            // rule this out: the lock's file may be new, and the lock's file that it replaced may have
            // counted an unfinished write.
            try settle()
            try removeLeftoverIfPossible(held)
            // It is unknown what the last writer changed, and whether the anchors have recorded the change.
            // So the anchors' next record gets `seal`, the reason for an unknown change.
            state.withLock { $0.unwitnessed = .seal }
            try finishHeader(held)
        case .failedSync:
            // The last renaming may not be on disk yet, and the file is renamed again below. Without this
            // sync of the folder, a power failure could undo both renamings and bring back a file that lacks
            // acknowledged writes.
            let folder = try place.openFolder(files)
            do throws(SystemCallError) { try files.syncFolder(folder.number) } catch { throw poison(error) }
            // An interrupted repair may have left a new file with commits that a power failure has since
            // taken from the store. None of them was acknowledged, so the file is removed all the same.
            try removeLeftover(held, evenNewer: true)
            // After a failed sync the system may treat the bytes as written, and a later sync would not write
            // them. So the whole file is written again before any other write.
            let header = state.withLock { $0.view.header }
            // It is unknown what the last writer changed. The reason for an unknown change is `seal`.
            try rewrite(header, for: .seal, held) { (item: FileWriter.Item) throws(SecretStoreError) in item }
            try lockFile.noteRepair(held)
        }
        if state.withLock({ $0.view.hasUnfinishedHeader }) { try finishHeader(held) }
        return writes
    }

    /// Syncs the writes and the renaming of the last writer, which may have stopped before its own sync.
    private func settle() throws(SecretStoreError) {
        let log = state.withLock { $0.view.log }
        let folder = try place.openFolder(files)
        do throws(SystemCallError) {
            try files.syncData(log.descriptor.number)
            try files.syncFolder(folder.number)
        } catch {
            throw poison(error)
        }
    }

    /// Checks whether the anchors with a counter have recorded the store's present state. If one has not, it
    /// is unknown what the last writer changed, and whether the counter was raised. The next record of the
    /// anchors then gets the reason `seal`.
    ///
    /// An anchor that cannot be read counts as one without a record. The next record fails in the same way,
    /// and its error is kept in ``lastAnchorFailure``.
    private func lookAtAnchors(_: borrowing HeldLock) {
        let view = state.withLock { $0.view.head }
        for port in configuration.anchors(files) where port.counter != nil {
            let witness = try? Anchor(port: port, ring: ring).read()
            if witness?.fileGeneration == view.header.fileGeneration,
                witness?.sequence == view.cursor.sequence - 1
            {
                continue
            }
            state.withLock { $0.unwitnessed = .seal }
        }
    }

    /// Tries to remove the new file of a killed writer, for a write that can go on without the removal. An
    /// error other than `durabilityUnknown` is ignored here, and the file stays. The next compaction or
    /// change of a slot meets the same error and throws it.
    private func removeLeftoverIfPossible(_ held: borrowing HeldLock) throws(SecretStoreError) {
        do throws(SecretStoreError) { try removeLeftover(held) } catch {
            if error.code == .durabilityUnknown { throw error }
        }
    }

    /// Removes the new file of a writer that was killed before it replaced the store's file.
    ///
    /// The new file must not stay. A slot that is removed from the store now would still open that file. If
    /// the killed writer was unsealing a class, the slots of that file also open the items of the class.
    ///
    /// - Parameter evenNewer: whether a file with later changes than the store is removed too, and not
    ///   refused.
    func removeLeftover(
        _: borrowing HeldLock,
        evenNewer: Bool = false
    ) throws(SecretStoreError) {
        let (header, lastVersion) = state.withLock { ($0.view.header, $0.view.cursor.lastVersion) }
        do throws(SecretStoreError) {
            try FileWriter(files: files, place: place).removeLeftover(
                of: header.storeID,
                from: header.fileGeneration + 1,
                storeKey: ring.storeKey,
                lastVersion: evenNewer ? nil : lastVersion
            )
        } catch {
            throw error.code == .durabilityUnknown ? poison(error) : error
        }
    }

    /// Finishes a change of the header that a killed writer or a power failure has cut short. The record of
    /// the page in force is appended if it is missing, and this page is written over the other page.
    ///
    /// The other page may be damaged. It may also be a whole page that still has a removed slot, or the weak
    /// wrap of a strengthened slot.
    private func finishHeader(_ held: borrowing HeldLock) throws(SecretStoreError) {
        try witnessHeader(held)
        let view = state.withLock { $0.view.head }
        var pages = try HeaderPages(files, view.log.descriptor, place.path)
        try pages.refuseForged(ring.headerKey)
        if let (page, index) = pages.replacement(view.headerMAC) { try write(page, at: index, view.log) }
        state.withLock { $0.view.hasUnfinishedHeader = false }
    }

    /// Reads the header pages again if the header page that this process knows has no record in the log.
    ///
    /// A writer first writes a changed page, and then appends its record to the log. If the writer cannot
    /// append the record, it writes the old page back. This process may have read the changed page meanwhile.
    private func settleHeader(_: borrowing HeldLock) throws(SecretStoreError) {
        guard state.withLock({ $0.view.cursor.header?.mac != $0.view.headerMAC }) else { return }
        var view = state.withLock { $0.view.head }
        try readHeader(&view)
        state.withLock { [view] state in
            state.view.header = view.header
            state.view.headerMAC = view.headerMAC
        }
    }

    private func takeIn(_ notice: LockNotice, _ held: borrowing HeldLock) throws(SecretStoreError) {
        try refresh(after: notice, held)
        let view = state.withLock { $0.view.head }
        try view.demandUndamaged()
        guard view.ending == .unfinishedTail else { return }
        do {
            let size = try view.log.status().size
            let end = try view.log.tailEnd(from: view.cursor.end, to: size)
            let aside = OpenDescriptor(try files.open(place.tail, .createIfMissing), files)
            let status = try files.status(of: aside.number)
            try FilePlace.demandSoleName(status, place.tail)
            try beginTail(aside)
            try view.log.copyTail(from: view.cursor.end, to: end, into: aside)
            try files.truncate(view.log.descriptor.number, to: view.cursor.end)
            try files.syncData(view.log.descriptor.number)
        } catch let error as SystemCallError {
            if error.call == "fdatasync" { throw poison(error) }
            throw .system(error, place.path)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(
                    code: .systemFailure,
                    message: "the tail was not set aside",
                    path: place.path
                )
        }
        state.withLock { $0.view.dropTail() }
    }

    /// Empties the file `STORE.tail`, which keeps the last unfinished tail, and writes the file's first
    /// bytes. These bytes identify the file as one of this store. They are on disk before the new tail is
    /// written.
    private func beginTail(_ file: OpenDescriptor) throws(SecretStoreError) {
        let mark = FilePlace.Mark(magic: Layout.tailMagic, storeID: ring.storeID)
        try FilePlace.demandLeftover(file, place.tail, mark, unsynced: Layout.tailHead, files)
        let head = mark.magic + [UInt8](repeating: 0, count: 8) + mark.storeID
        do throws(SystemCallError) {
            try files.truncate(file.number, to: 0)
            try unsafe head.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                try unsafe files.write(file.number, bytes, at: 0)
            }
            try files.syncData(file.number)
        } catch {
            // If this sync fails, the store stays usable, because only the copy of the tail depends on the
            // sync.
            throw .system(error, place.tail)
        }
    }

    /// Makes the store unusable after a failed sync, or after a change that could be neither finished nor
    /// undone.
    func poison(_ cause: any Error) -> SecretStoreError {
        let error = SecretStoreError(
            code: .durabilityUnknown,
            message:
                "a sync failed, or a change was left half done; open the store again to see what is on disk",
            path: place.path,
            cause: cause
        )
        state.withLock { $0.failure = error }
        // A failure to write the notice is ignored. The store is unusable in any case, and `error` has the
        // reason.
        try? lockFile.noteFailedSync()
        return error
    }
}
