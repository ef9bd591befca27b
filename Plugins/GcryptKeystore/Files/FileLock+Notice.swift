internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

// The lock's file also holds a notice of the writers for all readers.
extension FileLock {
    /// The notice in the file.
    ///
    /// Without the lock held, `settled` says that every write begun before is on disk; the other notes say
    /// nothing. In either case a write that was begun since has changed the count.
    func notice() throws(SecretStoreError) -> LockNotice {
        let tick = files.now
        let bytes = try LogFile.bytes(files, file, path, at: 0, LockNotice.Word.size * LockNotice.Word.count)
        guard bytes.count == LockNotice.Word.size * LockNotice.Word.count else {
            return LockNotice(beginningWith: bytes.first)
        }
        noticeTick.store(tick, ordering: .relaxed)
        return LockNotice { bytes.number(at: $0.offset) }
    }

    /// The notice for a writer; no call of the system is made in the tick of the clock in which the file was read.
    func notice(_: borrowing HeldLock) throws(SecretStoreError) -> LockNotice {
        // There is no memory behind the end of a file, and a moment ago it did not end there.
        guard noticeTick.load(ordering: .relaxed) == files.now, let shared = sharedNotice else {
            return try notice()
        }
        return shared
    }

    /// What the words say that are shared; `nil` where none can be.
    ///
    /// It makes no call of the system. The caller has read the words from the file just now: there is no memory behind the
    /// end of a file, so where another process truncates the lock's file, reading the mapping ends this process.
    var sharedNotice: LockNotice? {
        words.map { words in LockNotice { words.load($0.rawValue) } }
    }

    /// Notes that a write begins.
    ///
    /// - Returns: its number, which is the number of writes that were begun.
    func begin(after last: LockNotice, _: borrowing HeldLock) throws(SecretStoreError) -> UInt32 {
        let writes = (last.writes ?? 0) &+ 1
        try leave([last.hasFailedSync ? 1 : 0, writes, last.counts?.ended ?? 0], at: .failed)
        return writes
    }

    /// Notes that the write of this number, the last that was begun, has ended with all on disk.
    func end(_ writes: UInt32, _: borrowing HeldLock) throws(SecretStoreError) {
        try leave([writes], at: .ended)
    }

    /// Notes that a sync failed; with `false`, that nothing in the file depends on a failed sync any more.
    func noteSync(hasFailed: Bool) throws(SecretStoreError) { try leave([hasFailed ? 1 : 0], at: .failed) }

    private func leave(_ words: [UInt32], at first: LockNotice.Word) throws(SecretStoreError) {
        var bytes: [UInt8] = []
        for word in words { bytes.append(word) }
        do {
            try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                try unsafe files.write(file.number, bytes, at: UInt64(first.offset))
            }
        } catch {
            throw .system(error, path)
        }
    }
}
