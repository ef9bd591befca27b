/// The notice that writers leave for other processes in the lock's file: three words of 32 bits.
///
/// The notice is not synced. After a power failure it may be older than the store's file. A lost note of a
/// failed sync does no harm, because every process then sees the bytes that are on disk. A notice with
/// `settled` may be wrong: the last change of the header or of the whole file may be unfinished. So each
/// store checks the header pages when it is opened, and looks for a left `STORE.new` at its first write.
package struct LockNotice: Sendable {
    /// The number of the file from which the notice was read; see `OpenLockFile.number`. It is `nil` if no
    /// lock's file is at the path.
    private let file: UInt64?
    /// Whether a sync failed. Each value of the notice's first word other than 0 means that a sync failed.
    package let hasFailedSync: Bool
    /// The number of writes that began, and the number of the last write that ended; `nil` if the file has no
    /// counts.
    package let counts: (begun: UInt32, ended: UInt32)?

    /// The state in which the last writer left the file.
    package enum Note: Sendable {
        /// Every write that the lock's file has counted has ended, and all acknowledged writes are on disk.
        case settled
        /// A sync failed. The system may show bytes that are not on disk, and no later sync will write them.
        case failedSync
        /// A write is under way, or this is unknown because no lock's file is at the path. If the lock is
        /// free, the writer was killed or gave up, and its bytes may not be on disk.
        case writing
    }

    /// The state in which the last writer left the file.
    package var note: Note {
        if hasFailedSync { return .failedSync }
        return file != nil && counts?.begun == counts?.ended ? .settled : .writing
    }

    /// The number of writes that began; `nil` if the file has no counts.
    package var writes: WriteCount? {
        guard let file, let counts else { return nil }
        return WriteCount(file: file, counts.begun)
    }

    /// Makes a notice of these parts.
    package init(file: UInt64?, hasFailedSync: Bool, counts: (begun: UInt32, ended: UInt32)?) {
        (self.file, self.hasFailedSync, self.counts) = (file, hasFailedSync, counts)
    }

    /// The notice to use if there is no lock's file at the path. Its ``note`` is never `settled`, because the
    /// file may have been removed during a write that the file had counted.
    package static let none = LockNotice(file: nil, hasFailedSync: false, counts: nil)

    /// Makes a notice of the file's three words.
    init(file: UInt64, _ word: (Word) -> UInt32) {
        self.init(file: file, hasFailedSync: word(.failed) != 0, counts: (word(.begun), word(.ended)))
    }

    /// Makes the notice for a file that has no counts. `byte` is the file's first byte; `nil` if the file is
    /// empty.
    init(file: UInt64, beginningWith byte: UInt8?) {
        self.init(file: file, hasFailedSync: (byte ?? 0) != 0, counts: nil)
    }

    /// Whether other processes may have written since the number of writes was `count`.
    func hasOthers(since count: WriteCount?) -> Bool { writes == nil || writes != count }

    /// The three words of the notice, in the order of the file.
    enum Word: Int, CaseIterable {
        case failed, begun, ended

        static let count = allCases.count
        static let size = MemoryLayout<UInt32>.size
        var offset: Int { rawValue * Self.size }
    }

    /// The size of the notice in bytes.
    static let size = Word.count * Word.size
}

/// A number of writes that a lock's file has counted. The numbers of two files never compare equal. A new or
/// restored file could by chance have counted as many other writes.
package struct WriteCount: Sendable, Equatable {
    /// Identifies the file in which the writes were counted; see `OpenLockFile.number`.
    private let file: UInt64
    /// The number of writes that began.
    let number: UInt32

    /// Makes the number of writes that a file has counted.
    package init(file: UInt64, _ number: UInt32) { (self.file, self.number) = (file, number) }
}
