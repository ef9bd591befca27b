import Gcrypt
import PortcullisCore
import Testing

@testable import GcryptKeystore

@Suite("The heads of frames", .timeLimit(.minutes(10)))
struct FrameHeadTests {
    private let storeKey = SecretBytes(copying: [UInt8](repeating: 5, count: 32))
    private let header = HeaderPage(
        storeID: [UInt8](repeating: 1, count: 16),
        fileSalt: [UInt8](repeating: 2, count: 16)
    )

    /// A head that verifies, with these numbers in it.
    private func head(_ sequence: UInt64, _ length: UInt32, _ directory: UInt32) throws -> [UInt8] {
        var context = header.storeID
        context.append(header.fileGeneration)
        context += header.fileSalt
        let key = try HeadKey(try Digest.derive(from: storeKey, Array("portcullis heads".utf8), context))
        var bytes: [UInt8] = []
        bytes.append(sequence)
        bytes.append(length)
        bytes.append(directory)
        let mac = try unsafe bytes.withUnsafeBytes { try unsafe key.mac($0) }
        var masking: [UInt8] = []
        for word in [mac.0, mac.1] { masking.append(UInt64(littleEndian: word)) }
        let words = masking
        masking.append(UInt8(ascii: "D"))
        let mask = try unsafe masking.withUnsafeBytes { try unsafe key.mac($0) }
        bytes.put(directory ^ UInt32(truncatingIfNeeded: UInt64(littleEndian: mask.0)), at: 12)
        return bytes + words
    }

    private func read(_ bytes: [UInt8]) throws -> FrameKeys.Head? {
        let keys = try FrameKeys(storeKey: storeKey, header: header)
        return try unsafe bytes.withUnsafeBytes { try unsafe keys.head($0) }
    }

    @Test(
        "K-6: a head that verifies is one where its numbers can be",
        arguments: [
            (1, 64, 4, true), (1, 64, 0, true), (1, 64, 5, false), (.largestCounted, 64, 4, true),
            (.largestCounted + 1, 64, 4, false), (1, 0, 0, false), (1, 63, 0, false), (1, 65, 4, false),
            (1, 96, 4, false), (1, 128, 68, true), (1, 128, 69, false), (1, 128, .max, false),
            (1, 1 << 30, 4, true), (1, 1 << 30 + 64, 4, false), (1, .max - 63, 4, false),
        ] as [(UInt64, UInt32, UInt32, Bool)]
    )
    func numbers(_ sequence: UInt64, _ length: UInt32, _ directory: UInt32, _ isFine: Bool) throws {
        let found = try read(try head(sequence, length, directory))
        #expect((found != nil) == isFine)
        if let found {
            #expect(found.sequence == sequence && found.length == Int(length))
            #expect(found.directory == Int(directory))
        }
    }

    @Test("K-6: a head with any other byte is none")
    func altered() throws {
        let good = try head(1, 128, 10)
        for place in good.indices {
            var bad = good
            bad[place] ^= 0x10
            #expect(try read(bad) == nil, "byte \(place)")
        }
    }

    @Test("K-6: a value that is shorter than its nonce and tag does not verify")
    func shortValues() throws {
        let key = try SealingKey(storeKey)
        let sealed = try ValueSeal.seal(secret(""), under: key, binding: [1])
        #expect(sealed.count == 28)
        for count in 0...28 {
            let value = try unsafe sealed.withUnsafeBytes { bytes in
                try unsafe ValueSeal.open(
                    UnsafeRawBufferPointer(rebasing: bytes[..<count]),
                    under: key,
                    binding: [1]
                )
            }
            #expect((value != nil) == (count == 28), "\(count) bytes")
        }
    }
}
