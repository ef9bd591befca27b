import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

/// Names that a store takes for itself: it would write over or remove what else lies there.
@Suite("A store's own names", .timeLimit(.minutes(5)))
struct OwnNamesTests {
    private static let own = ["", ".lock", ".new", ".tail", ".protected-key"]

    private func demandRefused(
        _ scratch: Scratch,
        _ path: String,
        _ body: () async throws -> Void
    ) async throws {
        let before = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        let error = await #expect(throws: SecretStoreError.self, "\(path)") { try await body() }
        #expect(
            [.invalidName, .alreadyExists].contains(error?.code),
            "\(path): \(String(describing: error))"
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == before)
    }

    @Test(
        "K-9, K-1: no backup, rescued store or key file gets a name that the store would write over or remove"
    )
    func besideStore() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        // Another spelling of the same folder is the same place.
        for path in Self.own.flatMap({ [scratch.store + $0, "\(scratch.path)/./test.keystore\($0)"] }) {
            try await demandRefused(scratch, path) {
                _ = try await store.export(to: path, passphrase: secret("bp"))
            }
            try await demandRefused(scratch, path) {
                _ = try await GcryptKeystore.salvage(scratch.configuration, to: path)
            }
            try await demandRefused(scratch, path) { _ = try await store.addSlot(.keyFile(path)) }
        }
        try await store.compact()
        #expect(try await store.get("item") == "v")
        // The same name in another folder is free.
        let other = scratch.path + "/other"
        try FileManager.default.createDirectory(
            atPath: other,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        #expect(try await store.export(to: other + "/test.keystore.new", passphrase: secret("bp")) == 1)
    }

    @Test("K-1: a store is not made over its own key file", arguments: own)
    func keyFile(_ suffix: String) async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.credential = .keyFile(scratch.store + suffix)
        try await demandRefused(scratch, suffix) { _ = try await GcryptKeystore.open(configuration) }
    }

    @Test("K-5, K-9: an anchor does not lie where the store keeps its own files", arguments: own)
    func anchor(_ suffix: String) async throws {
        let scratch = try Scratch()
        try await GcryptKeystore.open(scratch.configuration).put("v", "item")
        var configuration = scratch.configuration
        configuration.anchorPath = scratch.store + suffix
        try await demandRefused(scratch, suffix) { _ = try await GcryptKeystore.open(configuration) }
    }

    @Test("K-9: a store is not rescued to where its own lock would lie on the damaged one")
    func rescuedBeside() async throws {
        let scratch = try Scratch()
        let store = try await GcryptKeystore.open(scratch.configuration)
        try await store.put("v", "item")
        await store.close()
        var configuration = scratch.configuration
        configuration.path = scratch.path + "/rescued.lock"
        try scratch.put(scratch.bytes(), configuration.path)
        try await demandRefused(scratch, "rescued") {
            _ = try await GcryptKeystore.salvage(configuration, to: scratch.path + "/rescued")
        }
    }
}
