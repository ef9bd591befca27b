import Foundation
import PortcullisCore
import PortcullisTesting
import SealingStore
import Synchronization
import Testing

@Suite("The key file (F-1)", .timeLimit(.minutes(1)))
struct KeyFileTests {
    private let folder: URL
    private var file: SealingKeyFile { SealingKeyFile(path: folder.appending(path: "key").path) }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    private func code(_ work: () throws -> Void) -> SecretStoreErrorCode? {
        do { try work() } catch { return (error as? SecretStoreError)?.code }
        return nil
    }

    @Test("F-1: of many processes that make it at once one does, and all have its key")
    func once() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = file
        #expect(try file.read() == nil)
        let made = try await withThrowingTaskGroup(of: (SecretBytes, Bool).self) { group in
            for _ in 0..<16 { group.addTask { try file.make() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made.count { $0.1 } == 1)
        let key = try #require(try file.read())
        #expect(made.allSatisfy { $0.0.matches(key) })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try file.remove(SecretBytes(randomCount: 32))
        #expect(try file.read() != nil)
        try file.remove(key)
        #expect(try file.read() == nil)
    }

    #if os(Linux)
    @Test("F-1: making, reading and removing a key file leaves no descriptor open")
    func descriptors() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = FileManager.default
        for _ in 0..<5 {
            let (key, _) = try file.make()
            _ = try file.make()
            _ = try file.read()
            try file.remove(key)
        }
        // Other tests open other files meanwhile.
        let open = try files.contentsOfDirectory(atPath: "/proc/self/fd").count { number in
            (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))?
                .hasPrefix(folder.path + "/") == true
        }
        #expect(open == 0)
    }
    #endif

    @Test("F-1: a key file is removed without an error, and one that is gone is no error")
    func removed() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try file.remove(SecretBytes(randomCount: 32))
        let (key, isNew) = try file.make()
        #expect(isNew)
        try file.remove(key)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        try file.remove(key)
    }

    @Test("F-1: one that others may read, or of another size, is refused and left alone")
    func refused() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for size in [0, 31, 33, 100_000] {
            try Data(repeating: 7, count: size).write(to: URL(filePath: file.path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            #expect(code { _ = try file.make() } == .wrongKey)
        }
        try Data(repeating: 7, count: 32).write(to: URL(filePath: file.path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        #expect(code { _ = try file.read() } == .notPermitted)
        let elsewhere = SealingKeyFile(path: folder.appending(path: "none/key").path)
        #expect(code { _ = try elsewhere.make() } == .systemFailure)
        #expect(try Data(contentsOf: URL(filePath: file.path)).count == 32)
    }

    @Test("F-1: a pipe that has no writer, a folder and a device are refused at once, through a link, too")
    func otherKinds() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (pipe, link) = (folder.appending(path: "pipe").path, folder.appending(path: "link").path)
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pipe)
        let inner = folder.appending(path: "inner")
        try FileManager.default.createDirectory(
            at: inner,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        for path in [pipe, link, inner.path, "/dev/null"] {
            let file = SealingKeyFile(path: path)
            #expect(code { _ = try file.read() } == .notPermitted, "\(path)")
            #expect(code { _ = try file.make() } == .notPermitted, "\(path)")
        }
    }

    @Test("F-1: where a key file is, none is made beside it: the longest name a file can have leaves no room")
    func longestName() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, _) = try file.make()
        let path = folder.appending(path: String(repeating: "k", count: 255)).path
        try FileManager.default.moveItem(atPath: file.path, toPath: path)
        let (found, isNew) = try SealingKeyFile(path: path).make()
        #expect(found.matches(key) && !isNew)
    }

    @Test("F-1: a link to a key file is followed, as a mounted secret is one")
    func link() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, _) = try file.make()
        let link = folder.appending(path: "link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file.path)
        #expect(try SealingKeyFile(path: link).read()?.matches(key) == true)
    }

    @Test(
        "F-1: a file of another user is refused, though root could read it",
        .enabled(if: geteuid() == 0, "only root can give a file away")
    )
    func owner() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, _) = try file.make()
        #expect(unsafe chown(file.path, 4_000_000, 4_000_000) == 0)
        #expect(code { _ = try file.read() } == .notPermitted)
        #expect(code { try file.remove(key) } == .notPermitted)
        #expect(unsafe chown(file.path, geteuid(), getegid()) == 0)
        #expect(try file.read()?.matches(key) == true)
    }
}

@Suite("The key file is made while the store is empty, and only then (F-1)", .timeLimit(.minutes(1)))
struct KeyFileOpeningTests {
    private let folder: URL
    private let house: House
    /// Whether there are items besides the keys.
    private let wasUsed = UsedMark()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        house = try House()
    }

    private func open(
        _ name: String,
        anchor: (any RollbackAnchor)? = nil
    ) async throws -> SealingStore<InMemorySecretStore> {
        let below = house.below
        return try await SealingStore.open(
            over: below,
            keyIn: SealingKeyFile(path: folder.appending(path: name).path),
            anchor: anchor,
            isEmpty: { [wasUsed] () async throws(SecretStoreError) in
                if wasUsed.isMarked { return false }
                return try await below.names(in: SecretNamespace("portcullis.sealing")).isEmpty
            }
        )
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    @Test(
        "F-1: three that start at once with one file all open; with files of their own one does, and its file stays"
    )
    func atOnce() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        func together(_ names: [String]) async -> Int {
            await withTaskGroup(of: Bool.self) { group in
                for name in names { group.addTask { (try? await open(name)) != nil } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
        }
        #expect(await together(["a", "a", "a"]) == 3)
        #expect(try files == ["a"])
        #expect(await together(["a", "b", "c"]) == 1)
        #expect(try files == ["a"])
    }

    @Test("F-1: a full store without the file, with another one, or without its keys is an error")
    func full() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await open("a").put("x", at: house.name)
        let missing = await #expect(throws: SecretStoreError.self) { _ = try await open("b") }
        #expect(missing?.code == .wrongKey)
        #expect(try files == ["a"])
        _ = try SealingKeyFile(path: folder.appending(path: "b").path).make()
        let other = await #expect(throws: SecretStoreError.self) { _ = try await open("b") }
        #expect(other?.code == .wrongKey)
        #expect(try await open("a").text(at: house.name) == "x")
        wasUsed.mark()
        _ = try await house.below.remove(SecretName("keyring", in: SecretNamespace("portcullis.sealing")))
        let keyless = await #expect(throws: SecretStoreError.self) { _ = try await open("a") }
        #expect(keyless?.code == .rolledBack)
    }

    @Test("F-1: a store that was emptied is refused by its anchor, and gets neither keys nor a key file")
    func emptied() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let anchor = MemoryAnchor()
        let store = try await open("a", anchor: anchor)
        try await store.put("x", at: house.name)
        try await store.keepSeen()
        let keys = try SecretName("keyring", in: SecretNamespace("portcullis.sealing"))
        _ = try await house.below.remove(keys)
        for name in ["a", "b"] {
            let error = await #expect(throws: SecretStoreError.self) {
                _ = try await open(name, anchor: anchor)
            }
            #expect(error?.code == .rolledBack)
            #expect(try await house.below.read(keys) == nil)
            #expect(try files == ["a"])
        }
    }
}

private final class UsedMark: Sendable {
    private let state = Atomic(false)

    var isMarked: Bool { state.load(ordering: .acquiring) }

    func mark() { state.store(true, ordering: .releasing) }
}
