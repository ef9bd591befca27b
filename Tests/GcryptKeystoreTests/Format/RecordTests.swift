import PortcullisCore
import Testing

@testable import GcryptKeystore

/// What lies in a frame verifies before it is decoded; these are the bytes that a writer with the key could leave there.
@Suite("What a frame says", .timeLimit(.minutes(10)))
struct RecordTests {
    private let mac = (0..<32).map { UInt8($0 + 1) }

    /// A directory of these many records, as a frame has it.
    private func directory(_ content: FrameContent, count: Int? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(UInt32(count ?? content.records.count))
        return bytes + content.directory
    }

    private func content() throws -> FrameContent {
        var content = FrameContent()
        content.write(try name("first"), .whenUnlocked, version: 7, sealed: [UInt8](repeating: 1, count: 28))
        content.header(generation: 3, mac: mac, lastVersion: 9)
        content.remove(try name("second"), version: 8)
        content.write(
            try SecretName("d\u{E9}j\u{E0}", in: SecretNamespace("other")),
            .afterFirstUnlockThisDeviceOnly,
            version: .largestCounted,
            sealed: [UInt8](repeating: 2, count: 30)
        )
        return content
    }

    private func texts(_ records: [Record]?) -> [String]? { records?.map { "\($0)" } }

    @Test("K-6: what was written into a directory is what is decoded, whatever fills it up")
    func whole() throws {
        let content = try content()
        for filling in [0, 1, 16, 17, 48, 49, 63] {
            let bytes = directory(content) + [UInt8](repeating: 0, count: filling)
            #expect(texts(Record.decode(bytes, sealedBytes: 58)) == texts(content.records), "\(filling)")
        }
        #expect(texts(Record.decode([0, 0, 0, 0], sealedBytes: 0)) == [])
    }

    @Test("K-6: no beginning of a directory is one, and none is read behind its end")
    func beginnings() throws {
        let content = try content()
        let bytes = directory(content)
        for count in 0..<bytes.count {
            #expect(
                texts(Record.decode(Array(bytes.prefix(count)), sealedBytes: 58)) == nil,
                "\(count) bytes"
            )
        }
        // In whatever order they end.
        for last in [1, 2, 3] {
            var part = FrameContent()
            if last == 1 { part.write(try name("a"), .whenUnlocked, version: 1, sealed: mac) }
            if last == 2 { part.remove(try name("b"), version: 1) }
            if last == 3 { part.header(generation: 1, mac: mac, lastVersion: 1) }
            let bytes = directory(part)
            #expect(texts(Record.decode(bytes, sealedBytes: 32)) == texts(part.records))
            for count in 0..<bytes.count {
                #expect(texts(Record.decode(Array(bytes.prefix(count)), sealedBytes: 32)) == nil)
            }
            #expect(texts(Record.decode(directory(part, count: 2), sealedBytes: 32)) == nil)
            #expect(texts(Record.decode(directory(part, count: 0), sealedBytes: 32)) == [])
        }
    }

    @Test("K-6: values that reach beyond what a frame holds make no sense")
    func values() throws {
        let bytes = directory(try content())
        for (sealed, isFine) in [(0, false), (28, false), (57, false), (58, true), (90, true)] {
            #expect((Record.decode(bytes, sealedBytes: sealed) != nil) == isFine, "\(sealed)")
        }
    }

    @Test(
        "K-6: an item's parts are what they can be, or the directory makes no sense",
        arguments: [
            // Place and byte: operation, class, size of the namespace, version, and a byte of the namespace.
            (4, 0, false), (4, 2, true), (4, 4, false), (5, 0, false), (5, 1, true), (5, 0x82, true),
            (5, 3, false), (5, 0x40, false), (6, 0, false), (6, 255, false), (7, 0, false), (8, 1, false),
            (20, 0x7F, true), (20, 0x80, false), (21, 0x20, false), (21, 0x21, true), (26, 0, false),
        ] as [(Int, UInt8, Bool)]
    )
    func parts(_ place: Int, _ byte: UInt8, _ isFine: Bool) throws {
        var content = FrameContent()
        content.write(try name("item"), .whenUnlocked, version: 1, sealed: [UInt8](repeating: 1, count: 28))
        var bytes = directory(content)
        bytes[place] = byte
        #expect((Record.decode(bytes, sealedBytes: 28) != nil) == isFine)
    }

    @Test("K-6: a header's record whose numbers are beyond all counting makes no sense")
    func headers() {
        for (generation, version, isFine) in [
            (.largestCounted, .largestCounted, true), (.largestCounted + 1, 1, false),
            (1, .largestCounted + 1, false),
        ] as [(UInt64, UInt64, Bool)] {
            var content = FrameContent()
            content.header(generation: generation, mac: mac, lastVersion: version)
            #expect((Record.decode(directory(content), sealedBytes: 0) != nil) == isFine)
        }
    }

    @Test("K-3: what is cut off again leaves nothing behind")
    func cut() throws {
        var content = try content()
        let (before, mark) = (content, content.mark)
        content.write(try name("third"), .whenUnlocked, version: 9, sealed: mac)
        content.header(generation: 4, mac: mac, lastVersion: 9)
        content.cut(to: mark)
        #expect(texts(content.records) == texts(before.records))
        #expect(content.directory == before.directory && content.values == before.values)
        #expect(!content.isEmpty && FrameContent().isEmpty)
    }

    @Test("K-8: each class is a byte of its own, and no other byte is a class")
    func classes() {
        #expect(Accessibility.allCases.map(\.byte) == [1, 0x81, 2, 0x82])
        for byte in UInt8.min ... .max {
            #expect(Accessibility(byte: byte)?.byte == ([1, 2, 0x81, 0x82].contains(byte) ? byte : nil))
        }
    }
}
