internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

// The lock's file also contains a notice, in which writers record their writes for all readers.
extension FileLock {
    /// The notice in the file at the path.
    ///
    /// A caller without the lock may rely on the notice only if the notice's `note` is `settled`. In that
    /// case every write that the file counted before this call is on disk. The caller can detect a later
    /// write, because each write raises the number of begun writes by one.
    ///
    /// If there is no file at the path, this call makes none, and the result is ``LockNotice/none``.
    func notice() throws(SecretStoreError) -> LockNotice {
        let tick = files.now
        guard let status = try status() else { return .none }
        let file = known.withLock { $0 }
        if status.identity == file.identity { return try notice(of: file, size: status.size, in: tick) }
        // Reading needs no lock. So if the file at the path is not a lock's file, a reader continues without
        // a notice. A writer gets the error when it locks the file.
        guard let new = try? open(instead: file) else { return .none }
        return try notice(of: new, size: 0, in: tick)
    }

    /// The notice, for a writer that holds the lock.
    func notice(_ held: borrowing HeldLock) throws(SecretStoreError) -> LockNotice {
        try notice(of: held.file, size: held.size, in: files.now)
    }

    /// The notice in an open file that has at least this size in bytes.
    private func notice(
        of file: OpenLockFile,
        size: UInt64,
        in tick: UInt64
    ) throws(SecretStoreError) -> LockNotice {
        // The mapped words are used only if the file is long enough to have all of them. If the file is
        // shorter, reading the missing words could end the process (`SIGBUS`).
        if size >= LockNotice.size, let words = file.words {
            file.wholeTick.store(tick, ordering: .relaxed)
            return LockNotice(file: file.number) { words.load($0.rawValue) }
        }
        let bytes = try LogFile.bytes(files, file.descriptor, path, at: 0, Int(LockNotice.size))
        guard bytes.count == LockNotice.size else {
            return LockNotice(file: file.number, beginningWith: bytes.first)
        }
        file.wholeTick.store(tick, ordering: .relaxed)
        return LockNotice(file: file.number) { bytes.number(at: $0.offset) }
    }

    /// The notice, read from the mapped words without a system call.
    ///
    /// The call relies on an earlier check in the same tick of the clock ``KeystoreFiles/now``. The check has
    /// found that the file is at the path and contains all words of the notice. The result is `nil` if there
    /// was no such check in this tick, or if the file cannot be mapped.
    ///
    /// If another process truncates the lock's file after the check, reading the words can end this process
    /// (`SIGBUS`).
    func sharedNotice(in tick: UInt64) -> LockNotice? {
        known.withLock { file in
            guard file.wholeTick.load(ordering: .relaxed) == tick, let words = file.words else { return nil }
            return LockNotice(file: file.number) { words.load($0.rawValue) }
        }
    }

    /// Notes that a write begins.
    ///
    /// - Parameter last: the notice of the file that is locked.
    /// - Returns: the write's number, which is also the number of writes that began so far.
    func begin(after last: LockNotice, _ held: borrowing HeldLock) throws(SecretStoreError) -> WriteCount {
        let writes = WriteCount(file: held.file.number, (last.counts?.begun ?? 0) &+ 1)
        try leave(
            [last.hasFailedSync ? 1 : 0, writes.number, last.counts?.ended ?? 0],
            at: .failed,
            in: held.file
        )
        return writes
    }

    /// Notes that a write has ended, and that all acknowledged writes are on disk. The write's number becomes
    /// the number of the last write that ended.
    func end(_ writes: WriteCount, _ held: borrowing HeldLock) throws(SecretStoreError) {
        try leave([writes.number], at: .ended, in: held.file)
    }

    /// Removes the note of a failed sync. The caller has written and synced a new file for the store, so no
    /// byte of the store depends on the failed sync.
    func noteRepair(_ held: borrowing HeldLock) throws(SecretStoreError) {
        try leave([0], at: .failed, in: held.file)
    }

    /// Notes that a sync failed. The note is written to the file that is at the path now, because other
    /// processes read that file. If the file that was locked has been removed or replaced, the file at the
    /// path is another one.
    func noteFailedSync() throws(SecretStoreError) {
        let file = known.withLock { $0 }
        let isInPlace = try status()?.identity == file.identity
        try leave([1], at: .failed, in: isInPlace ? file : try open(instead: file))
    }

    private func leave(
        _ words: [UInt32],
        at first: LockNotice.Word,
        in file: OpenLockFile
    ) throws(SecretStoreError) {
        var bytes: [UInt8] = []
        for word in words { bytes.append(word) }
        do {
            try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                try unsafe files.write(file.descriptor.number, bytes, at: UInt64(first.offset))
            }
        } catch {
            throw .system(error, path)
        }
    }
}
