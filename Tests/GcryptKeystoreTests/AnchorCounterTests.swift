import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@Suite("A rollback anchor with a counter (H-4)", .timeLimit(.minutes(10)))
struct AnchorCounterTests {
    private let anchor = CountingAnchor()
    private let disk = SimulatedDisk()

    private func open(_ disk: SimulatedDisk) async throws -> GcryptKeystore {
        var configuration = Setup.configuration()
        configuration.anchor = anchor
        // On a busy machine a thread that holds the lock may stand still for long.
        configuration.lockTimeout = .seconds(120)
        return try await GcryptKeystore.open(configuration, files: disk)
    }

    private func writeOwnItem(_ store: GcryptKeystore) async throws {
        let own = try SecretName("ada", in: SecretNamespace("portcullis.passcode"))
        _ = try await store.write(secret("r"), to: own, accessibility: .afterFirstUnlock)
    }

    @Test("H-4: the counter is raised once for each change that counts, and for no other")
    func counts() async throws {
        let store = try await open(disk)
        let first = anchor.value
        try await store.put("1", "item")
        #expect(anchor.value == first)
        for round in 1...3 {
            try await writeOwnItem(store)
            #expect(anchor.value == first + UInt64(round))
        }
        #expect(store.lastAnchorFailure == nil)
    }

    @Test(
        "H-4: a change that counts and was cut short before the counter was raised is counted when the store is opened"
    )
    func cutShort() async throws {
        let store = try await open(disk)
        let first = anchor.value
        anchor.stick(true)
        try await writeOwnItem(store)
        #expect(store.lastAnchorFailure?.code == .unavailable)
        anchor.stick(false)
        #expect(anchor.value == first)
        let image = disk.image
        try await open(SimulatedDisk(image)).close()
        #expect(anchor.value == first + 1)
        try await open(SimulatedDisk(image)).close()
        #expect(anchor.value == first + 1)
    }

    @Test(
        "H-4: a change that counts and was cut short is counted by the next change of another process, once"
    )
    func cutShortBesideAnother() async throws {
        let (store, other) = (try await open(disk), try await open(disk))
        let first = anchor.value
        anchor.stick(true)
        try await writeOwnItem(store)
        anchor.stick(false)
        // A change that does not count by itself, in a handle that does not know of the failure.
        try await other.put("1", "item")
        #expect(anchor.value == first + 1)
        try await other.put("2", "item")
        #expect(anchor.value == first + 1)
        #expect(other.lastAnchorFailure == nil)
        #expect(try await open(disk).get("item") == "2")
    }

    @Test("H-4, K-1: the counter is set up also when the slot that opens the store cannot be strengthened")
    func setUpBesideWeakSlot() async throws {
        let start = try await Setup.disk()
        func open(_ disk: SimulatedDisk, _ anchor: CountingAnchor) async throws -> GcryptKeystore {
            var configuration = Setup.configuration(Setup.phrase)
            configuration.anchor = anchor
            return try await GcryptKeystore.open(configuration, files: disk)
        }
        let whole = SimulatedDisk(start)
        _ = try await open(whole, CountingAnchor())
        var failed = 0
        for call in whole.calls.indices where ["pwrite", "fdatasync"].contains(whole.calls[call]) {
            let (anchor, disk) = (CountingAnchor(), SimulatedDisk(start))
            disk.plan(SimulatedDisk.Fault(call: call, number: EIO))
            // The later ones are writes of the set-up itself.
            guard let store = try? await open(disk, anchor), store.lastStrengtheningFailure != nil else {
                continue
            }
            failed += 1
            await store.close()
            disk.plan(nil)
            // Only a store whose header names the counter needs the record.
            anchor.record = nil
            #expect(await code { try await open(disk, anchor) } == .rolledBack, "call \(call)")
        }
        #expect(failed > 0)
    }

    /// A step that raises the counter, while another process has the store too.
    enum Raising: CaseIterable { case change, opening, replacing }

    @Test(
        "H-4: two processes do not raise the counter for the same record, and the store opens afterwards",
        arguments: Raising.allCases
    )
    func raisedOnce(_ raising: Raising) async throws {
        let store = try await open(disk)
        try await store.put("1", "item")
        let other = try await open(disk)
        let first = anchor.value
        if raising == .opening {
            anchor.stick(true)
            try await writeOwnItem(store)
            anchor.stick(false)
        }
        let others = Mutex<Task<String?, any Error>?>(nil)
        anchor.beforeRaise { [anchor, disk] in
            disk.plan(nil)
            others.withLock {
                $0 = Task {
                    if raising == .replacing { return try await other.get("item") }
                    return try await open(disk).get("item")
                }
            }
            // The other one asks for the lock, or raises the counter at once.
            for _ in 0..<10_000 where anchor.value == first && !disk.calls.contains("flock") {
                Threads.sleep(microseconds: 1000)
            }
        }
        switch raising {
        case .change: try await writeOwnItem(store)
        case .opening: _ = try await open(disk)
        case .replacing: try await store.seal(under: SecretBytes(randomCount: 32))
        }
        let task = try #require(others.withLock { $0 })
        #expect(try await task.value == "1")
        #expect(anchor.value == first + 1)
        #expect(try await open(disk).get("item") == "1")
        #expect(anchor.value == first + 1)
        try await writeOwnItem(other)
        #expect(anchor.value == first + 2)
        #expect(other.lastAnchorFailure == nil)
    }

