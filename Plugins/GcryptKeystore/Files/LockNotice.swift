/// What writers tell other processes in the file of the store's lock: three words of 32 bits.
///
/// It lives as long as the system's cache of the store's file does: it is not synced, and after a restart what is on
/// disk is what is seen.
package struct LockNotice: Sendable {
    /// Whether a sync failed; every word but 0 counts as yes.
    package let hasFailedSync: Bool
    /// The number of writes that were begun, and the number of the last write that ended; `nil` where the
    /// file has no counts.
    package let counts: (begun: UInt32, ended: UInt32)?

    /// How far the last writer came.
    package enum Note: Sendable {
        /// All that was written is on disk.
        case settled
        /// A sync failed: what the system shows may not be on disk, and no later sync will write it.
        case failedSync
        /// A write is under way. If the lock is free, its writer was killed or gave up: what it wrote may not
        /// be on disk.
        case writing
    }

    /// How far the last writer came.
    package var note: Note {
        if hasFailedSync { return .failedSync }
        return counts?.begun == counts?.ended ? .settled : .writing
    }

    /// The number of writes that were begun; `nil` where the file has no counts.
    package var writes: UInt32? { counts?.begun }

    /// A notice of these parts.
    package init(hasFailedSync: Bool, counts: (begun: UInt32, ended: UInt32)?) {
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

    /// The words, in their order.
    enum Word: Int, CaseIterable {
        case failed, begun, ended

        static let count = allCases.count
        static let size = MemoryLayout<UInt32>.size
        var offset: Int { rawValue * Self.size }
    }
}
