import Foundation
import GcryptKeystore
import PortcullisCore
import Synchronization
import Testing

/// What lies where a store keeps files of its own is removed or written over only where the store left it.
@Suite("Other files at a store's own names", .timeLimit(.minutes(10)))
struct LeftoverTests {
    private static let letter = [UInt8]("a letter that must stay\n".utf8)

    /// A store with an item, and what is in its file.
    private func filled() async throws -> Scratch {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.tight)
        try await store.put("v", "item")
        await store.close()
        return scratch
    }

    private func demandRefused(
        _ path: String,
        _ scratch: Scratch,
        _ code: SecretStoreError.Code = .untrustedFile,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async throws {
        let before = try scratch.bytes(path)
        let error = await #expect(throws: SecretStoreError.self, sourceLocation: sourceLocation) {
            try await body()
        }
        #expect(error?.code == code && error?.path == path, sourceLocation: sourceLocation)
        let after = try? scratch.bytes(path)
        #expect(after == before, "the file was changed", sourceLocation: sourceLocation)
    }

    @Test(
        "K-1: no store is made, opened or rescued under a name that ends as those of files beside stores",
        arguments: [".lock", ".new", ".tail", ".protected-key", "\u{600}.new"]
    )
    func names(_ suffix: String) async throws {
        let scratch = try await filled()
        var configuration = scratch.configuration
        configuration.path = scratch.path + "/work" + suffix
        let before = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        #expect(await code { try await GcryptKeystore.open(configuration) } == .invalidName)
        let rescued = await code {
            try await GcryptKeystore.salvage(scratch.configuration, to: configuration.path)
        }
        #expect(rescued == .invalidName)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == before)
        // One that was moved there can be read out of, and is not written.
        try scratch.put(scratch.bytes(), configuration.path)
        #expect(await code { try await GcryptKeystore.open(configuration) } == .invalidName)
        #expect(try await GcryptKeystore.check(configuration).items == 1)
        #expect(try scratch.bytes(configuration.path) == scratch.bytes())
    }

    @Test(
        "K-4, K-10: a compaction removes no other store, no copy of its own and no other file; it names them"
    )
    func compaction() async throws {
        let (scratch, other) = (try await filled(), try await filled())
        let place = scratch.store + ".new"
        let own = try scratch.bytes()
        let store = try await GcryptKeystore.open(scratch.tight)
        for foreign in [
            try other.bytes(), own, Self.letter, [UInt8](repeating: 7, count: 32),
            [UInt8](repeating: 0, count: 8193),
        ] {
            try scratch.put(foreign, place)
            try await demandRefused(place, scratch) { try await store.compact() }
            #expect(try await store.get("item") == "v")
        }
        try await store.put("w", "item")
        try FileManager.default.removeItem(atPath: place)
        try await store.compact()
        #expect(try await GcryptKeystore.open(scratch.tight).get("item") == "w")
    }

    @Test("K-5: what a compaction left that was killed, or a power failure of it, is cleared by the next one")
    func killedCompaction() async throws {
        let scratch = try await filled()
        let place = scratch.store + ".new"
        let before = try scratch.bytes()
        var store = try await GcryptKeystore.open(scratch.tight)
        try await store.compact()
        await store.close()
        let whole = try scratch.bytes()
        let zeros = [UInt8](repeating: 0, count: 8192)
        for left in [[], zeros, Array(whole.prefix(4096)), Array(whole.prefix(8192)), whole] {
            try scratch.put(before)
            try scratch.put(left, place)
            store = try await GcryptKeystore.open(scratch.tight)
            try await store.compact()
            #expect(!FileManager.default.fileExists(atPath: place), "\(left.count) bytes")
            #expect(try await store.get("item") == "v")
            await store.close()
        }
    }

    @Test("K-1, K-8: what a killed writer left is cleared by the next write, and before a slot is removed")
    func killedWriter() async throws {
        let scratch = try await filled()
        let place = scratch.store + ".new"
        var store = try await GcryptKeystore.open(scratch.tight)
        let phrase = KeystoreCredential.passphrase(secret("one that others know"))
        let slot = try await store.addSlot(phrase)
        try await store.compact()
        let whole = try scratch.bytes()
        await store.close()
        // The header's page names the file's generation, which the file of a later writer raises.
        store = try await GcryptKeystore.open(scratch.tight)
        try await store.compact()
        let later = try scratch.bytes()
        await store.close()
        try scratch.put(whole)
        // As a writer that was killed leaves it: one write has begun, and has not ended.
        try scratch.put(later, place)
        try scratch.put([0, 0, 0, 0, 9, 0, 0, 0, 8, 0, 0, 0], scratch.store + ".lock")
        store = try await GcryptKeystore.open(scratch.tight)
        try await store.put("w", "item")
        #expect(!FileManager.default.fileExists(atPath: place))
        // After a power failure the lock's file may not show it.
        try scratch.put(later, place)
        try await store.removeSlot(slot.id)
        #expect(!FileManager.default.fileExists(atPath: place))
        // A file of another kind stays, and the slot too.
        let other = try await store.addSlot(phrase)
        try scratch.put(Self.letter, place)
        try await demandRefused(place, scratch) { try await store.removeSlot(other.id) }
        try await store.put("x", "item")
        #expect(try scratch.bytes(place) == Self.letter)
        #expect(try await store.slots().contains { $0.id == other.id })
    }

    @Test("K-1: a newer state of the store that was put aside under its name for new files stays")
    func putAside() async throws {
        let scratch = try await filled()
        let place = scratch.store + ".new"
        let backup = try scratch.bytes()
        var store = try await GcryptKeystore.open(scratch.tight)
        try await store.put("newer", "item")
        for _ in 0..<2 { try await store.compact() }
        try await store.put("newest", "item")
        await store.close()
        let newer = try scratch.bytes()
        try scratch.put(newer, place)
        try scratch.put(backup)
        store = try await GcryptKeystore.open(scratch.tight)
        #expect(try await store.get("item") == "v")
        try await store.put("other", "other")
        #expect(try scratch.bytes(place) == newer)
        try await demandRefused(place, scratch) { try await store.compact() }
        // The older state gets as many changes as the newer one had.
        for round in 0..<5 { try await store.put("\(round)", "other") }
        await store.close()
        store = try await GcryptKeystore.open(scratch.tight)
        try await store.put("last", "other")
        try await demandRefused(place, scratch) { try await store.compact() }
        await store.close()
        #expect(try scratch.bytes(place) == newer)
        try scratch.put(newer)
        #expect(try await GcryptKeystore.open(scratch.tight).get("item") == "newest")
    }

    /// After a power failure the lock's file may have the words of an earlier write, which had ended.
    @Test("K-1, K-8: the next write clears what one left that the lock's file does not tell of")
    func olderNotice() async throws {
        let scratch = try await filled()
        var store = try await GcryptKeystore.open(scratch.tight)
        let slot = try await store.addSlot(.passphrase(secret("one that others know")))
        let notice = try scratch.bytes(scratch.store + ".lock")
        let before = try scratch.bytes()
        try await store.removeSlot(slot.id)
        let after = try scratch.bytes()
        try await store.compact()
        let later = try scratch.bytes()
        await store.close()
        for page in [0..<4096, 4096..<8192] {
            var bytes = after
            bytes.replaceSubrange(page, with: before[page])
            try scratch.put(bytes)
            try scratch.put(notice, scratch.store + ".lock")
            try scratch.put(later, scratch.store + ".new")
            store = try await GcryptKeystore.open(scratch.tight)
            #expect(try await store.get("item") == "v")
            try await store.put("w", "other")
            await store.close()
            let now = try scratch.bytes()
            #expect(now[..<4096] == now[4096..<8192] && now[..<4096] == after[..<4096])
            #expect(!FileManager.default.fileExists(atPath: scratch.store + ".new"))
        }
    }

    @Test("K-6, K-10: a tail is set aside over an earlier one of the same store, and over no other file")
    func tail() async throws {
        let (scratch, other) = (try await filled(), try await filled())
        let place = scratch.store + ".tail"
        func tear() async throws -> (torn: [UInt8], start: Int) {
            let start = try scratch.bytes().count
            let store = try await GcryptKeystore.open(scratch.tight)
            try await store.put("cut", "item")
            await store.close()
            let torn = try Array(scratch.bytes().dropLast(40))
            try scratch.put(torn)
            return (torn, start)
        }
        let (torn, start) = try await tear()
        let store = try await GcryptKeystore.open(scratch.tight)
        for foreign in [try other.bytes(), Self.letter, [UInt8](repeating: 0, count: 33)] {
            try scratch.put(foreign, place)
            try await demandRefused(place, scratch) { try await store.put("w", "item") }
            #expect(try scratch.bytes() == torn)
        }
        try FileManager.default.removeItem(atPath: place)
        try await store.put("w", "item")
        await store.close()
        #expect(try Array(scratch.bytes(place).dropFirst(32)) == Array(torn[start...]))
        let again = try await tear()
        let last = try await GcryptKeystore.open(scratch.tight)
        try await last.put("x", "item")
        #expect(try Array(scratch.bytes(place).dropFirst(32)) == Array(again.torn[again.start...]))
        #expect(try await last.get("item") == "x")
    }

    @Test("K-9, K-1: a rescued store and a new one leave alone what lies beside their place")
    func besideNew() async throws {
        let scratch = try await filled()
        let rescued = scratch.path + "/rescued"
        // The key file, of all things.
        let key = rescued + ".new"
        try FileManager.default.copyItem(atPath: scratch.keyFile, toPath: key)
        var configuration = scratch.configuration
        configuration.credential = .keyFile(key)
        #expect(try await GcryptKeystore.salvage(configuration, to: rescued).items == 1)
        configuration.path = rescued
        #expect(try await GcryptKeystore.open(configuration).get("item") == "v")

        let notes = scratch.path + "/notes"
        try scratch.put(Self.letter, notes + ".new")
        configuration.path = notes
        try await GcryptKeystore.open(configuration).put("v", "item")
        #expect(try scratch.bytes(notes + ".new") == Self.letter)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(left.filter { $0.hasSuffix(".new") }.sorted() == ["notes.new", "rescued.new"])
    }

    @Test(
        "K-9, K-1: what comes to lie at the place of a rescued store, or a new one, meanwhile is not replaced",
        arguments: [true, false]
    )
    func meanwhile(_ hasLinks: Bool) async throws {
        let scratch = try await filled()
        let files = FaultyFiles()
        if !hasLinks { files.fail("link", EPERM) }
        for path in [scratch.path + "/rescued", scratch.path + "/new"] {
            files.script.withLock { $0.beforeSync = { try? scratch.put(Self.letter, path) } }
            try scratch.put(Self.letter, path)
            try await demandRefused(path, scratch, .alreadyExists) {
                try FileManager.default.removeItem(atPath: path)
                if path.hasSuffix("rescued") {
                    _ = try await GcryptKeystore.salvage(scratch.configuration, to: path, files: files)
                } else {
                    var configuration = scratch.configuration
                    configuration.path = path
                    _ = try await GcryptKeystore.open(configuration, files: files)
                }
            }
            files.script.withLock { $0.beforeSync = nil }
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(!left.contains { $0.hasSuffix(".new") }, "\(left)")
        // And where nothing came to lie there, both work.
        let rescued = scratch.path + "/second"
        #expect(try await GcryptKeystore.salvage(scratch.configuration, to: rescued, files: files).items == 1)
        var configuration = scratch.configuration
        configuration.path = scratch.path + "/third"
        try await GcryptKeystore.open(configuration, files: files).put("v", "item")
        #expect(try await GcryptKeystore.open(configuration).get("item") == "v")
    }

    @Test("K-10: a lock file that no writer left is refused, and not written")
    func lock() async throws {
        let scratch = try Scratch()
        let place = scratch.store + ".lock"
        for foreign in [Self.letter, [UInt8]("hello world\n".utf8), [UInt8](repeating: 0, count: 13)] {
            try scratch.put(foreign, place)
            try await demandRefused(place, scratch) { _ = try await GcryptKeystore.open(scratch.tight) }
            #expect(!FileManager.default.fileExists(atPath: scratch.store))
        }
        // Empty, cut short, whole.
        for left in [[], [1], [UInt8](repeating: 0, count: 12)] {
            try scratch.put(left, place)
            let store = try await GcryptKeystore.open(scratch.tight)
            try await store.put("v", "item")
            await store.close()
        }
    }
}
