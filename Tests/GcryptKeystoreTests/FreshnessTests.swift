import GcryptKeystore
import PortcullisCore
import Testing

/// What a reader is told to do, by what is known and what it asked the system for.
@Suite("Freshness of a view of the store's file")
struct FreshnessTests {
    private static let second: UInt64 = 1_000_000_000

    private static func notice(
        _ begun: UInt32,
        _ ended: UInt32? = nil,
        failed: Bool = false,
        file: UInt64 = 0
    ) -> LockNotice {
        LockNotice(file: file, hasFailedSync: failed, counts: (begun, ended ?? begun))
    }

    private static let uncounted = LockNotice(file: 0, hasFailedSync: false, counts: nil)

    private static func count(_ number: UInt32) -> WriteCount { WriteCount(file: 0, number) }

    private static func status(
        size: UInt64 = 100,
        links: UInt64 = 1,
        changed: UInt64? = 3 * second + 1
    ) -> FileStatus {
        FileStatus(
            kind: .regular,
            size: size,
            links: links,
            owner: 0,
            mode: 0o600,
            identity: FileIdentity(device: 1, number: 2),
            changed: changed
        )
    }

    /// A view that took in seven writes, was looked at in tick 5, and is of a file that was like this for a second.
    private static func settled(_ status: FileStatus = status()) -> Freshness {
        var known = Freshness()
        let (first, _) = known.bytes(behind: status, at: 4 * second, notice(7))
        known.found(first, before: notice(7), in: 4)
        let (next, _) = known.bytes(behind: status, at: 5 * second, notice(7))
        known.found(next, before: notice(7), in: 5)
        return known
    }

    // MARK: In the tick of the last look

    @Test(
        "K-4, K-7: a glance without a call is good in its tick, and until a write begins",
        arguments: [
            ("the same tick and count", 5, notice(7), .fresh),
            ("the next tick", 6, notice(7), .look),
            ("no shared memory", 5, nil, .look),
            ("another write ended", 5, notice(8), .look),
            ("a write is under way", 5, notice(8, 7), .look),
            ("half of an end is seen", 5, notice(7, 6), .look),
            ("a sync failed", 5, notice(7, failed: true), .look),
            ("the counts are gone", 5, uncounted, .look),
            ("another lock's file has this count", 5, notice(7, file: 1), .look),
            ("no lock's file is there", 5, LockNotice.none, .look),
        ] as [(String, UInt64, LockNotice?, Freshness.Answer)]
    )
    func glance(_ row: (name: String, tick: UInt64, notice: LockNotice?, answer: Freshness.Answer)) {
        #expect(Self.settled().glance(in: row.tick) { row.notice } == row.answer)
    }

    @Test("K-7: the mapping is not touched in a tick in which the file was not read")
    func untouched() {
        var isTouched = false
        func touch() -> LockNotice? {
            isTouched = true
            return Self.notice(7)
        }
        #expect(Self.settled().glance(in: 6, touch) == .look)
        #expect(Freshness().glance(in: 0, touch) == .look)
        var doubtful = Self.settled()
        doubtful.begin()
        #expect(doubtful.glance(in: 5, touch) == .reread)
        #expect(!isTouched)
        #expect(Self.settled().glance(in: 5, touch) == .fresh)
        #expect(isTouched)
    }

    // MARK: By the file's status

    @Test(
        "K-7: a file that had its time for longer than a tick is known by its status",
        arguments: [
            ("settled and the same", settled(), status(), .fresh),
            ("longer", settled(), status(size: 101), .look),
            ("shorter", settled(), status(size: 99), .look),
            ("another time", settled(), status(changed: 3 * second + 2), .look),
            ("no time", settled(), status(changed: nil), .look),
            ("replaced", settled(), status(links: 0), .reread),
            ("a second name", settled(), status(links: 2), .reread),
            ("never seen", Freshness(), status(), .look),
            (
                "a time of whole seconds", settled(status(changed: 3 * second)), status(changed: 3 * second),
                .look
            ),
            ("a time never known", settled(status(changed: nil)), status(changed: nil), .look),
        ] as [(String, Freshness, FileStatus, Freshness.Answer)]
    )
    func look(_ row: (name: String, known: Freshness, status: FileStatus, answer: Freshness.Answer)) {
        #expect(row.known.status(row.status) == row.answer)
    }

