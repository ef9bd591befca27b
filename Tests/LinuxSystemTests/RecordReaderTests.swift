import PortcullisCore
import Testing

@testable import LinuxSystem

/// The lines of `import-lines`.
@Suite("lines of a stream of secrets", .timeLimit(.minutes(10)))
struct RecordReaderTests {
    /// A stream that comes in pieces of a certain size.
    private final class Stream {
        private var bytes: ArraySlice<UInt8>
        private let piece: Int

        init(_ bytes: [UInt8], piece: Int) { (self.bytes, self.piece) = (bytes[...], piece) }

        func fill(_ buffer: SecretBuffer) -> Bool {
            let count = min(piece, bytes.count, buffer.freeCapacity)
            unsafe buffer.fill { room in
                for (index, byte) in bytes.prefix(count).enumerated() { unsafe room[index] = byte }
                return count
            }
            bytes = bytes.dropFirst(count)
            return count > 0
        }
    }

    private func text(_ secret: SecretBytes) -> String {
        secret.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
    }

    @Test(
        "K-3: lines come out as they went in, in whatever pieces; the last one needs no end",
        arguments: [1, 2, 7, 1 << 20]
    )
    func lines(_ piece: Int) throws {
        let stream = Stream(Array("one\n\ntwo\r\n\n three".utf8), piece: piece)
        var reader = RecordReader()
        var lines: [String] = []
        while let line = try reader.next(longest: 100, filling: stream.fill) { lines.append(text(line)) }
        #expect(lines == ["one", "", "two\r", "", " three"])
        #expect(try reader.next(longest: 100, filling: stream.fill) == nil)
    }

    @Test("K-3: a line of the longest length is taken, one of a byte more is not")
    func longest() throws {
        for (count, isTaken) in [(100, true), (101, false)] {
            for end in ["\n", ""] {
                let stream = Stream(Array((String(repeating: "x", count: count) + end).utf8), piece: 64)
                var reader = RecordReader()
                let found = try? reader.next(longest: 100, filling: stream.fill)
                #expect((found?.count == count) == isTaken, "\(count) bytes")
            }
        }
    }

    @Test(
        "K-3: the work grows with the stream's length alone: one line of megabytes, many of a few bytes, small pieces",
        arguments: [(1, 8 << 20, 65536), (100_000, 40, 65536), (3, 3 << 20, 4096), (20_000, 100, 13)]
    )
    func work(_ count: Int, _ length: Int, _ piece: Int) throws {
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: length) + [10]
        let bytes = Array(repeatElement(line, count: count).joined())
        let stream = Stream(bytes, piece: piece)
        var reader = RecordReader()
        var found = 0
        while let line = try reader.next(longest: 64 << 20, filling: stream.fill) {
            if line.count == length { found += 1 }
        }
        #expect(found == count)
        // Each byte is looked at once, copied once into its line, and moved about twice while its line is not whole.
        #expect(reader.work <= 5 * bytes.count, "\(reader.work) for \(bytes.count) bytes")
    }
}
