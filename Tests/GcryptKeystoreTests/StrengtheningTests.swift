import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@Suite("Slots with weaker numbers than today's", .timeLimit(.minutes(10)))
struct StrengtheningTests {
    private func cost(_ store: GcryptKeystore, _ purpose: KeystoreSlot.Purpose = .store) async throws
        -> Argon2Parameters?
    {
        try await store.slots().first { $0.kind == .passphrase && $0.purpose == purpose }?.argon2
    }

    @Test("K-1, P-2: opening a weaker passphrase slot wraps it anew, under its id, and leaves no weak wrap")
    func opening() async throws {
        let disk = SimulatedDisk(try await Setup.disk())
        let before = try #require(disk.image[Setup.path])
        let slots = try await Setup.open(disk).slots()
        let store = try await Setup.open(disk, Setup.phrase)
        #expect(store.lastStrengtheningFailure == nil)
        #expect(try await store.slots().map(\.id) == slots.map(\.id))
        #expect(try await cost(store) == Setup.cheap)
        #expect(try await store.get("a") == "first")
        await store.close()

        let after = try #require(disk.image[Setup.path])
        let place = try #require((0..<32).first { before[96 + 96 * $0 + 8] == UInt8(Setup.weak.memory) })
        let wrap = Data(before[(96 + 96 * place + 36)..<(96 + 96 * (place + 1))])
        #expect(Data(before).range(of: wrap) != nil && Data(after).range(of: wrap) == nil)
        #expect(after[..<4096] == after[4096..<8192])

        // Once is enough, and the other ways in are as they were.
        let again = try await Setup.open(disk, Setup.phrase)
        #expect(disk.image[Setup.path] == after)
        #expect(try await again.get("a") == "first")
        #expect(try await Setup.open(disk).get("a") == "first")
        #expect(
            await code { try await Setup.open(disk, .passphrase(secret("other"))) } == .wrongKey
        )
    }

    @Test(
        "K-1: strengthening costs two header pages and one frame, however many items there are",
        arguments: [1, 300]
    )
    func constantCost(_ items: Int) async throws {
        let disk = SimulatedDisk(try await Setup.disk())
        let store = try await Setup.open(disk)
        for index in 0..<items { try await store.put("v", "item\(index)") }
        await store.close()
        let before = try #require(disk.image[Setup.path])
        disk.plan(nil)
        let first = disk.log.changes.count
        await (try await Setup.open(disk, Setup.phrase)).close()
        let after = try #require(disk.image[Setup.path])
        #expect(after[8192..<before.count] == before[8192...])
        #expect(after.count - before.count == 128)
        let written = disk.log.changes[first...].reduce(0) { sum, change in
            if case .write(_, _, let bytes) = change { sum + bytes.count } else { sum }
        }
        // In the lock's file: three words to begin with, and one at the end.
        #expect(written == 2 * 4096 + 128 + 12 + 4)
    }

    @Test(
        "K-1: no number of a slot ever becomes less, whatever the configuration says",
        arguments: [
            (
                Argon2Parameters(memory: 64, passes: 2, lanes: 1),
                Argon2Parameters(memory: 32, passes: 1, lanes: 1), false
            ),
            (
                Argon2Parameters(memory: 64, passes: 1, lanes: 1),
                Argon2Parameters(memory: 32, passes: 9, lanes: 1), false
            ),
            (
                Argon2Parameters(memory: 32, passes: 9, lanes: 1),
                Argon2Parameters(memory: 64, passes: 1, lanes: 1), false
            ),
            (
                Argon2Parameters(memory: 64, passes: 1, lanes: 1),
                Argon2Parameters(memory: 64, passes: 1, lanes: 4), false
            ),
            (
                Argon2Parameters(memory: 64, passes: 1, lanes: 1),
                Argon2Parameters(memory: 64, passes: 2, lanes: 1), true
            ),
            (
                Argon2Parameters(memory: 32, passes: 4, lanes: 1),
                Argon2Parameters(memory: 64, passes: 2, lanes: 1), true
            ),
        ]
    )
    func neverWeaker(_ old: Argon2Parameters, _ today: Argon2Parameters, _ isStrengthened: Bool) async throws
    {
        let disk = SimulatedDisk()
        let first = try await Setup.open(disk, Setup.phrase, argon2: old)
        try await first.put("v", "item")
        await first.close()
        let bytes = disk.image[Setup.path]
        let store = try await Setup.open(disk, Setup.phrase, argon2: today)
        #expect(try await cost(store) == (isStrengthened ? today : old))
        #expect(isStrengthened || disk.image[Setup.path] == bytes)
        await store.close()
        // Whoever still has the old configuration takes nothing back.
        let last = try await Setup.open(disk, Setup.phrase, argon2: old)
        #expect(try await cost(last) == (isStrengthened ? today : old))
        #expect(try await last.get("item") == "v")
    }

    @Test("K-1, K-7: a store whose lock somebody holds is opened, and its slot strengthened another time")
    func busy() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        (configuration.credential, configuration.argon2) = (Setup.phrase, Setup.weak)
        let first = try await GcryptKeystore.open(configuration)
        try await first.put("v", "item")
        await first.close()
        let lock = unsafe open(scratch.store + ".lock", O_RDWR | O_CLOEXEC)
        try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        configuration.argon2 = Setup.cheap
        let store = try await GcryptKeystore.open(configuration)
        #expect(store.lastStrengtheningFailure?.code == .lockTimeout)
        #expect(try await store.get("item") == "v")
        #expect(try await cost(store) == Setup.weak)
        close(lock)
        let again = try await GcryptKeystore.open(configuration)
        #expect(again.lastStrengtheningFailure == nil)
        #expect(try await cost(again) == Setup.cheap)
    }

    @Test("K-1: a slot that is removed while its new wrap is derived does not come back")
    func removedMeanwhile() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.argon2 = Setup.weak
        let other = try await GcryptKeystore.open(configuration)
        try await other.put("v", "item")
        let slot = try await other.addSlot(Setup.phrase)
        (configuration.credential, configuration.argon2) = (Setup.phrase, Setup.cheap)
        let (files, turn) = (FaultyFiles(), Turn())
        files.script.withLock { $0.beforeLock = { turn.take { try await other.removeSlot(slot.id) } } }
        let store = try await GcryptKeystore.open(configuration, files: files)
        let end = try #require(turn.outcome, "the other handle had no turn")
        if let end { throw end }
        #expect(try await store.slots().map(\.kind) == [.keyFile])
        #expect(try await store.get("item") == "v")
        let byPhrase = configuration
        #expect(await code { try await GcryptKeystore.open(byPhrase) } == .wrongKey)
    }

    @Test("K-10: a disk that is full or fails as a slot is strengthened keeps nobody from opening the store")
    func unwritable() async throws {
        let start = try await Setup.disk()
        let whole = SimulatedDisk(start)
        _ = try await Setup.open(whole, Setup.phrase)
        let writes = whole.calls.indices.filter { ["pwrite", "fdatasync"].contains(whole.calls[$0]) }
        // Two pages, a frame and their syncs, between two notes.
        #expect(writes.count == 8)
        for call in writes {
            for number in [EROFS, ENOSPC, EIO, EINTR] {
                for reach in [SimulatedDisk.Fault.Reach.once, .whatTakesSpace, .whatChanges] {
                    let what = "\(whole.calls[call]) (call \(call)): \(number), \(reach)"
                    let disk = SimulatedDisk(start)
                    disk.plan(SimulatedDisk.Fault(call: call, number: number, reach: reach))
                    do {
                        let store = try await Setup.open(disk, Setup.phrase)
                        #expect(try await store.get("a") == "first", "\(what)")
                        // At worst the note that all is on disk is missing.
                        #expect(store.lastStrengtheningFailure != nil || call == writes.last, "\(what)")
                    } catch let error as SecretStoreError {
                        // Where not even opening a file for writing works any more, no store is opened.
                        #expect(
                            reach == .whatChanges && error.code != .durabilityUnknown,
                            "\(what): \(error)"
                        )
                    }
                    disk.plan(nil)
                    let again = try await Setup.open(disk, Setup.phrase)
                    #expect(again.lastStrengtheningFailure == nil, "\(what)")
                    #expect(try await cost(again) == Setup.cheap, "\(what)")
                    #expect(
                        try await Snapshot(again) == Snapshot(Setup.open(SimulatedDisk(start))),
                        "\(what)"
                    )
                }
            }
        }
    }

    @Test("K-8: a weaker recovery slot is strengthened when it unlocks the class")
    func recovery() async throws {
        let disk = SimulatedDisk(try await Setup.disk(sealed: true))
        let store = try await Setup.open(disk)
        #expect(try await cost(store, .whenUnlocked) == Setup.weak)
        try await store.unlock(with: Setup.recovery)
        #expect(try await cost(store, .whenUnlocked) == Setup.cheap)
        #expect(try await cost(store) == Setup.weak)
        #expect(try await store.get("c") == "hidden")
        await store.close()
        let again = try await Setup.open(disk)
        #expect(await code { try await again.get("c") } == .classLocked)
        try await again.unlock(with: Setup.recovery)
        #expect(try await again.get("c") == "hidden")
    }

    @Test("K-8: a recovery slot that cannot be strengthened now still unlocks, and the failure is noted")
    func recoveryOfBusyStore() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.argon2 = Setup.weak
        let first = try await GcryptKeystore.open(configuration)
        let key = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
        try await first.seal(under: key, recovery: [Setup.recovery])
        await first.close()
        configuration.argon2 = Setup.cheap
        let store = try await GcryptKeystore.open(configuration)
        let lock = unsafe open(scratch.store + ".lock", O_RDWR | O_CLOEXEC)
        try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        try await store.unlock(with: Setup.recovery)
        #expect(store.lastStrengtheningFailure?.code == .lockTimeout)
        #expect(try await cost(store, .whenUnlocked) == Setup.weak)
        // The next time it is strengthened, and the note is gone.
        close(lock)
        store.lock()
        try await store.unlock(with: Setup.recovery)
        #expect(store.lastStrengtheningFailure == nil)
        #expect(try await cost(store, .whenUnlocked) == Setup.cheap)
    }
}
