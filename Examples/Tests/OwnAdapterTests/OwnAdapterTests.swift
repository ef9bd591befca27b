import ExampleSupport
import Foundation
import GRDB
import PortcullisCore
import PortcullisTesting
import SealingStore
import Synchronization
import Testing

@testable import own_adapter

@Suite("OwnAdapter", .timeLimit(.minutes(5)))
struct OwnAdapterTests {
    private let folder: TemporaryFolder
    private var file: String { "\(folder.path)/items.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    private func counter(_ times: Int) throws -> ExampleProcess {
        try ExampleProcess("own-adapter", ["--count", "\(times)", "--file", file])
    }

    @Test("X-3: the store on SQLite keeps the contract", arguments: SecretStoreContract.allCases)
    func contract(_ clause: SecretStoreContract) async throws {
        let folder = folder.path
        let result = try await clause.check(.onSQLite(in: folder))
        // Of 37 clauses these two ask for what a store on SQLite does not claim.
        let others: Set<SecretStoreContract> = [.silentStreamsEnd, .lockedClass]
        #expect((result == .kept) != others.contains(clause))
    }

    @Test("X-3: several processes that open one new file at once lose no count")
    func processes() async throws {
        let counters = try (0..<4).map { _ in try counter(40) }
        for counter in counters { #expect(await counter.status == 0) }
        #expect(try await counter(0).wholeOutput == "160\n")
    }

    @Test("X-3: a process that is killed holds nobody up, and what it had counted stays")
    func killed() async throws {
        let victim = try counter(1_000_000)
        let store = try await SealedSQLite.open(file, keyFile: file + ".key")
        let name = try SecretName("count", in: SecretNamespace("own-adapter"))
        for await _ in store.changes(in: name.namespace) {
            if let found = try await store.read(name), found.value.count > 1 { break }
        }
        victim.signal(SIGKILL)
        _ = await victim.status
        let before = try #require(try await store.read(name))
        let after = try #require(Int(try await counter(7).wholeOutput.dropLast()))
        #expect(before.value.matches(SecretBytes(copying: "\(after - 7)".utf8)))
    }

    @Test("X-3: a change by another process is signalled")
    func signals() async throws {
        let store = try await SealedSQLite.open(file, keyFile: file + ".key")
        let stream = store.changes(in: try SecretNamespace("own-adapter"))
        let counter = try counter(1)
        var signals = stream.makeAsyncIterator()
        #expect(await signals.next() != nil)
        #expect(await counter.status == 0)
    }

    @Test("X-3: who begins to listen waits for no reader, also when all of them are busy")
    func listening() async throws {
        let pool = try SQLiteFile.open(file)
        let signals = ChangeWatch(pool, latest: [:])
        let namespace = try SecretNamespace("tests")
        let release = DispatchSemaphore(value: 0)
        let readers = pool.configuration.maximumReaderCount
        let busy = Mutex(0)
        for _ in 0..<readers {
            pool.asyncRead { _ in
                busy.withLock { $0 += 1 }
                release.wait()
            }
        }
        #expect(await BoundedWait.holds { busy.withLock { $0 } == readers })
        let hasReturned = Mutex(false)
        // The call has a thread of its own, in case it waits.
        Thread.detachNewThread {
            _ = signals.stream(of: namespace)
            hasReturned.withLock { $0 = true }
        }
        #expect(await BoundedWait.holds { hasReturned.withLock { $0 } })
        for _ in 0..<readers { release.signal() }
    }

    @Test("X-3: a later version is signalled once, one that was known or comes late to nobody")
    func numbers() async throws {
        let namespace = try SecretNamespace("tests")
        var signals: ChangeWatch? = ChangeWatch(try SQLiteFile.open(file), latest: ["tests": 3])
        var found = try #require(signals?.stream(of: namespace)).makeAsyncIterator()
        signals?.tell(["tests": 4, "others": 9])
        #expect(await found.next() != nil)
        signals?.tell(["tests": 3])
        signals?.tell(["tests": 4])
        var late = try #require(signals?.stream(of: namespace)).makeAsyncIterator()
        signals?.tell(["tests": 4])
        // The watch's streams end with the watch, after the signals that they still have.
        signals = nil
        #expect(await found.next() == nil)
        #expect(await late.next() == nil)
    }

    @Test(
        "an item that holds no number is not counted up, and stays",
        arguments: ["many", "-1", "\(Int.max)"]
    )
    func noNumber(text: String) async throws {
        let store = try await SealedSQLite.open(file, keyFile: file + ".key")
        let name = try SecretName("count", in: SecretNamespace("own-adapter"))
        try await store.write(SecretBytes(copying: text.utf8), to: name, accessibility: .afterFirstUnlock)
        let counter = try counter(1)
        #expect(await counter.status == 1)
        #expect(try counter.output.hasPrefix("Error: the item “count” holds no number"))
        #expect(try await store.read(name)?.value.matches(SecretBytes(copying: text.utf8)) == true)
    }

    @Test("X-3: an error that has the port's words already keeps its cause")
    func cause() {
        let error = SecretStoreError(
            SecretStoreError(code: .damaged, message: "", cause: CocoaError(.coderInvalidValue)),
            file
        )
        #expect((error.cause as? CocoaError)?.code == .coderInvalidValue)
        #expect(error.path == file)
    }

    @Test("X-3: what is written is on disk when the call returns: a write-ahead log, synced with each commit")
    func durable() throws {
        let pool = try SQLiteFile.open(file)
        let mode = try pool.read { db in try String.fetchOne(db, sql: "PRAGMA journal_mode") }
        #expect(mode == "wal")
        // 2 stands for FULL. The setting is that of the one connection that writes.
        let level = try pool.writeWithoutTransaction { db in try Int.fetchOne(db, sql: "PRAGMA synchronous") }
        #expect(level == 2)
    }

    @Test("X-3: what cannot be read is an error that says so, never “no such item”")
    func damage() async throws {
        let name = try SecretName("item", in: SecretNamespace("tests"))
        try Data(repeating: 0x41, count: 8_192).write(to: URL(filePath: file))
        let error = await #expect(throws: SecretStoreError.self) {
            _ = try await SQLiteStore.open(file).read(name)
        }
        #expect(error?.code == .damaged)
        #expect(error?.path == file)
    }

    @Test("X-3: a file of a later format is left alone")
    func format() async throws {
        _ = try await SQLiteStore.open(file)
        try await DatabaseQueue(path: file).write { db in try db.execute(sql: "PRAGMA user_version = 2") }
        let error = await #expect(throws: SecretStoreError.self) { _ = try await SQLiteStore.open(file) }
        #expect(error?.code == .newerFormat)
    }
}
