internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

// The lock's file also holds a notice of the writers for all readers.
extension FileLock {
    /// What writers tell other processes in the lock's file: three words of 32 bits.
    ///
    /// It lives as long as the system's cache of the store's file does: it is not synced, and after a restart what is on
    /// disk is what is seen.
    struct Notice {
        /// Whether a sync failed; every word but 0 counts as yes.
        let hasFailedSync: Bool
        /// The number of writes that were begun, and the number of the last write that ended; `nil` where the
        /// file has no counts.
        let counts: (begun: UInt32, ended: UInt32)?

        var note: Note {
            if hasFailedSync { return .failedSync }
            return counts?.begun == counts?.ended ? .settled : .writing
        }

        /// The number of writes that were begun; `nil` where the file has no counts.
        var writes: UInt32? { counts?.begun }

        private init(hasFailedSync: Bool, counts: (begun: UInt32, ended: UInt32)?) {
            (self.hasFailedSync, self.counts) = (hasFailedSync, counts)
        }

        /// What the words say.
        init(_ word: (Word) -> UInt32) {
            self.init(hasFailedSync: word(.failed) != 0, counts: (word(.begun), word(.ended)))
        }

        /// What a file without counts says: its first byte, or nothing where it is empty.
        init(beginningWith byte: UInt8?) { self.init(hasFailedSync: (byte ?? 0) != 0, counts: nil) }

        /// Whether others may have written since the count was this one.
        func hasOthers(since count: UInt32?) -> Bool { writes == nil || writes != count }
    }

    /// How far a writer came.
    enum Note {
        /// All that was written is on disk.
        case settled
        /// A sync failed: what the system shows may not be on disk, and no later sync will write it.
        case failedSync
        /// A write is under way. If the lock is free, its writer was killed or gave up: what it wrote may not
        /// be on disk.
        case writing
    }

    /// The notice in the file.
    ///
    /// Without the lock held, `settled` says that every write begun before is on disk; the other notes say
    /// nothing. In either case a write that was begun since has changed the count.
    func notice() throws(SecretStoreError) -> Notice {
        let tick = files.now
        let bytes = try LogFile.bytes(files, file, path, at: 0, Word.size * Word.count)
        guard bytes.count == Word.size * Word.count else {
            return Notice(beginningWith: bytes.first)
        }
        noticeTick.store(tick, ordering: .relaxed)
        return Notice { bytes.number(at: $0.offset) }
    }

    /// The notice, with the lock held; no call of the system is made in the tick of the clock in which the
    /// file was read.
    func noticeWhileHeld() throws(SecretStoreError) -> Notice {
        // There is no memory behind the end of a file, and a moment ago it did not end there.
        guard noticeTick.load(ordering: .relaxed) == files.now, let shared = sharedNotice else {
            return try notice()
        }
        return shared
    }

    /// Whether no write was begun since the count was this one, the last one that was begun has ended, and no
    /// sync failed.
    ///
    /// It makes no call of the system. The caller has read the count from the file just now: there is no
    /// memory behind the end of a file, so where another process truncates the lock's file, reading the
    /// mapping ends this process.
    func isUnchanged(since count: UInt32) -> Bool {
        // The system may be in the middle of writing one of the counts. No writer changes both at once: the
        // other differs.
        guard let notice = sharedNotice else { return false }
        return notice.note == .settled && notice.writes == count
    }

    /// What the words say that are shared; `nil` where none can be.
    private var sharedNotice: Notice? {
        words.map { words in Notice { words.load($0.rawValue) } }
    }

    /// Notes that a write begins.
    ///
    /// - Returns: its number, which is the number of writes that were begun.
    func begin(after last: Notice) throws(SecretStoreError) -> UInt32 {
        let writes = (last.writes ?? 0) &+ 1
        try leave([last.hasFailedSync ? 1 : 0, writes, last.counts?.ended ?? 0], at: .failed)
        return writes
    }

    /// Notes that the write of this number, the last that was begun, has ended with all on disk.
    func end(_ writes: UInt32) throws(SecretStoreError) { try leave([writes], at: .ended) }

    /// Notes that a sync failed; with `false`, that nothing in the file depends on a failed sync any more.
    func noteSync(hasFailed: Bool) throws(SecretStoreError) { try leave([hasFailed ? 1 : 0], at: .failed) }

    /// The words of a notice, in their order.
    enum Word: Int, CaseIterable {
        case failed, begun, ended

        static let count = allCases.count
        static let size = MemoryLayout<UInt32>.size
        var offset: Int { rawValue * Self.size }
    }

    private func leave(_ words: [UInt32], at first: Word) throws(SecretStoreError) {
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
