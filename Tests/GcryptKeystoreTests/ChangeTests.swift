import Foundation
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// A signal that does not come lets its test run into the limit.
@Suite("Signals of changes", .timeLimit(.minutes(5)))
struct ChangeTests {
    private let tests: SecretNamespace
    private let others: SecretNamespace

    init() throws {
        tests = try SecretNamespace("tests")
        others = try SecretNamespace("others")
    }

    @Test("K-9: what another process commits, removes and compacts is signalled, in its namespace only")
    func otherProcess() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("kept", "kept")
        let silent = store.changes(in: others)
        var signals = store.changes(in: tests).makeAsyncIterator()
        let place = scratch.path

        await #expect(processExitsWith: .success) { [place = place as String] in
            try await Scratch.other(place).put("1", "item")
        }
        await signals.next()
        #expect(try await store.get("item") == "1")

        // The second process finds the file that the first one put in place, and so does the watch.
        await #expect(processExitsWith: .success) { [place = place as String] in
            let other = try await Scratch.other(place)
            try await other.compact()
            try await other.put("2", "item")
        }
        while try await store.get("item") != "2" { await signals.next() }
        await #expect(processExitsWith: .success) { [place = place as String] in
            _ = try await Scratch.other(place).remove(name("item"))
        }
        while try await store.get("item") != nil { await signals.next() }

        #expect(try await store.get("kept") == "kept")
        #expect(store.lastWatchFailure == nil)
        await store.close()
        #expect(await silent.reduce(0) { count, _ in count + 1 } == 0)
    }

    @Test("K-9: a backup that another process takes in is signalled")
    func otherProcessRestores() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("saved", "item")
        _ = try await store.export(to: scratch.path + "/backup", passphrase: secret("bp"))
        _ = try await store.remove(name("item"))
        var signals = store.changes(in: tests).makeAsyncIterator()
        await #expect(processExitsWith: .success) { [place = scratch.path as String] in
            _ = try await Scratch.other(place).import(from: place + "/backup", passphrase: secret("bp"))
        }
        await signals.next()
        #expect(try await store.get("item") == "saved")
    }

    @Test("K-9: a compaction changes nothing, so nothing is signalled; what comes after it is")
    func compaction() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        let other = try await GcryptKeystore.open(scratch.configuration)
        _ = try await store.write(
            secret("v"),
            to: SecretName("item", in: others),
            accessibility: .afterFirstUnlock
        )
        try await store.put("0", "item")
        let silent = store.changes(in: others)
        var signals = store.changes(in: tests).makeAsyncIterator()
        for round in 1...20 {
            try await other.compact()
            try await other.put("\(round)", "item")
            while try await store.get("item") != "\(round)" { await signals.next() }
        }
        await store.close()
        #expect(await silent.reduce(0) { count, _ in count + 1 } == 0)
    }

    @Test("K-9: a newer file of the store that is moved in its place is signalled")
    func replaced() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("old", "item")
        var apart = scratch.configuration
        apart.path += ".apart"
        try scratch.put(try scratch.bytes(), apart.path)
        let other = try await GcryptKeystore.open(apart)
        try await other.compact()
        try await other.put("new", "item")
        var signals = store.changes(in: tests).makeAsyncIterator()
        #expect(unsafe rename(apart.path, scratch.store) == 0)
        await signals.next()
        #expect(try await store.get("item") == "new")
    }

    @Test("K-9: what is committed after a listener came and before the watch is there is not missed")
    func betweenListenerAndWatch() async throws {
        let scratch = try Scratch()
        let other = try await GcryptKeystore.open(scratch.configuration)
        let before = try scratch.bytes().count
        try await other.put("v", "item")
        let added = try scratch.bytes()[before...]
        try scratch.put(try scratch.bytes().dropLast(added.count))
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        let path = scratch.store
        files.script.withLock {
            $0.beforeWatch = {
                let file = FileHandle(forUpdatingAtPath: path)
                _ = try? file?.seekToEnd()
                file?.write(Data(added))
            }
        }
        var signals = store.changes(in: tests).makeAsyncIterator()
        await signals.next()
        #expect(try await store.get("item") == "v")
    }

    @Test("K-9: the file is watched as long as somebody listens, and once for all")
    func watchEnds() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        var store: GcryptKeystore? = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store?.put("v", "item")
        #expect(files.counted()["watch"] == nil)
        var first = store?.changes(in: tests)
        var second = store?.changes(in: others)
        var counts = files.counted()
        #expect(counts["watch"] == 1 && counts["unwatch"] == nil)
        first = nil
        #expect(files.counted()["unwatch"] == nil)
        second = nil
        #expect(files.counted()["unwatch"] == 1)
        first = store?.changes(in: tests)
        counts = files.counted()
        #expect(counts["watch"] == 1 && counts["unwatch"] == nil)
        // A store that nobody holds any more ends its watch and its streams.
        store = nil
        if let first { for await _ in first {} }
        try await BoundedWait.until { files.script.withLock { $0.counts["unwatch"] } == 1 }
        _ = (first, second)
    }

    @Test(
        "K-9: a listener without a watch hears of this process; the store says so, and the next one tries again"
    )
    func watchFails() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        #expect(store.capabilities.contains(.signalsOtherProcesses))
        files.fail("watch", EMFILE)
        var signals = store.changes(in: tests).makeAsyncIterator()
        #expect(!store.capabilities.contains(.signalsOtherProcesses))
        #expect(store.lastWatchFailure?.code == .systemFailure)
        #expect(store.lastWatchFailure?.path == scratch.store)
        try await store.put("1", "item")
        await signals.next()
        files.fail("watch", nil)
        let again = store.changes(in: others)
        #expect(store.capabilities.contains(.signalsOtherProcesses) && store.lastWatchFailure == nil)
        try await GcryptKeystore.open(scratch.configuration).put("2", "item")
        await signals.next()
        _ = again
    }

    @Test("K-9, K-10: a file that is moved away is signalled, and so is its return; reading says which it is")
    func movedAway() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        var signals = store.changes(in: tests).makeAsyncIterator()
        #expect(unsafe rename(scratch.store, scratch.path + "/elsewhere") == 0)
        await signals.next()
        #expect(await code { try await store.put("w", "item") } == .missingStore)
        #expect(unsafe rename(scratch.path + "/elsewhere", scratch.store) == 0)
        try await GcryptKeystore.open(scratch.configuration).put("w", "item")
        while try await store.get("item") != "w" { await signals.next() }
    }

    @Test("K-9: a folder that goes ends the watch with an error that can be asked for")
    func folderGoes() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.path = scratch.path + "/folder/test.keystore"
        let store = try await GcryptKeystore.open(configuration)
        var signals = store.changes(in: tests).makeAsyncIterator()
        #expect(unsafe rename(scratch.path + "/folder", scratch.path + "/elsewhere") == 0)
        while store.lastWatchFailure == nil { await signals.next() }
        #expect(!store.capabilities.contains(.signalsOtherProcesses))
    }
}

extension Scratch {
    /// The store of another process's test in this folder.
    fileprivate static func other(_ path: String) async throws -> GcryptKeystore {
        try await GcryptKeystore.open(
            KeystoreConfiguration(
                path: path + "/test.keystore",
                credential: .keyFile(path + "/test.key"),
                createsIfMissing: false
            )
        )
    }
}