    @Test("H-4: check raises no counter, and finds a store whose last change was cut short no older")
    func checkRaisesNothing() async throws {
        let store = try await open(disk)
        try await store.put("1", "item")
        let first = anchor.value
        anchor.stick(true)
        try await writeOwnItem(store)
        anchor.stick(false)
        await store.close()
        let now = disk.image
        var configuration = Setup.configuration()
        configuration.anchor = anchor
        for _ in 0..<2 {
            let report = try await GcryptKeystore.check(configuration, files: SimulatedDisk(now))
            #expect(report.damage.isEmpty && report.items == 2)
            #expect(anchor.value == first)
        }
        // A counter that is two behind, or ahead, is another matter.
        try anchor.raise(1, store: [])
        try anchor.raise(1, store: [])
        let error = await #expect(throws: SecretStoreError.self) {
            _ = try await GcryptKeystore.check(configuration, files: SimulatedDisk(now))
        }
        #expect(error?.code == .rolledBack)
    }

    @Test("H-4, K-6: the whole file of a killed compaction is rolledBack after a later commit")
    func killedCompaction() async throws {
        let store = try await open(disk)
        try await store.put("1", "item")
        let elsewhere = SimulatedDisk(disk.image)
        let copy = try await Setup.open(elsewhere)
        try await copy.compact()
        await copy.close()
        try await store.put("2", "item")
        await store.close()
        let now = disk.image
        var old = now
        old[Setup.path] = elsewhere.image[Setup.path]
        let replaced = old
        #expect(await code { try await open(SimulatedDisk(replaced)) } == .rolledBack)
        #expect(try await open(SimulatedDisk(now)).get("item") == "2")
    }

    @Test(
        "H-4: store and record of before a counted change are rolledBack, and so is a store without its counter"
    )
    func rollback() async throws {
        let store = try await open(disk)
        try await store.put("1", "item")
        let (old, record) = (disk.image, anchor.record)
        try await writeOwnItem(store)
        try await writeOwnItem(store)
        await store.close()
        let (now, last) = (disk.image, anchor.record)
        anchor.record = record
        #expect(await code { try await open(SimulatedDisk(old)) } == .rolledBack)
        anchor.record = nil
        #expect(await code { try await open(SimulatedDisk(now)) } == .rolledBack)
        anchor.record = last
        #expect(try await open(SimulatedDisk(now)).get("item") == "1")
        anchor.removeCounter()
        #expect(await code { try await open(SimulatedDisk(now)) } == .rolledBack)
    }

    @Test("H-4: a store that has forgotten its counter is opened again, and gets a counter that is demanded")
    func forgotten() async throws {
        let store = try await open(disk)
        try await store.put("1", "item")
        await store.close()
        let old = disk.image
        let later = try await open(disk)
        try await writeOwnItem(later)
        await later.close()
        let (now, last) = (disk.image, anchor.record)
        // The record is gone; the counter is; both are; or an older copy is wanted, and the record moved away.
        for (image, record, isThere) in [
            (now, nil, true), (now, last, false), (now, nil, false), (old, nil, true),
        ] as [(DiskImage, [UInt8]?, Bool)] {
            let disk = SimulatedDisk(image)
            anchor.record = record
            if !isThere { anchor.removeCounter() }
            for _ in 0..<2 {
                #expect(await code { try await open(disk) } == .rolledBack)
                // To open it without the anchor changes nothing.
                try await Setup.open(disk).close()
            }
            let plain = try await Setup.open(disk)
            for _ in 0..<2 { try await plain.forgetCounter() }
            await plain.close()
            let again = try await open(disk)
            #expect(try await again.get("item") == "1")
            let value = anchor.value
            try await writeOwnItem(again)
            #expect(anchor.value == value + 1 && again.lastAnchorFailure == nil)
            await again.close()
            let kept = anchor.record
            anchor.record = nil
            #expect(await code { try await open(disk) } == .rolledBack)
            anchor.record = kept
            try await open(disk).close()
        }
    }

    @Test("H-4: store and record of before a counter was forgotten are older than what follows")
    func forgottenAndOlder() async throws {
        let store = try await open(disk)
        try await writeOwnItem(store)
        await store.close()
        let (old, record) = (disk.image, anchor.record)
        let plain = try await Setup.open(disk)
        try await plain.forgetCounter()
        await plain.close()
        try await open(disk).close()
        let last = anchor.record
        anchor.record = record
        #expect(await code { try await open(SimulatedDisk(old)) } == .rolledBack)
        anchor.record = last
        try await open(disk).close()
    }
}
