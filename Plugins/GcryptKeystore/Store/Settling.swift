internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Changes the file under the lock, on top of what is on disk for sure.
    ///
    /// The note that a write is under way stays until all is synced: the next writer after one that was
    /// killed must not append to what a power failure could still take away.
    func whileWriting<Value>(
        within limit: Duration? = nil,
        _ body: (borrowing HeldLock) throws(SecretStoreError) -> Value
    ) throws(SecretStoreError) -> Value {
        try lockFile.whileHeld(within: limit) { (held) throws(SecretStoreError) in
            let writes = try prepareToWrite(held)
            // Known to hold what all others wrote until one of our own writes fails: then the file is looked at again.
            state.withLock { $0.view.freshness.took(writes) }
            let value: Value
            do throws(SecretStoreError) { value = try body(held) } catch {
                let isUsable = state.withLock { state in
                    state.view.freshness.took(nil)
                    return state.failure == nil
                }
                // Nothing of it counts, and what others left was settled before.
                if isUsable { try? lockFile.end(writes, held) }
                throw error
            }
            // Where `body` has written the file anew, the view is another one now.
            state.withLock { $0.view.freshness.took(writes) }
            // At worst the next writer syncs once more.
            try? lockFile.end(writes, held)
            return value
        }
    }

    /// Takes in others' frames, sets an unfinished tail aside, and settles what the last
    /// writer left.
    ///
    /// - Returns: the number of writes that were begun, this one included.
    private func prepareToWrite(_ held: borrowing HeldLock) throws(SecretStoreError) -> UInt32 {
        let notice = try lockFile.notice(held)
        let writes = try lockFile.begin(after: notice, held)
        try takeIn(notice, held)
        try settleHeader(held)
        switch notice.note {
        case .settled: break
        case .writing:
            try settle()
            // What the last writer changed is not known, nor whether it told an anchor.
            state.withLock { $0.unwitnessed = .seal }
        case .failedSync:
            // The last renaming may be what is not on disk. With a second one behind it a power failure could leave the
            // file of the first one for a leftover, older than the store.
            do throws(SystemCallError) { try files.syncFolder(place.folder) } catch { throw poison(error) }
            // No sync writes what the system takes for written: the file is written anew before anything is built on it.
            let header = state.withLock { $0.view.header }
            // As above.
            try rewrite(header, for: .seal, held) { (item: FileWriter.Item) throws(SecretStoreError) in item }
            try lockFile.noteSync(hasFailed: false)
        }
        try repairPage(held)
        return writes
    }

    /// Brings to disk what the last writer wrote, or put in place, and did not sync.
    private func settle() throws(SecretStoreError) {
        let log = state.withLock { $0.view.log }
        do throws(SystemCallError) {
            try files.syncData(log.descriptor.number)
            try files.syncFolder(place.folder)
        } catch {
            throw poison(error)
        }
    }

    /// Writes a header page anew that is not whole, as a slot change leaves it in a power failure.
    private func repairPage(_: borrowing HeldLock) throws(SecretStoreError) {
        guard state.withLock({ $0.view.hasBrokenPage }) else { return }
        let view = state.withLock { $0.view.head }
        var pages = try HeaderPages(files, view.log.descriptor, place.path)
        try pages.refuseForged(ring.headerKey)
        if let (page, index) = pages.repair(view.headerMAC) { try write(page, at: index, view.log) }
        state.withLock { $0.view.hasBrokenPage = false }
    }

    /// Reads a header page again that the log does not witness: its writer may have taken it back since.
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

    /// Empties the file of the last tail and marks it, on disk before the tail is, as one of this store.
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
            // Nothing but this copy depends on it.
            throw .system(error, place.tail)
        }
    }

    /// Marks the store as unusable after a failed sync, or a change that could neither be finished nor undone.
    func poison(_ cause: any Error) -> SecretStoreError {
        let error = SecretStoreError(
            code: .durabilityUnknown,
            message:
                "a sync failed, or a change was left half done; open the store again to see what is on disk",
            path: place.path,
            cause: cause
        )
        state.withLock { $0.failure = error }
        // The store is unusable in any case; `error` says why, and a failure to note it would add nothing.
        try? lockFile.noteSync(hasFailed: true)
        return error
    }
}
