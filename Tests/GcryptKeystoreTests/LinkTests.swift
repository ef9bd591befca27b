import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

@Suite("Hard links in the places of a store's files", .timeLimit(.minutes(10)))
struct LinkTests {
    /// A file of the same user, which is none of the store's.
    private static let content = [UInt8]("a file that lies elsewhere and must stay".utf8)

    private func demandRefusal(
        _ path: String,
        _ scratch: Scratch,
        content: [UInt8] = content,
        _ body: () async throws -> Void
    ) async throws {
        let victim = scratch.path + "/victim"
        try? FileManager.default.removeItem(atPath: path)
        try scratch.put(content, victim)
        try FileManager.default.linkItem(atPath: victim, toPath: path)
        do {
            try await body()
            Issue.record("no error for \(path)")
        } catch let error as SecretStoreError {
            #expect(error.code == .untrustedFile, "\(error)")
            #expect(error.path == path)
        }
        #expect(try scratch.bytes(victim) == content)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.removeItem(atPath: victim)
    }

    @Test("K-10: a file with another name in the place of the lock is refused, and not written")
    func lock() async throws {
        let scratch = try Scratch()
        try await demandRefusal(scratch.store + ".lock", scratch) {
            _ = try await GcryptKeystore.open(scratch.configuration)
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.store))
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        await store.close()
        try await demandRefusal(scratch.store + ".lock", scratch) {
            _ = try await GcryptKeystore.open(scratch.configuration)
        }
        #expect(try await GcryptKeystore.open(scratch.configuration).get("item") == "v")
    }

    @Test("K-10: a file with another name in the place of an anchor is refused, an empty one too")
    func anchor() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.anchorPath = scratch.path + "/anchor"
        for content in [Self.content, []] {
            try await demandRefusal(scratch.path + "/anchor", scratch, content: content) {
                _ = try await GcryptKeystore.open(configuration)
            }
        }
        let store = try await GcryptKeystore.open(configuration)
        try FileManager.default.removeItem(atPath: scratch.path + "/anchor")
        let victim = scratch.path + "/victim"
        try scratch.put([], victim)
        try FileManager.default.linkItem(atPath: victim, toPath: scratch.path + "/anchor")
        // Put there after the store was opened: the change is kept, and has no witness.
        try await store.put("v", "item")
        #expect(store.lastAnchorFailure?.code == .untrustedFile)
        #expect(try scratch.bytes(victim) == [])
    }

    @Test("K-10: a file with another name in the place of a tail to be set aside is refused, and not emptied")
    func tail() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.tight)
        try await store.put("v", "item")
        try await store.put("cut", "item")
        await store.close()
        let torn = try Array(scratch.bytes().dropLast(40))
        try scratch.put(torn)
        let again = try await GcryptKeystore.open(scratch.tight)
        try await demandRefusal(scratch.store + ".tail", scratch) { try await again.put("w", "item") }
        #expect(try scratch.bytes() == torn)
        try await again.put("w", "item")
        #expect(try await GcryptKeystore.open(scratch.tight).get("item") == "w")
    }

    @Test("K-10: a file with another name in the store's place that is no store is damaged, and not written")
    func store() async throws {
        let scratch = try Scratch()
        await (try await GcryptKeystore.open(scratch.configuration)).close()
        let victim = scratch.path + "/victim"
        try scratch.put(Self.content, victim)
        try FileManager.default.removeItem(atPath: scratch.store)
        try FileManager.default.linkItem(atPath: victim, toPath: scratch.store)
        #expect(await code { try await GcryptKeystore.open(scratch.configuration) } == .damaged)
        #expect(try scratch.bytes(victim) == Self.content)
    }
}
