import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

/// The format must not change by accident: stores that an earlier build of the tool made are kept here, and a decoder in
/// another language, written from Format.md alone, says what is in them.
///
/// The stores were made by `portcullis secret`: writes of all classes, one over another, removals, a compaction, a batch
/// and a second slot.
@Suite("The file format", .timeLimit(.minutes(10)))
struct FormatTests {
    private static let fixtures = ["version-1", "draft"]

    /// What there is of an item, as both sides tell it.
    private struct Item: Hashable, Codable {
        var namespace: String
        var name: String
        var availability: String
        var thisDeviceOnly: Bool
        var version: UInt64
        var value: Data
    }

    private struct Decoded: Decodable {
        var version: UInt32
        var items: [Item]
    }

    private static func resource(_ path: String) throws -> URL {
        try #require(Bundle.module.url(forResource: path, withExtension: nil), "\(path)")
    }

    /// A copy of a kept store, with its key.
    private func copy(_ fixture: String) throws -> Scratch {
        let scratch = try Scratch()
        for (suffix, path) in [(".keystore", scratch.store), (".key", scratch.keyFile)] {
            try scratch.put([UInt8](Data(contentsOf: Self.resource("Fixtures/\(fixture)\(suffix)"))), path)
        }
        return scratch
    }

    /// The items that the keystore reads.
    private func items(_ scratch: Scratch) async throws -> Set<Item> {
        let store = try await GcryptKeystore.open(scratch.configuration)
        var items: Set<Item> = []
        for namespace in ["default", "texts", "batches", "tests"] {
            for name in try await store.names(in: SecretNamespace(namespace)) {
                let stored = try #require(try await store.read(name))
                let isFirst = stored.accessibility.availability == .whenUnlocked
                items.insert(
                    Item(
                        namespace: namespace,
                        name: name.name,
                        availability: isFirst ? "whenUnlocked" : "afterFirstUnlock",
                        thisDeviceOnly: stored.accessibility.thisDeviceOnly,
                        version: stored.version.rawValue,
                        value: stored.value.withBytes { bytes in Data((0..<bytes.count).map { bytes[$0] }) }
                    )
                )
            }
        }
        await store.close()
        return items
    }

    @Test(
        "K-2: stores that an earlier build made are read, each item with its class, version and value",
        arguments: fixtures
    )
    func fixture(_ fixture: String) async throws {
        let items = try await items(try copy(fixture))
        let value = { (name: String) in items.first { $0.name == name }?.value }
        #expect(items.count == 7)
        #expect(value("plain") == Data("value two".utf8))
        #expect(value("empty") == Data())
        #expect(value("bytes") == Data([0, 0xFF, 10, 13, 10]))
        #expect(value("naïve ☃") == Data("Grüße, 世界".utf8))
        #expect(value("long") == Data(repeating: UInt8(ascii: "L"), count: 900))
        #expect(value("batch-1") == Data("one".utf8) && value("batch-2") == Data("two".utf8))
    }

    @Test(
        "K-2: a decoder written from the specification alone reads the same as the keystore",
        .enabled(if: Decoder.isAvailable, "python3 is not installed"),
        arguments: fixtures
    )
    func decoded(_ fixture: String) async throws {
        let scratch = try copy(fixture)
        let run = try await Decoder.run(scratch)
        #expect(run.status == 0, "\(run.errors)")
        let decoded = try JSONDecoder().decode(Decoded.self, from: run.output)
        #expect(decoded.version == (fixture == "draft" ? 0x8000_0001 : 1))
        #expect(try await Set(decoded.items) == items(scratch))
    }

    @Test(
        "K-2: what today's code writes, into a new store or an old one, is read by that decoder as version 1",
        .enabled(if: Decoder.isAvailable, "python3 is not installed"),
        arguments: ["new"] + fixtures
    )
    func written(_ fixture: String) async throws {
        let scratch = try fixture == "new" ? Scratch() : copy(fixture)
        let store = try await GcryptKeystore.open(scratch.configuration)
        for (index, accessibility) in Accessibility.allCases.enumerated() {
            try await store.put(String(repeating: "v", count: 70 * index), "item \(index)", accessibility)
        }
        _ = try await store.remove(name("item 1"))
        _ = try await store.addSlot(.rawKey(SecretBytes(randomCount: 32)))
        try await store.compact()
        try await store.put("behind", "item 2", .whenUnlocked)
        await store.close()
        let run = try await Decoder.run(scratch)
        #expect(run.status == 0, "\(run.errors)")
        let decoded = try JSONDecoder().decode(Decoded.self, from: run.output)
        #expect(decoded.version == 1)
        let items = try await items(scratch)
        #expect(Set(decoded.items) == items)
        #expect(items.count == (fixture == "new" ? 3 : 10))
    }

    @Test(
        "K-6: the decoder, too, refuses a flipped bit",
        .enabled(if: Decoder.isAvailable, "python3 is not installed"),
        arguments: [8192 + 3, 8192 + 50, 9000]
    )
    func refused(_ place: Int) async throws {
        let scratch = try copy("version-1")
        var bytes = try scratch.bytes()
        bytes[place] ^= 4
        try scratch.put(bytes)
        let run = try await Decoder.run(scratch)
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(await code { try await GcryptKeystore.open(scratch.configuration) } == .damaged)
    }

    /// Runs `decode.py`.
    private enum Decoder {
        /// On a machine that checks every change its absence is a failure, not a reason to skip.
        static var isAvailable: Bool {
            let variables = ProcessInfo.processInfo.environment
            let folders = (variables["PATH"] ?? "").split(separator: ":")
            return variables["CI"] != nil
                || folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }
        }

        static func run(_ scratch: Scratch) async throws -> (status: Int32, output: Data, errors: String) {
            let script = try FormatTests.resource("decode.py")
            return try await withCheckedThrowingContinuation { continuation in
                // Off Swift's pool: it waits for another process.
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let process = Process()
                            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                            process.arguments = [
                                "python3", "-B", script.path, scratch.store, scratch.keyFile,
                            ]
                            let (output, errors) = (Pipe(), Pipe())
                            process.standardOutput = output
                            process.standardError = errors
                            try process.run()
                            // Its messages are a line at most, so the pipe holds them until they are read.
                            let said = output.fileHandleForReading.readDataToEndOfFile()
                            let complaints = errors.fileHandleForReading.readDataToEndOfFile()
                            process.waitUntilExit()
                            return (
                                process.terminationStatus, said, String(decoding: complaints, as: UTF8.self)
                            )
                        }
                    )
                }
            }
        }
    }
}
