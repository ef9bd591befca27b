import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

@Suite("What happens at the same time", .timeLimit(.minutes(10)))
struct RaceTests {
    private static let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)

    /// A store sealed under a key file, and a handle of it whose next unlocking waits at the gate.
    private func sealed(
        _ scratch: Scratch,
        _ gate: Gate
    ) async throws -> (GcryptKeystore, GcryptKeystore, KeystoreCredential) {
        let path = scratch.path + "/class.key"
        try scratch.put([UInt8](repeating: 9, count: 32), path)
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("hidden", "item", .whenUnlocked)
        try await store.seal(under: SecretBytes(randomCount: 32), recovery: [.keyFile(path)])
        let files = FaultyFiles()
        let other = try await GcryptKeystore.open(scratch.configuration, files: files)
        files.script.withLock { $0.beforeOpen = (path, { gate.pass() }) }
        return (store, other, .keyFile(path))
    }

    @Test(
        "K-8: unlocking while another handle seals anew takes the new key, so that what is written can be read"
    )
    func unlockWhileSealing() async throws {
        let (scratch, gate) = (try Scratch(), Gate())
        let (store, other, credential) = try await sealed(scratch, gate)
        async let unlocking: Void = other.unlock(with: credential)
        await gate.arrived()
        try await store.seal(under: SecretBytes(randomCount: 32), recovery: [credential])
        gate.open()
        try await unlocking
        #expect(try await other.get("item") == "hidden")
        try await other.put("new", "item", .whenUnlocked)
        #expect(try await store.get("item") == "new")
    }

    @Test("K-8: lock() while an unlocking is under way holds")
    func lockWhileUnlocking() async throws {
        let (scratch, gate) = (try Scratch(), Gate())
        let (_, other, credential) = try await sealed(scratch, gate)
        async let found = code { try await other.unlock(with: credential) }
        await gate.arrived()
        other.lock()
        gate.open()
        let result = await found
        #expect(result == .classLocked)
        #expect(other.isLocked)
        try await other.unlock(with: credential)
        #expect(try await other.get("item") == "hidden")
    }

    @Test(
        "K-3: a commit is decided by what is in the store at its turn, whatever it was prepared for",
        arguments: 0..<10
    )
    func overtakenCommit(_: Int) async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("old", "item")
        let files = FaultyFiles()
        let other = try await GcryptKeystore.open(scratch.configuration, files: files)
        let before = try #require(try await other.read(name("item"))).version
        func overtaken(_ body: @escaping @Sendable () async throws -> Void) -> Turn {
            let turn = Turn()
            files.script.withLock { $0.beforeLock = { turn.take(body) } }
            return turn
        }
        var turn = overtaken { try await store.put("newer", "item") }
        let outcome = try await other.write(
            secret("lost"),
            to: name("item"),
            accessibility: .afterFirstUnlock,
            if: .version(before)
        )
        var end = try #require(turn.outcome, "the other handle had no turn")
        if let end { throw end }
        #expect(outcome == .conflict(current: try await store.read(name("item"))?.version))
        turn = overtaken { try await store.put("first", "one") }
        try await other.put("second", "two")
        end = try #require(turn.outcome, "the other handle had no turn")
        if let end { throw end }
        let again = try await GcryptKeystore.open(scratch.configuration)
        for (item, value) in [("item", "newer"), ("one", "first"), ("two", "second")] {
            #expect(try await again.get(item) == value)
        }
    }

    @Test("K-8: lock() before the turn of a commit holds", arguments: 0..<10)
    func lockBeforeCommit(_: Int) async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.seal(under: SecretBytes(randomCount: 32))
        files.script.withLock { $0.beforeLock = { store.lock() } }
        #expect(await code { try await store.put("hidden", "item", .whenUnlocked) } == .classLocked)
        #expect(try await store.names(in: name("item").namespace).isEmpty)
    }

    @Test("K-8: lock() while the class is sealed or unsealed holds")
    func lockWhileSealing() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("hidden", "item", .whenUnlocked)
        files.script.withLock { $0.beforeSync = { store.lock() } }
        let key = SecretBytes(randomCount: 32)
        try await store.seal(under: key)
        #expect(store.isLocked && store.isSealed)
        files.script.withLock { $0.beforeSync = nil }
        try await store.unlock(with: .rawKey(key))
        #expect(try await store.get("item") == "hidden")
    }

    @Test("K-8: reads go on while the class's key is replaced")
    func readWhileSealing() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("hidden", "item", .whenUnlocked)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let isDone = Flag()
            for _ in 0..<1 {
                group.addTask {
                    while !isDone.isSet {
                        let value = try await store.get("item")
                        #expect(value == "hidden")
                        // A get does not suspend; the pool may have no thread to spare.
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                defer { isDone.set() }
                for _ in 0..<20 {
                    try await store.seal(under: SecretBytes(randomCount: 32))
                    try await store.unseal()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(
        "K-9: whatever another handle does between two reads of an export, the backup is the store at one moment",
        // The first one is the look for what others did, before the export begins.
        arguments: 2...8
    )
    func exportWhileWriting(_ read: Int) async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.argon2 = Self.cheap
        let (files, others) = (FaultyFiles(), FaultyFiles())
        let other = try await GcryptKeystore.open(configuration, files: others)
        func pair(_ value: String) throws -> [SecretChange] {
            try ["one", "two"].map {
                .write(secret(value), to: try name($0), accessibility: .whenUnlocked, if: .none)
            }
        }
        for index in 0..<5 { try await other.put("v", "item\(index)") }
        _ = try await other.commit(pair("old"))
        // Beside a write that has not ended, an opened store reads more.
        try await others.unlocked()
        let store = try await GcryptKeystore.open(configuration, files: files)
        let changes = try pair("new")
        let turn = Turn()
        files.script.withLock {
            $0.beforeRead = (
                read,
                {
                    turn.take {
                        // Other values, in another file, under another key of their class.
                        _ = try await other.commit(changes)
                        try await other.seal(under: SecretBytes(randomCount: 32))
                        try await other.unseal()
                    }
                }
            )
        }
        let path = scratch.path + "/backup"
        #expect(try await store.export(to: path, passphrase: secret("bp")) == 7)
        let end = try #require(turn.outcome, "the other handle had no turn")
        if let end { throw end }
        #expect(try await store.get("one") == "new")

        configuration.path = scratch.path + "/restored"
        let copy = try await GcryptKeystore.open(configuration)
        #expect(try await copy.import(from: path, passphrase: secret("bp")) == 7)
        #expect(try await copy.get("one") == "old")
        #expect(try await copy.get("two") == "old")
        for index in 0..<5 { #expect(try await copy.get("item\(index)") == "v") }
    }

    @Test("K-1: two first runs that make one key file both use the one that was there first")
    func oneKeyFile() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let key = [UInt8](repeating: 5, count: 32)
        // The other one comes between the look and the making, and has a temporary of its own.
        files.script.withLock { $0.beforeLink = { try? scratch.put(key, scratch.keyFile) } }
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("v", "item")
        #expect(try scratch.bytes(scratch.keyFile) == key)
        #expect(try await GcryptKeystore.open(scratch.configuration).get("item") == "v")
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(!left.contains { $0.hasSuffix(".new") }, "\(left)")
    }

    @Test(
        "K-10: a folder's failed sync behind the rename is durabilityUnknown; the key of a seal is the right one"
    )
    func folderSync() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("hidden", "item", .whenUnlocked)
        let key = SecretBytes(randomCount: 32)
        files.fail("fsync-folder", EIO)
        #expect(await code { try await store.seal(under: key) } == .durabilityUnknown)
        files.fail("fsync-folder", nil)
        #expect(await code { try await store.get("item") } == .durabilityUnknown)
        let again = try await GcryptKeystore.open(scratch.configuration)
        #expect(again.isSealed)
        try await again.unlock(with: .rawKey(key))
        #expect(try await again.get("item") == "hidden")
    }
}

/// Holds a thread of a store at one place until the test lets it go.
final class Gate: Sendable {
    private let (arrivals, arrival) = AsyncStream<Void>.makeStream()
    private let semaphore = DispatchSemaphore(value: 0)

    /// Called on the store's queue.
    func pass() {
        arrival.yield()
        // A test that fails before it opens the gate must still end.
        _ = semaphore.wait(timeout: .now() + 240)
    }

    func arrived() async { for await _ in arrivals { return } }
    func open() { semaphore.signal() }
}

/// What somebody does while a thread of a store waits for it.
final class Turn: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let state = Mutex<(any Error)??>(nil)
    /// `nil` when there was none, else the error that ended it, if any.
    var outcome: (any Error)?? { state.withLock { $0 } }

    private func end(_ error: (any Error)?) {
        state.withLock { $0 = .some(error) }
        semaphore.signal()
    }

    /// Does something to its end. Called on a store's queue, never on Swift's pool.
    func take(_ body: @escaping @Sendable () async throws -> Void) {
        Task.detached {
            do {
                try await body()
                self.end(nil)
            } catch {
                self.end(error)
            }
        }
        _ = semaphore.wait(timeout: .now() + 240)
    }
}

/// Whether something is over.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}

/// A thread beside Swift's pool, for what waits where it is.
final class Aside: TaskExecutor {
    private let queue = DispatchQueue(label: "aside")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
