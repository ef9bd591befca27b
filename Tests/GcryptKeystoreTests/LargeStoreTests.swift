import GcryptKeystore
import PortcullisCore
import Testing

@Suite("Stores with thousands of items", .timeLimit(.minutes(10)))
struct LargeStoreTests {
    @Test(
        "K-5: thousands of items, most of them dead, of several namespaces are there when a store is opened"
    )
    func opens() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        let spaces = try ["tests", "others"].map { try SecretNamespace($0) }
        let count = 5000
        for space in spaces {
            _ = try await store.commit(
                (0..<count).map {
                    .write(
                        secret("\($0)"),
                        to: try SecretName("item\($0)", in: space),
                        accessibility: .afterFirstUnlock,
                        if: .none
                    )
                }
            )
        }
        // What is removed leaves hardly more alive than there was no room to be made for.
        _ = try await store.commit(
            (0..<count - 10).map { .remove(try SecretName("item\($0)", in: spaces[0]), if: .none) }
        )
        await store.close()
        let again = try await GcryptKeystore.open(scratch.configuration)
        #expect(try await again.names(in: spaces[0]).count == 10)
        #expect(try await again.names(in: spaces[1]).count == count)
        #expect(try await again.get("item\(count - 1)") == "\(count - 1)")
        #expect(try await again.get("item0") == nil)
        for index in [0, 1, count / 2, count - 1] {
            let name = try SecretName("item\(index)", in: spaces[1])
            #expect(text(try await again.read(name)?.value) == "\(index)")
        }
        // Names that are equal to Unicode, but not byte by byte, stay two.
        try await again.put("one", "caf\u{E9}")
        try await again.put("two", "cafe\u{301}")
        #expect(try await again.get("caf\u{E9}") == "one")
        #expect(try await again.names(in: spaces[0]).count == 12)
    }

    @Test("K-4: a compaction writes a mebibyte at a time, and not all at once")
    func compaction() async throws {
        let scratch = try Scratch()
        let files = FaultyFiles()
        let store = try await GcryptKeystore.open(scratch.tight, files: files)
        let value = String(repeating: "v", count: 100_000)
        for number in 0..<40 { try await store.put(value, "item\(number)") }
        _ = files.counted()
        try await store.compact()
        // The header, which is synced first; each eleventh item; and the rest.
        #expect(files.counted()["pwrite"] == 5)
        #expect(try await store.get("item39") == value)
        await store.close()
    }
}
