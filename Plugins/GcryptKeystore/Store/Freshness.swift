/// Whether a view of the store's file holds every write that was acknowledged, as far as that is known without reading
/// the file.
///
/// Pure: notices, statuses and times are passed in, in the order in which a reader asks for them. A reader asks on until
/// an answer is not ``Answer/look``. `Documentation.docc/Format.md`, "Writing", says why each rule holds.
package struct Freshness: Sendable {
    /// What a reader does next.
    package enum Answer: Sendable, Equatable {
        /// It answers by the view.
        case fresh
        /// It asks the next question; after ``Freshness/bytes(_:)`` there is none.
        case look
        /// It has the file read on, or opened again.
        case reread
    }

    /// The number of writes that were begun when all that was written until then was taken in; `nil` where
    /// that is unknown.
    package private(set) var writes: UInt32?
    /// The tick of the clock in which the file was last seen to have its place and to hold all that was written by
    /// then; see ``KeystoreFiles/now``.
    package private(set) var looked: UInt64?
    /// How the file was when it was last seen to have its place and to hold no more than was read.
    package private(set) var seen: SeenFile?
    /// Whether a reading of the file failed half-way, or is under way.
    package private(set) var isDoubtful = false

    /// Of a file that was read without a count of its writes.
    package init() {}

    // MARK: Questions of a reader

    /// The first question: whether a look in the same tick of the clock is still good.
    ///
    /// - Parameter notice: what the lock's file says now. It is asked for only where the file was read in this tick: where
    ///   it is a mapping, the file must be known to be long enough. `nil` where that cannot be said without a call.
    package func glance(in tick: UInt64, _ notice: () -> LockNotice?) -> Answer {
        // Every write is counted. What changes without one, as where a file is put in this one's place, is seen with the
        // next tick.
        guard !isDoubtful else { return .reread }
        guard looked == tick, let writes, let notice = notice() else { return .look }
        // The system may be in the middle of writing one of the counts. No writer changes both at once: the other differs.
        return notice.note == .settled && notice.writes == writes ? .fresh : .look
    }

    /// The second question: what the file's status says.
    package func status(_ status: FileStatus) -> Answer {
        // With a second name the file may have lost its place without losing its last link.
        guard status.links == 1 else { return .reread }
        return seen.map { $0.isSettled && $0.isSame(status) } ?? false ? .fresh : .look
    }

    /// The third question: what the bytes behind the last frame that was read have to say, if it is not to be read on.
    ///
    /// - Parameters:
    ///   - now: read after the status.
    ///   - notice: read after the clock and before the bytes. Where it is `settled`, the bytes of every write that was
    ///     begun before the clock was read are found.
    /// - Returns: what is to be remembered if they say it, and whether zeros where the next frame begins are not enough:
    ///   after a write of others they may be what damage left of a frame.
    package func bytes(
        behind status: FileStatus,
        at now: UInt64,
        _ notice: LockNotice
    ) -> (next: SeenFile, readsPreallocated: Bool) {
        var next = SeenFile(status, since: now)
        if let seen, seen.isSame(status) {
            next = seen
            // A file has the time of a write before its bytes, and the writer may be held up in between. Where the notice
            // says that no write is under way, the bytes are where they will be looked for.
            next.isSettled = next.isPast(at: now) && notice.note == .settled
        }
        let readsPreallocated = notice.hasOthers(since: writes) && notice.hasOthers(since: next.writes)
        next.writes = notice.writes
        return (next, readsPreallocated)
    }

    // MARK: What was found

    /// A look found that the view holds all there is.
    ///
    /// - Parameters:
    ///   - before: the notice from before the look.
    ///   - tick: the clock's, from before that.
    package mutating func found(_ seen: SeenFile, before: LockNotice, in tick: UInt64) {
        self.seen = seen
        guard before.note == .settled else { return }
        (writes, looked) = (before.writes, tick)
    }

    /// The store's queue looked, and the view holds all there is.
    ///
    /// - Parameter before: the notice from before the look; without the lock held, a write may be under way that it counts.
    package mutating func found(before: LockNotice, isLocked: Bool) {
        writes = Self.taken(before, isLocked: isLocked) ?? writes
    }

    /// The file is read on: until ``finish()``, what was read before a failure is not taken for all.
    package mutating func begin() { isDoubtful = true }

    /// The file was read to the end of its last frame.
    ///
    /// - Parameter count: the number of writes that were read; `nil` where it is not known.
    package mutating func took(_ count: UInt32?) { writes = count }

    /// Reading on has come to its end.
    package mutating func finish() { isDoubtful = false }

    /// The count that a reading of the file has taken in, of the notice from before it.
    package static func taken(_ before: LockNotice, isLocked: Bool) -> UInt32? {
        isLocked || before.note == .settled ? before.writes : nil
    }
}

/// A file's size and the time of its last change. Once it is settled, every change of the content changes one of them.
package struct SeenFile: Sendable, Equatable {
    /// In bytes.
    package let size: UInt64
    /// When it was last changed, by the clock of its file system, in nanoseconds.
    package let changed: UInt64
    /// When it was first seen to be so, by the clock here.
    package let since: UInt64
    /// Whether every later change makes it another.
    package var isSettled = false
    /// The number of writes that were begun when all behind the frames was found to be preallocated space.
    package var writes: UInt32?

    /// What a status says, first seen at this time.
    package init(_ status: FileStatus, since now: UInt64) {
        // A time that is not known never settles.
        (size, changed, since) = (status.size, status.changed ?? 0, now)
    }

    func isSame(_ status: FileStatus) -> Bool { size == status.size && changed == status.changed }

    /// Whether a change would have another time now: clocks of file systems go in ticks, and some go in seconds.
    func isPast(at now: UInt64) -> Bool {
        changed % 1_000_000_000 != 0 && now >= since && now - since >= 20_000_000
    }
}
