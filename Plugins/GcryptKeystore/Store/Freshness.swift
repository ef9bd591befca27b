/// Decides whether a view holds every acknowledged write.
///
/// The type makes no system call and reads no file. Its callers pass in the times, the file's status, and the
/// notice in which writers count their writes (``LockNotice``). A reader first calls ``glance(in:_:)``. If
/// the answer is ``Answer/look``, the reader calls ``status(_:)``. If the answer is ``Answer/look`` again,
/// the reader compares bytes of the file; see ``bytes(behind:at:_:)``. `Documentation.docc/Format.md`,
/// "Writing", gives the reason for each rule.
package struct Freshness: Sendable {
    /// The next step of a reader.
    package enum Answer: Sendable, Equatable {
        /// The view is complete, and the reader uses it.
        case fresh
        /// This check has not decided, so the reader makes the next one of the three checks.
        case look
        /// The store's queue must read the new frames, or open the file again.
        case reread
    }

    /// The number of writes that had begun when the view was last known to be complete; `nil` if the number
    /// is unknown. The number comes from the notice in the lock's file.
    package private(set) var writes: WriteCount?
    /// The clock tick of the last check that found the view complete; see ``KeystoreFiles/now``. Complete
    /// means that the file was at its path, and that the view had all frames of the file.
    package private(set) var looked: UInt64?
    /// The file's size and time at the last check that found the view complete.
    package private(set) var seen: SeenFile?
    /// Whether a read of new frames is under way, or has failed half-way.
    package private(set) var isDoubtful = false

    /// Makes the state of a view for which the number of begun writes is unknown.
    package init() {}

    // MARK: Checks by a reader

    /// The first check: whether the result of an earlier check in the same tick of the clock is still valid.
    ///
    /// - Parameter notice: returns the present notice; `nil` if reading the notice would take a system call.
    ///   The closure may read the lock's file through a mapping. So the closure is called only if a check in
    ///   this tick has found the view complete. That check has also examined the lock's file. A file that was
    ///   not examined may have been replaced, or may be too short for the mapping.
    package func glance(in tick: UInt64, _ notice: () -> LockNotice?) -> Answer {
        // The result of a check is valid until the tick ends or the notice shows a later write. All other
        // changes are found in the next tick. An example is another file in place of the store's file or of
        // the lock's file.
        guard !isDoubtful else { return .reread }
        guard looked == tick, let writes, let notice = notice() else { return .look }
        // The notice has two counts, and a writer changes one after the other. If the notice is read between
        // the two changes, the counts differ, and so the notice is not settled.
        return notice.note == .settled && notice.writes == writes ? .fresh : .look
    }

    /// The second check: whether the file's status shows that the file is unchanged.
    package func status(_ status: FileStatus) -> Answer {
        // If the file has no hard link, it was replaced or removed. If it has a second hard link, the path
        // may lead to another file. If it has one hard link, it may have been moved away. A move changes the
        // file's time, so the comparison below notices the move.
        guard status.links == 1 else { return .reread }
        return seen.map { $0.isSettled && $0.isSame(status) } ?? false ? .fresh : .look
    }

    /// The third check: prepares the comparison of the bytes after the last known frame. The reader reads
    /// these bytes itself.
    ///
    /// - Parameters:
    ///   - now: the time, read after the status.
    ///   - notice: the notice, read after the time and before the bytes. If it is settled, the bytes contain
    ///     every write that began before `now`.
    /// - Returns: the value that ``seen`` gets if the view is complete, and whether the reader must read all
    ///   preallocated space. That is necessary after a write of another process: zeros at the next frame's
    ///   place may be the remains of a damaged frame.
    package func bytes(
        behind status: FileStatus,
        at now: UInt64,
        _ notice: LockNotice
    ) -> (next: SeenFile, readsPreallocated: Bool) {
        var next = SeenFile(status, since: now)
        if let seen, seen.isSame(status) {
            next = seen
            // A write changes the file's time first and the bytes later. In between the writer may be
            // delayed. A settled notice means that no write is under way. So the size and the time count only
            // with a settled notice.
            next.isSettled = next.isPast(at: now) && notice.note == .settled
        }
        let readsPreallocated = notice.hasOthers(since: writes) && notice.hasOthers(since: next.writes)
        next.writes = notice.writes
        return (next, readsPreallocated)
    }

    // MARK: Results of a check

    /// Notes that a reader has checked the file and found the view complete.
    ///
    /// - Parameters:
    ///   - before: the notice that was read before the check.
    ///   - tick: the tick of the clock that was read before the notice was read.
    package mutating func found(_ seen: SeenFile, before: LockNotice, in tick: UInt64) {
        self.seen = seen
        guard before.note == .settled else { return }
        (writes, looked) = (before.writes, tick)
    }

    /// Notes that the store's queue has checked the file and found the view complete.
    ///
    /// - Parameters:
    ///   - before: the notice that was read before the check.
    ///   - isLocked: whether the caller holds the lock. If not, the notice may count a write that is still
    ///     under way.
    package mutating func found(before: LockNotice, isLocked: Bool) {
        writes = Self.taken(before, isLocked: isLocked) ?? writes
    }

    /// Notes that a read of new frames begins. If the read fails before ``finish()``, the view does not count
    /// as complete.
    package mutating func begin() { isDoubtful = true }

    /// Notes that the file was read up to the end of its last frame.
    ///
    /// - Parameter count: the number of writes that were read; `nil` if it is unknown.
    package mutating func took(_ count: WriteCount?) { writes = count }

    /// Notes that the read of new frames has ended without a failure.
    package mutating func finish() { isDoubtful = false }

    /// Returns the number of writes that a read of the file covers; `nil` if it is unknown.
    ///
    /// - Parameter before: the notice that was read before the file was read.
    package static func taken(_ before: LockNotice, isLocked: Bool) -> WriteCount? {
        isLocked || before.note == .settled ? before.writes : nil
    }
}

/// A file's size and the time of its last change. If ``isSettled`` is `true`, every later change of the file
/// alters the size or the time.
package struct SeenFile: Sendable, Equatable {
    /// The size in bytes.
    package let size: UInt64
    /// The time of the last change by the clock of the file system, in nanoseconds.
    package let changed: UInt64
    /// The time, by ``KeystoreFiles/now``, at which this size and this time of the last change were first
    /// seen, in nanoseconds.
    package let since: UInt64
    /// Whether every later change of the file alters its size or time. If the value is `false`, a later
    /// change may keep the same time, because a file system's clock advances in ticks.
    package var isSettled = false
    /// The number of writes that had begun when all bytes behind the frames were found to be preallocated
    /// space.
    package var writes: WriteCount?

    /// Takes the size and the time of the last change from a status. A reader saw them first at `now`.
    package init(_ status: FileStatus, since now: UInt64) {
        // 0 stands for an unknown time. A file with an unknown time never counts as settled.
        (size, changed, since) = (status.size, status.changed ?? 0, now)
    }

    func isSame(_ status: FileStatus) -> Bool { size == status.size && changed == status.changed }

    /// Whether a change at `now` would get a later time than ``changed``. Clocks of file systems advance in
    /// ticks of some milliseconds, and 20 ms are longer than a tick. Some file systems store only whole
    /// seconds. So the result for a time of whole seconds is `false`.
    func isPast(at now: UInt64) -> Bool {
        changed % 1_000_000_000 != 0 && now >= since && now - since >= 20_000_000
    }
}
