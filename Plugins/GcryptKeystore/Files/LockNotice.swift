/// The notice that writers leave for other processes in the lock's file: three words of 32 bits.
///
/// The notice is not synced, so a restart of the system may lose it. After a restart no process needs it,
/// because every process then sees only the bytes that are on disk.
package struct LockNotice: Sendable {
    /// Whether a sync failed. Each value of the notice's first word other than 0 means that a sync failed.
    package let hasFailedSync: Bool
    /// The number of writes that began, and the number of the last write that ended; `nil` if the file has no counts.
    package let counts: (begun: UInt32, ended: UInt32)?

    /// The state in which the last writer left the file.
    package enum Note: Sendable {
        /// Every write that began has ended, and all its bytes are on disk.
        case settled
        /// A sync failed. The system may show bytes that are not on disk, and no later sync will write them.
        case failedSync
        /// A write is under way. If the lock is free, the writer was killed or gave up, and its bytes may not
        /// be on disk.
        case writing
    }

    /// The state in which the last writer left the file.
    package var note: Note {
        if hasFailedSync { return .failedSync }
        return counts?.begun == counts?.ended ? .settled : .writing
    }

    /// The number of writes that began; `nil` if the file has no counts.
    package var writes: UInt32? { counts?.begun }

    /// Makes a notice of these parts.
    package init(hasFailedSync: Bool, counts: (begun: UInt32, ended: UInt32)?) {
        (self.hasFailedSync, self.counts) = (hasFailedSync, counts)
    }

    /// Makes a notice of the file's three words.
    init(_ word: (Word) -> UInt32) {
        self.init(hasFailedSync: word(.failed) != 0, counts: (word(.begun), word(.ended)))
    }

    /// Makes the notice of a file without counts. The byte is the file's first one, or `nil` if the file is empty.
    init(beginningWith byte: UInt8?) { self.init(hasFailedSync: (byte ?? 0) != 0, counts: nil) }

    /// Whether other processes may have written since the number of writes was `count`.
    func hasOthers(since count: UInt32?) -> Bool { writes == nil || writes != count }

    /// The three words of the notice, in the order of the file.
    enum Word: Int, CaseIterable {
        case failed, begun, ended

        static let count = allCases.count
        static let size = MemoryLayout<UInt32>.size
        var offset: Int { rawValue * Self.size }
    }
}
