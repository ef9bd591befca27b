internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

// The lock's file also contains a notice, in which writers record their writes for all readers.
extension FileLock {
    /// The notice in the file.
    ///
    /// If a caller does not hold the lock, it may rely on the notice only if the notice's `note` is
    /// `settled`. Then every write that began before this call is on disk. The caller can detect a later
    /// write, because each write raises the number of begun writes by one.
    func notice() throws(SecretStoreError) -> LockNotice {
        let tick = files.now
        let bytes = try LogFile.bytes(files, file, path, at: 0, LockNotice.Word.size * LockNotice.Word.count)
        guard bytes.count == LockNotice.Word.size * LockNotice.Word.count else {
            return LockNotice(beginningWith: bytes.first)
        }
        noticeTick.store(tick, ordering: .relaxed)
        return LockNotice { bytes.number(at: $0.offset) }
    }

    /// The notice, for a writer that holds the lock. If the lock's file was read in the present tick of the
    /// clock already, the notice is read from the mapped file, without a system call.
    func notice(_: borrowing HeldLock) throws(SecretStoreError) -> LockNotice {
        // The mapping is read only if the file was found to have all words in this tick. A shorter file has
        // no memory for the missing words, and reading there would end the process.
        guard noticeTick.load(ordering: .relaxed) == files.now, let shared = sharedNotice else {
            return try notice()
        }
        return shared
    }

    /// The notice, read from the mapped words; `nil` if the file cannot be mapped.
    ///
    /// This makes no system call. It is safe only because the caller has just read all words from the file. If another
    /// process had truncated the lock's file, there would be no memory behind the file's end, and reading there would
    /// end this process.
    var sharedNotice: LockNotice? {
        words.map { words in LockNotice { words.load($0.rawValue) } }
    }

    /// Notes that a write begins.
    ///
    /// - Returns: the write's number, which is also the number of writes that began so far.
    func begin(after last: LockNotice, _: borrowing HeldLock) throws(SecretStoreError) -> UInt32 {
        let writes = (last.writes ?? 0) &+ 1
        try leave([last.hasFailedSync ? 1 : 0, writes, last.counts?.ended ?? 0], at: .failed)
        return writes
    }

    /// Notes that a write has ended and all of it is on disk. Its number becomes the number of the last write
    /// that ended.
    func end(_ writes: UInt32, _: borrowing HeldLock) throws(SecretStoreError) {
        try leave([writes], at: .ended)
    }

    /// Notes whether a sync failed. `false` means that no byte of the store's file depends on a failed sync.
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
