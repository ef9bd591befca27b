internal import PortcullisCore
internal import Synchronization

// The lock's file also holds a notice of those who write, for all who read.
extension FileLock {
    /// What those who write leave for others to know, in the lock's file: three words of 32 bits.
    ///
    /// It lives as long as the system's cache of the store's file does: it is not synced, and after a restart what is on
    /// disk is what is seen.
    struct Notice {
        /// Whether a sync failed; an unknown word is one more reason to be careful.
        let hasFailedSync: Bool
        /// How often somebody has begun to write, and the last one of these who came to his end; `nil` where nobody counts.
        let counts: (begun: UInt32, ended: UInt32)?

        var note: Note {
            if hasFailedSync { return .failedSync }
            return counts?.begun == counts?.ended ? .settled : .writing
        }

        /// How often somebody has begun to write; `nil` where nobody counts.
        var writes: UInt32? { counts?.begun }

        private init(hasFailedSync: Bool, counts: (begun: UInt32, ended: UInt32)?) {
            (self.hasFailedSync, self.counts) = (hasFailedSync, counts)
        }

        /// What the words say.
        init(_ word: (Word) -> UInt32) {
            self.init(hasFailedSync: word(.failed) != 0, counts: (word(.begun), word(.ended)))
        }

        /// What is left where nobody counts: a byte, or nothing.
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
        /// Somebody is writing. If the lock is free he was killed, or gave up: it may not be on disk yet.
        case writing
    }

    /// What was left.
    ///
    /// Without the lock held `settled` says that all that was begun before is on disk; others say nothing. In either case
    /// whoever began to write since has made the count another one.
    func notice() throws(SecretStoreError) -> Notice {
        let tick = files.now
        let bytes = try LogFile.bytes(files, file, path, at: 0, Word.size * Word.count)
        guard bytes.count == Word.size * Word.count else {
            return Notice(beginningWith: bytes.first)
        }
        noticeTick.store(tick, ordering: .relaxed)
        return Notice { bytes.number(at: $0.offset) }
    }

    /// What was left, with the lock held; it asks the system for nothing in the tick of the clock in which the file was read.
    func noticeWhileHeld() throws(SecretStoreError) -> Notice {
        // There is no memory behind the end of a file, and a moment ago it did not end there.
        guard noticeTick.load(ordering: .relaxed) == files.now, let shared = sharedNotice else {
            return try notice()
        }
        return shared
    }

    /// Whether nobody has begun to write since the count was this one, whoever had begun came to his end, and no sync
    /// failed; asks the system for nothing.
    ///
    /// For those who have read the count from the file just now. There is no memory behind the end of a file: where
    /// somebody cuts the lock's file off, looking ends the process.
    func isUnchanged(since count: UInt32) -> Bool {
        // The system may be in the middle of writing one of the counts. Nobody changes both at once: the other one differs.
        guard let notice = sharedNotice else { return false }
        return notice.note == .settled && notice.writes == count
    }

    /// What the words say that are shared; `nil` where none can be.
    private var sharedNotice: Notice? {
        words.map { words in Notice { words.load($0.rawValue) } }
    }

    /// Leaves word that somebody begins to write.
    ///
    /// - Returns: the count of those who began.
    func begin(after last: Notice) throws(SecretStoreError) -> UInt32 {
        let writes = (last.writes ?? 0) &+ 1
        try leave([last.hasFailedSync ? 1 : 0, writes, last.counts?.ended ?? 0], at: .failed)
        return writes
    }

    /// Leaves word that all is on disk that was written by whoever was the last to begin.
    func end(_ writes: UInt32) throws(SecretStoreError) { try leave([writes], at: .ended) }

    /// Leaves word that a sync failed, or that nothing is left of what it was to write.
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
