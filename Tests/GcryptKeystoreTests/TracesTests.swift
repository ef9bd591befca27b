#if os(Linux)
import Foundation
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What a store leaves behind", .timeLimit(.minutes(10)))
struct TracesTests {
    @Test("K-10: a store that is let go leaves no file open and none mapped")
    func descriptors() async throws {
        let scratch = try Scratch()
        var configuration = scratch.configuration
        configuration.anchorPath = scratch.path + "/anchor"
        configuration.argon2 = Argon2Parameters(memory: 64, passes: 1, lanes: 1)
        do {
            let store = try await GcryptKeystore.open(configuration)
            for round in 0..<3 { try await store.put("\(round)", "item") }
            _ = try await store.addSlot(.keyFile(scratch.path + "/second.key"))
            try await store.compact()
            #expect(try await store.export(to: scratch.path + "/backup", passphrase: secret("834912")) == 1)
            #expect(try open(below: scratch.path).count > 1)
            await store.close()
        }
        try await BoundedWait.until("all to be closed") { try open(below: scratch.path).isEmpty }
    }

    /// The files below a folder that this process has open or mapped.
    private func open(below path: String) throws -> [String] {
        let manager = FileManager.default
        let files = try manager.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? manager.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }
        // Not by a call that asks for the file's size first: here that is always 0.
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
        let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        return (files + maps.split(separator: "\n").map(String.init)).filter { $0.contains(path) }
    }

    @Test("K-2: a key file's name is on disk before a slot counts on it, whoever made the file")
    func keyFile() async throws {
        let (scratch, files) = (try Scratch(), FaultyFiles())
        let store = try await GcryptKeystore.open(scratch.configuration, files: files)
        try await store.put("warm", "up")
        for _ in 0..<2 {
            _ = files.counted()
            _ = try await store.addSlot(.keyFile(scratch.path + "/second.key"))
            #expect(files.counted()["fsync-folder"] == 1)
        }
    }

    @Test("K-6: a file anchor keeps two records in turn, so that a kill leaves the one before")
    func anchorTurns() throws {
        let scratch = try Scratch()
        let anchor = FileAnchor(path: scratch.path + "/anchor")
        func record(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 128) }
        for turn in 1...3 { try anchor.keep(record(UInt8(turn)), turn: UInt64(turn), for: .other) }
        #expect(try anchor.records() == record(2) + record(3))
    }
}
#endif
