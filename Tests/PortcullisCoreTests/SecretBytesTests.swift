import PortcullisCore
import Testing

@Suite("SecretBytes (P-4)", .timeLimit(.minutes(5)))
struct SecretBytesTests {
    @Test("P-4: holds what was written, in blocks of every size class and beyond")
    func holdsItsBytes() {
        for count in [0, 1, 31, 32, 33, 64, 4095, 4096, 4097, 70_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let secret = SecretBytes(copying: bytes)
            let read = secret.withBytes { span in (0..<span.count).map { span[$0] } }
            #expect(secret.count == count)
            #expect(read == bytes)
        }
    }

    @Test(
        "P-4: what lies in no one piece is copied byte by byte; what says that it is smaller than it is ends the process"
    )
    func collections() async {
        let secret = SecretBytes(copying: (1...40).lazy.map { UInt8($0) })
        #expect(secret.matches(SecretBytes(copying: Array(1...40))))
        await #expect(processExitsWith: .failure) { _ = SecretBytes(copying: Understated()) }
    }

    @Test("P-4: description, debug description, dump and mirror show the size only")
    func showsNothing() {
        let secret = SecretBytes(copying: "834912".utf8)
        var dumped = ""
        dump(secret, to: &dumped)
        for text in [
            "\(secret)", String(reflecting: secret), dumped, "\(Mirror(reflecting: secret).children)",
        ] {
            #expect(!text.contains("834912"))
            #expect(!text.contains("56"), "not as numbers either")
        }
        #expect("\(secret)" == "SecretBytes(6 bytes)")
    }

    @Test("P-4: matches only the same bytes")
    func matches() {
        let secret = SecretBytes(copying: [1, 2, 3])
        #expect(secret.matches(SecretBytes(copying: [1, 2, 3])))
        #expect(!secret.matches(SecretBytes(copying: [1, 2, 4])))
        #expect(!secret.matches(SecretBytes(copying: [1, 2])))
        #expect(SecretBytes(copying: []).matches(SecretBytes(copying: [])))
    }

    @Test("P-4: a block is zero when it is handed out again")
    func isZeroedOnRelease() {
        for _ in 0..<64 { _ = SecretBytes(copying: [UInt8](repeating: 0xA5, count: 48)) }
        var stale = 0
        for _ in 0..<64 {
            // Claims capacity and peeks at what lies there before anything is appended.
            _ = SecretBytes(capacity: 48) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, _ in
                    for index in buffer.indices where unsafe buffer[index] != 0 { stale += 1 }
                }
            }
        }
        #expect(stale == 0)
    }

    @Test("P-4: what a failing filler wrote is zeroed, and its error passed on")
    func failingFiller() {
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            _ = try SecretBytes(capacity: 8) { (output: inout OutputSpan<UInt8>) throws(Refused) in
                output.append(7)
                throw Refused()
            }
        }
    }

    @Test("random bytes come from the generator given")
    func random() {
        struct Counting: RandomNumberGenerator {
            var word: UInt64 = 0
            mutating func next() -> UInt64 {
                word += 0x0101
                return word
            }
        }
        var generator = Counting()
        let secret = SecretBytes(randomCount: 10, using: &generator)
        let read = secret.withBytes { span in (0..<span.count).map { span[$0] } }
        #expect(read == [1, 1, 0, 0, 0, 0, 0, 0, 2, 2])
        #expect(!SecretBytes(randomCount: 32).matches(SecretBytes(randomCount: 32)))
    }
}

/// A collection of one byte, by its own count.
private struct Understated: Collection {
    let startIndex = 0
    let endIndex = 1
    func index(after index: Int) -> Int { index + 1 }
    subscript(_: Int) -> UInt8 { 7 }
    func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try unsafe [UInt8](repeating: 7, count: 33).withUnsafeBufferPointer(body)
    }
}
