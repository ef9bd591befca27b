internal import CGcrypt
import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

@Suite("The keystore's basics", .timeLimit(.minutes(10)))
struct StoreTests {
    @Test("K-1: a new store, its folder and key file are private; what was put is there after opening again")
    func roundTrip() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.path = scratch.path + "/new/folder/a.keystore"
        let store = try await GcryptKeystore.open(configuration)
        try await store.put("swordfish", "pass")
        #expect(try await store.get("pass") == "swordfish")
        #expect(try await store.get("other") == nil)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(configuration.path) == 0o600)
        #expect(try mode(scratch.keyFile) == 0o600)
        #expect(try mode(scratch.path + "/new/folder") == 0o700)
        let again = try await GcryptKeystore.open(configuration)
        #expect(try await again.get("pass") == "swordfish")
    }

    @Test("K-2: neither names nor values can be seen in the file")
    func nothingReadable() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("value-that-shows", "name-that-shows")
        let raw = String(decoding: try scratch.bytes(), as: UTF8.self)
        #expect(!raw.contains("that-shows") && !raw.contains("tests"))
        #expect((try scratch.bytes().count - 8192) % 64 == 0)
    }

    @Test("K-3: preconditions hold at the instant of writing")
    func preconditions() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        let item = try name("cas")
        let first = try await store.write(
            secret("1"),
            to: item,
            accessibility: .afterFirstUnlock,
            if: .absent
        )
        guard case .written(let version) = first else { Issue.record("not written"); return }
        let conflict = try await store.write(
            secret("2"),
            to: item,
            accessibility: .afterFirstUnlock,
            if: .absent
        )
        #expect(conflict == .conflict(current: version))
        let second = try await store.write(
            secret("2"),
            to: item,
            accessibility: .afterFirstUnlock,
            if: .version(version)
        )
        guard case .written(let next) = second else { Issue.record("not written"); return }
        #expect(next != version)
        #expect(try await store.remove(item, if: .version(version)) == .conflict(current: next))
        #expect(try await store.get("cas") == "2")
        #expect(try await store.remove(item, if: .version(next)) == .removed)
        #expect(try await store.remove(item) == .absent)
        #expect(try await store.remove(item, if: .version(next)) == .conflict(current: nil))
        let third = try await store.write(
            secret("3"),
            to: item,
            accessibility: .afterFirstUnlock,
            if: .version(next)
        )
        #expect(third == .conflict(current: nil), "a version of before the removal never matches again")
    }

    @Test("K-3: a batch happens as a whole or not at all")
    func batches() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("there", "b")
        let outcome = try await store.commit([
            .write(secret("1"), to: name("a"), accessibility: .whenUnlocked, if: .none),
            .write(secret("2"), to: name("b"), accessibility: .whenUnlocked, if: .absent),
        ])
        guard case .conflict(let conflicts) = outcome else { Issue.record("no conflict"); return }
        #expect(Array(conflicts.keys) == [try name("b")])
        #expect(try await store.get("a") == nil)
        _ = try await store.commit([
            .write(secret("1"), to: name("a"), accessibility: .whenUnlocked, if: .absent),
            .remove(name("b"), if: .none),
        ])
        #expect(try await store.get("a") == "1")
        #expect(try await store.names(in: SecretNamespace("tests")) == [try name("a")])
        let twice = await code {
            try await store.commit([.remove(name("a"), if: .none), .remove(name("a"), if: .none)])
        }
        #expect(twice == .invalidName)
    }

    @Test("K-4: compaction takes removed items out of the file and keeps the rest, with their versions")
    func compaction() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        for round in 0..<20 { try await store.put("value \(round)", "same") }
        try await store.put("kept", "kept", .whenUnlocked)
        let version = try await store.read(name("kept"))?.version
        let before = try scratch.bytes().count
        let other = try await GcryptKeystore.open(scratch.configuration)
        store.lock()
        try await store.compact()
        #expect(try scratch.bytes().count < before / 2 + 8192)
        #expect(try await other.get("same") == "value 19", "another handle notices the new file")
        try await other.put("after", "after")
        #expect(try await store.get("after") == "after")
        let again = try await GcryptKeystore.open(scratch.configuration)
        #expect(try await again.get("kept") == "kept")
        #expect(try await again.read(name("kept"))?.version == version)
    }

    @Test(
        "K-2: a store is opened and used though the protected memory that a process has for keys is used up"
    )
    func noSecureMemory() async throws {
        let scratch = try Scratch()
        // Also initialises the library.
        await (try await GcryptKeystore.open(scratch.configuration)).close()
        // Whatever room there is left: an operation may find some and then not enough for what it takes next.
        for room in stride(from: 32, through: 4096, by: 32) {
            let gap = unsafe gcry_malloc_secure(room)
            var taken: [UInt] = []
            for size in [4096, 512, 64, 16, 1] {
                while let block = unsafe gcry_malloc_secure(size) { taken.append(UInt(bitPattern: block)) }
            }
            unsafe gcry_free(gap)
            defer { for block in taken { unsafe gcry_free(UnsafeMutableRawPointer(bitPattern: block)) } }
            let store = try await GcryptKeystore.open(scratch.configuration)
            try await store.put("v \(room)", "item")
            #expect(try await store.get("item") == "v \(room)")
            await store.close()
        }
    }
}