    @Test(
        "K-7: a file settles 20 ms after it was first seen so, while no write is under way",
        arguments: [
            (19_999_999, notice(7), false), (20_000_000, notice(7), true), (20_000_000, notice(8, 7), false),
            (20_000_000, notice(7, failed: true), false), (20_000_000, uncounted, true),
            (20_000_000, notice(7, file: 1), true), (20_000_000, LockNotice.none, false),
        ] as [(UInt64, LockNotice, Bool)]
    )
    func settling(_ row: (pause: UInt64, notice: LockNotice, isSettled: Bool)) {
        let start = 4 * Self.second
        var known = Freshness()
        let (first, _) = known.bytes(behind: Self.status(), at: start, Self.notice(7))
        #expect(!first.isSettled)
        known.found(first, before: Self.notice(7), in: 4)
        let (next, _) = known.bytes(behind: Self.status(), at: start + row.pause, row.notice)
        #expect(next.isSettled == row.isSettled)
        #expect(next.since == start)
        // A clock that goes back settles nothing.
        #expect(!known.bytes(behind: Self.status(), at: start - 1, Self.notice(7)).next.isSettled)
        // Another time begins anew.
        let other = Self.status(changed: 3 * Self.second + 2)
        let anew = Self.settled().bytes(behind: other, at: 9 * Self.second, Self.notice(7)).next
        #expect(!anew.isSettled)
        #expect(anew.since == 9 * Self.second)
    }

    // MARK: By its bytes

    @Test("K-6: the space behind the frames is read where others wrote since, or writes are not counted")
    func preallocated() {
        var known = Self.settled()
        func reads(_ notice: LockNotice) -> Bool {
            known.bytes(behind: Self.status(), at: 6 * Self.second, notice).readsPreallocated
        }
        #expect(!reads(Self.notice(7)))
        #expect(reads(Self.notice(8)))
        #expect(reads(Self.uncounted))
        // What this process wrote itself is no other's.
        known.took(Self.count(8))
        #expect(!reads(Self.notice(8)))
        // At seven it was read.
        #expect(!reads(Self.notice(7)))
        known.took(nil)
        #expect(reads(Self.notice(9)))
        #expect(!reads(Self.notice(7)))
    }

    @Test("K-7: a look while a write is under way leaves the count as it was")
    func underWay() {
        var known = Self.settled()
        let (next, _) = known.bytes(behind: Self.status(), at: 6 * Self.second, Self.notice(8))
        known.found(next, before: Self.notice(8, 7), in: 6)
        #expect(known.writes == Self.count(7))
        #expect(known.looked == 5)
        #expect(known.seen == next)
        known.found(before: Self.notice(8, 7), isLocked: false)
        #expect(known.writes == Self.count(7))
        // With the lock held no write of others is under way: what was begun was given up.
        known.found(before: Self.notice(8, 7), isLocked: true)
        #expect(known.writes == Self.count(8))
        known.found(before: Self.uncounted, isLocked: true)
        #expect(known.writes == Self.count(8))
    }

    @Test("K-6: a view whose reading failed half-way answers nothing until it was read to its end")
    func doubtful() {
        var known = Self.settled()
        known.begin()
        #expect(known.isDoubtful)
        #expect(known.glance(in: 5) { Self.notice(7) } == .reread)
        known.took(Self.count(8))
        #expect(known.glance(in: 5) { Self.notice(8) } == .reread)
        known.finish()
        #expect(known.glance(in: 5) { Self.notice(8) } == .fresh)
    }
}
