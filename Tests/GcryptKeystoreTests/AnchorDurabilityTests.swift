import Foundation
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// An anchor in a file, with a counter that keeps each value at once, as a chip's does.
private final class ChipAnchor: RollbackAnchor, RollbackCounter {
    private let file: FileAnchor
    private let disk: SimulatedDisk
    /// The counter's values, each with the number of the disk's changes that came before it.
    private let values: Mutex<[(changes: Int, value: UInt64)]>

    init(_ disk: SimulatedDisk, value: UInt64 = 7) {
        (self.disk, file) = (disk, FileAnchor(path: DiskImage.folder + "/anchor", files: disk))
        values = Mutex([(0, value)])
    }

    var place: String { file.place }
    var counter: (any RollbackCounter)? { self }
    var value: UInt64 { values.withLock { $0.last?.value ?? 0 } }

    /// The values that the counter may have at a power failure after so many changes of the disk.
    func values(at changes: Int) -> [UInt64] {
        values.withLock { values in
            let next = values.dropFirst().map { $0.changes } + [.max]
            return zip(values, next).filter { $0.changes <= changes && changes <= $1 }.map { $0.0.value }
        }
    }

    func records() throws(SecretStoreError) -> [UInt8]? { try file.records() }

    func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {
        try file.keep(record, turn: turn, for: reason)
    }

    func counts(_ reason: AnchorReason) -> Bool { reason > .other }

    func setUp(for store: [UInt8]) throws(SecretStoreError) -> UInt32 { 1 }

    func value(of counter: UInt32, store: [UInt8]) throws(SecretStoreError) -> UInt64? { value }

    func raise(_ counter: UInt32, store: [UInt8]) throws(SecretStoreError) {
        let changes = disk.log.changes.count
        values.withLock { $0.append((changes, ($0.last?.value ?? 0) + 1)) }
    }
}

@Suite("Records of an anchor after a power failure (H-4, K-5)", .timeLimit(.minutes(10)))
struct AnchorDurabilityTests {
    private func open(_ disk: SimulatedDisk, _ anchor: ChipAnchor) async throws -> GcryptKeystore {
        var configuration = Setup.configuration()
        configuration.createsIfMissing = false
        configuration.anchor = anchor
        return try await GcryptKeystore.open(configuration, files: disk)
    }

    private func writeOwnItem(_ store: GcryptKeystore) async throws {
        let own = try SecretName("ada", in: SecretNamespace("portcullis.passcode"))
        _ = try await store.write(secret("r"), to: own, accessibility: .afterFirstUnlock)
    }

    /// Opens every disk that a power failure may leave, each with the values that the counter may have then.
    private func demandOpen(_ disk: SimulatedDisk, _ anchor: ChipAnchor, _ what: String) async {
        var generator = Seeded(state: 7)
        for (changes, crash) in disk.log.crashes().enumerated() {
            for choice in crash.choices(&generator) {
                for value in anchor.values(at: changes) {
                    let left = SimulatedDisk(crash.image(keeping: choice))
                    let found = await code { try await open(left, ChipAnchor(left, value: value)).close() }
                    #expect(found == nil, "\(what), failure after change \(changes), counter \(value)")
                }
            }
        }
    }

    private func image() async throws -> DiskImage {
        let disk = SimulatedDisk()
        let store = try await Setup.open(disk)
        try await store.put("1", "item")
        await store.close()
        return disk.image
    }

    @Test("H-4, K-5: a record outlasts a power failure that its counter outlasts, from the first use on")
    func powerFailure() async throws {
        let disk = SimulatedDisk(try await image())
        let anchor = ChipAnchor(disk)
        let store = try await open(disk, anchor)
        #expect(anchor.value == 8)
        try await writeOwnItem(store)
        try await store.put("2", "item")
        _ = try await store.addSlot(.rawKey(SecretBytes(randomCount: 32)))
        #expect(anchor.value > 9 && store.lastAnchorFailure == nil)
        await store.close()
        await demandOpen(disk, anchor, "in order")
    }

