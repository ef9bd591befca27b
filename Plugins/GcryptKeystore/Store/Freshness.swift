/// Decides whether a view holds every acknowledged write, as far as that is known without reading the store's file.
///
/// The type is pure: notices, statuses and times are passed in. A reader asks ``glance(in:_:)``,
/// ``status(_:)`` and ``bytes(behind:at:_:)`` in this order, until an answer is not ``Answer/look``.
/// `Documentation.docc/Format.md`, "Writing", gives the reason for each rule.
package struct Freshness: Sendable {
    /// The next step of a reader.
    package enum Answer: Sendable, Equatable {
        /// The reader answers from the view.
        case fresh
        /// The reader asks the next question. After ``Freshness/bytes(behind:at:_:)`` there is none.
        case look
        /// The reader lets the store's queue read the new frames, or open the file again.
        case reread
    }

    /// How many writes had begun, by the lock's notice, when the view was last known to be complete; `nil` if that is
    /// unknown.
    package private(set) var writes: UInt32?
    /// The tick of the clock in which a check last found the file at its path, and no frame in it that the view lacks;
    /// see ``KeystoreFiles/now``.
    package private(set) var looked: UInt64?
    /// The file's size and time when a check last found the file at its path, and no frame in it that the view lacks.
    package private(set) var seen: SeenFile?
    /// Whether reading the file is under way, or has failed half-way.
    package private(set) var isDoubtful = false

    /// The freshness of a file that was read without a count of its writes.
    package init() {}

    // MARK: Questions of a reader

    /// The first question: whether the result of an earlier check in the same tick of the clock is still valid.
    ///
    /// - Parameter notice: returns the present notice; `nil` if that takes a system call. It is called only if the
    ///   lock's file was read in this tick, because only then is the mapped file known to be long enough.
    package func glance(in tick: UInt64, _ notice: () -> LockNotice?) -> Answer {
        // The result of a check holds for the whole tick. Later writes show in the notice. Other changes, such as
        // another file in place of the store's file, are found in the next tick.
        guard !isDoubtful else { return .reread }
        guard looked == tick, let writes, let notice = notice() else { return .look }
        // A count may be read while the system is writing it. A writer changes only one of the two counts at a time,
        // so the counts then differ, and the notice is not settled.
        return notice.note == .settled && notice.writes == writes ? .fresh : .look
    }

    /// The second question: whether the file's status shows that the file is unchanged.
    package func status(_ status: FileStatus) -> Answer {
        // If the file has a second name, its number of names does not prove that it still has the store's path.
        guard status.links == 1 else { return .reread }
        return seen.map { $0.isSettled && $0.isSame(status) } ?? false ? .fresh : .look
    }

    /// The third question: which bytes behind the last known frame mean that the view is fresh.
    ///
    /// - Parameters:
    ///   - now: the time, read after the status.
    ///   - notice: the notice, read after the time and before the bytes. If it is settled, the bytes contain
    ///     every write that began before `now`.
    /// - Returns: the `next` value of ``seen`` if the view is fresh, and whether the reader must read all
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
            // A file gets the time of a write before its bytes, and the writer may be delayed in between. A
            // settled notice says that no write is under way, so that the bytes are in the file.
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
    ///   - before: the notice from before the check.
    ///   - tick: the tick of the clock from before the notice.
    package mutating func found(_ seen: SeenFile, before: LockNotice, in tick: UInt64) {
        self.seen = seen
        guard before.note == .settled else { return }
        (writes, looked) = (before.writes, tick)
    }

    /// Notes that the store's queue has checked the file and found the view complete.
    ///
    /// - Parameter before: the notice from before the check. Without the lock held, it may count a write that is still
    ///   under way.
    package mutating func found(before: LockNotice, isLocked: Bool) {
        writes = Self.taken(before, isLocked: isLocked) ?? writes
    }

    /// Notes that reading begins. If it fails before ``finish()``, the frames read so far do not count as complete.
    package mutating func begin() { isDoubtful = true }

    /// Notes that the file was read up to the end of its last frame.
    ///
    /// - Parameter count: the number of writes that were read; `nil` if it is unknown.
    package mutating func took(_ count: UInt32?) { writes = count }

    /// Notes that reading has ended without a failure.
    package mutating func finish() { isDoubtful = false }

    /// The number of writes that have been read, by the notice from before the reading; `nil` if it is unknown.
    package static func taken(_ before: LockNotice, isLocked: Bool) -> UInt32? {
        isLocked || before.note == .settled ? before.writes : nil
    }
}

/// A file's size and the time of its last change. Once they are settled, every further change alters one of them.
package struct SeenFile: Sendable, Equatable {
    /// The size in bytes.
    package let size: UInt64
    /// The time of the last change by the clock of the file system, in nanoseconds.
    package let changed: UInt64
    /// When this size and this time of the last change were first seen, by ``KeystoreFiles/now``, in nanoseconds.
    package let since: UInt64
    /// Whether every later change of the file alters its size or time.
    package var isSettled = false
    /// The number of writes that had begun when all bytes behind the frames were found to be preallocated space.
    package var writes: UInt32?

    /// Makes a value of the size and time in a status that was first seen at `now`.
    package init(_ status: FileStatus, since now: UInt64) {
        // 0 stands for an unknown time. A file with an unknown time never counts as settled.
        (size, changed, since) = (status.size, status.changed ?? 0, now)
    }

    func isSame(_ status: FileStatus) -> Bool { size == status.size && changed == status.changed }

    /// Whether a change at `now` would get a later time. Clocks of file systems advance in ticks, some of
    /// whole seconds.
    func isPast(at now: UInt64) -> Bool {
        changed % 1_000_000_000 != 0 && now >= since && now - since >= 20_000_000
    }
}