    /// A disk with a store that the anchor knows, the counter's value, and the number of calls that a change makes.
    private func start() async throws -> (image: DiskImage, value: UInt64, calls: Int) {
        let disk = SimulatedDisk(try await image())
        let anchor = ChipAnchor(disk)
        // Setting up the counter is a write. The first write of an opened store makes calls that later ones do not.
        await (try await open(disk, anchor)).close()
        let store = try await open(disk, anchor)
        disk.plan(nil)
        try await writeOwnItem(store)
        let calls = disk.calls.count
        await store.close()
        return (disk.image, anchor.value, calls)
    }

    @Test("H-4, K-5: so does a record whose writer was killed, once the next process has counted it")
    func killed() async throws {
        let start = try await start()
        var counted = 0
        for call in 0..<start.calls {
            let disk = SimulatedDisk(start.image)
            let anchor = ChipAnchor(disk, value: start.value)
            let victim = try await open(disk, anchor)
            disk.plan(.init(call: call, number: EIO, reach: .everything))
            try? await writeOwnItem(victim)
            disk.kill()
            disk.plan(nil)
            let killed = anchor.value
            await (try await open(disk, anchor)).close()
            counted += anchor.value > killed ? 1 : 0
            await demandOpen(disk, anchor, "killed at call \(call)")
        }
        #expect(counted > 0, "no kill came between the record and its counter")
    }

    @Test("H-4, K-10: a record whose sync failed is not counted before a later one is on disk")
    func failedSync() async throws {
        let start = try await start()
        var failed = 0
        for call in 0..<start.calls {
            let disk = SimulatedDisk(start.image)
            let anchor = ChipAnchor(disk, value: start.value)
            let (store, other) = (try await open(disk, anchor), try await open(disk, anchor))
            disk.plan(.init(call: call, number: EIO))
            try? await writeOwnItem(store)
            let calls = disk.calls
            disk.plan(nil)
            guard calls.count > call, calls[call] == "fdatasync", store.lastAnchorFailure != nil else {
                continue
            }
            failed += 1
            #expect(anchor.value == start.value)
            // A change that does not count by itself, in a handle that does not know of the failure.
            try await other.put("2", "item")
            #expect(other.lastAnchorFailure == nil && anchor.value == start.value + 1)
            await demandOpen(disk, anchor, "after a failed sync")
        }
        #expect(failed > 0, "no sync of a record failed")
    }

    @Test("H-4, K-4: a record is synced for what a counter counts, and for no other change")
    func syncs() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        var configuration = scratch.configuration
        await (try await GcryptKeystore.open(configuration, files: files)).close()
        configuration.anchorPath = scratch.path + "/anchor"
        _ = files.counted()
        let store = try await GcryptKeystore.open(configuration, files: files)
        // That of the store's name, which the first record counts on, and that of the anchor's.
        #expect(files.counted()["fsync-folder"] == 2)
        try await store.put("1", "item")
        #expect(files.counted()["fdatasync"] == 1)
        try await writeOwnItem(store)
        let counts = files.counted()
        #expect(counts["fdatasync"] == 2 && counts["fsync-folder"] == nil)
        // A record that could not be synced is told of.
        files.failAfter(3)
        try await writeOwnItem(store)
        files.failAfter(nil)
        #expect(store.lastAnchorFailure?.code == .systemFailure)
    }

    @Test("H-4, X-3: each clause of an anchor in a file", arguments: RollbackAnchorContract.allCases)
    func contract(_ clause: RollbackAnchorContract) async throws {
        let result = try await clause.check(
            RollbackAnchorSubject {
                let (disk, path) = (SimulatedDisk(), DiskImage.folder + "/anchor")
                return .init(
                    anchor: FileAnchor(path: path, files: disk),
                    another: { FileAnchor(path: path, files: disk) },
                    failPower: {
                        let left = disk.log.crashes().last?.durable ?? DiskImage()
                        return FileAnchor(path: path, files: SimulatedDisk(left))
                    }
                )
            }
        )
        let ofCounters: Set<RollbackAnchorContract> = [
            .counterSetUp, .counterRises, .counterOfOther, .counterReplaced,
        ]
        #expect((result == .kept) == !ofCounters.contains(clause))
    }
}
