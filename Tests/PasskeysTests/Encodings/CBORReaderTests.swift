#if Passkeys
import PortcullisTesting
import Testing

@testable import Passkeys

@Suite("CBOR of authenticators (W-3)")
struct CBORReaderTests {
    private func read(_ bytes: [UInt8]) -> Result<CBORValue, CBORMistake> {
        Result { () throws(CBORMistake) in try CBORReader.value(of: bytes[...]) }
    }

    /// Appendix A of RFC 8949, as far as authenticators use it.
    @Test(
        "W-3: examples of RFC 8949 are read",
        arguments: [
            ([0x00], .integer(0)), ([0x17], .integer(23)), ([0x18, 0x18], .integer(24)),
            ([0x19, 0x03, 0xE8], .integer(1_000)), ([0x1A, 0x00, 0x0F, 0x42, 0x40], .integer(1_000_000)),
            ([0x1B, 0, 0, 0, 0xE8, 0xD4, 0xA5, 0x10, 0], .integer(1_000_000_000_000)),
            ([0x20], .integer(-1)), ([0x38, 0x63], .integer(-100)), ([0x39, 0x03, 0xE7], .integer(-1_000)),
            ([0x3B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .integer(.min)),
            ([0xF4], .bool(false)), ([0xF5], .bool(true)), ([0xF6], .null),
            ([0x40], .bytes([])), ([0x44, 1, 2, 3, 4], .bytes([1, 2, 3, 4])),
            ([0x60], .text("")), ([0x62, 0xC3, 0xBC], .text("ü")),
            ([0x80], .array([])), ([0x83, 1, 2, 3], .array([.integer(1), .integer(2), .integer(3)])),
            ([0xA0], .map([:])),
            (
                [0xA2, 0x61, 0x61, 0x01, 0x61, 0x62, 0x82, 0x02, 0x03],
                .map([.text("a"): .integer(1), .text("b"): .array([.integer(2), .integer(3)])])
            ),
        ] as [([UInt8], CBORValue)]
    )
    func examples(_ bytes: [UInt8], _ value: CBORValue) throws {
        #expect(try read(bytes).get() == value)
    }

    @Test(
        "W-3: what authenticators must not write is refused",
        arguments: [
            ([], .cut), ([0x18], .cut), ([0x42, 0], .cut), ([0x82, 0], .cut), ([0xA1, 0], .cut),
            ([0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .cut),
            ([0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .cut),
            ([0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .cut),
            ([0, 0], .rest),
            ([0x18, 0x17], .notShortest), ([0x19, 0, 0xFF], .notShortest),
            ([0x1A, 0, 0, 0xFF, 0xFF], .notShortest),
            ([0x1B, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], .notShortest), ([0x58, 1, 0], .notShortest),
            ([0x1B, 0x80, 0, 0, 0, 0, 0, 0, 0], .outOfRange),
            ([0x3B, 0x80, 0, 0, 0, 0, 0, 0, 0], .outOfRange),
            ([0x1C], .unsupported), ([0x5F, 0xFF], .unsupported), ([0x9F, 0xFF], .unsupported),
            ([0xBF, 0xFF], .unsupported), ([0xFF], .unsupported), ([0xC0, 0], .unsupported),
            ([0xF7], .unsupported), ([0xF8, 0x20], .unsupported), ([0xF9, 0, 0], .unsupported),
            ([0xFA, 0, 0, 0, 0], .unsupported), ([0xE0], .unsupported),
            ([0x62, 0xC3, 0x28], .notText), ([0x61, 0x80], .notText),
            ([0xA1, 0x40, 0], .badKey), ([0xA1, 0xF6, 0], .badKey),
            ([0xA2, 1, 0, 1, 0], .repeatedKey), ([0xA2, 0x61, 0x61, 0, 0x61, 0x61, 0], .repeatedKey),
            ([0x81, 0x81, 0x81, 0x81, 0x81, 0], .tooLarge), ([0xA1, 0x80, 0], .tooLarge),
        ] as [([UInt8], CBORMistake)]
    )
    func mistakes(_ bytes: [UInt8], _ mistake: CBORMistake) {
        #expect(read(bytes) == .failure(mistake))
    }

    @Test("W-3: bytes and members are bounded")
    func bounds() throws {
        #expect(read(Array(repeating: 0, count: 65_537)) == .failure(.tooLarge))
        #expect(read([0x99, 0x02, 0x00] + Array(repeating: 0, count: 512)) == .failure(.tooLarge))
        let most = try read([0x99, 0x01, 0xFF] + Array(repeating: 0, count: 511)).get()
        #expect(most == .array(Array(repeating: .integer(0), count: 511)))
    }

    @Test(
        "W-3: 40,000 random and altered values are read or refused, never a trap; what is read is written alike",
        arguments: 0..<8
    )
    func randomValues(_ seed: Int) {
        var numbers = SeededNumbers(seed: seed)
        for round in 0..<5_000 {
            var bytes = CBORWriter.bytes(Self.value(depth: 0, &numbers))
            guard case .success(let value) = read(bytes) else {
                Issue.record("a value that was written is not read: round \(round)")
                return
            }
            #expect(CBORWriter.bytes(value).count == bytes.count)
            for _ in 0..<Int.random(in: 1...3, using: &numbers) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &numbers)
                switch Int.random(in: 0..<3, using: &numbers) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &numbers), at: place)
                }
            }
            if case .success(let value) = read(bytes), CBORWriter.bytes(value).count != bytes.count {
                Issue.record("a value has two spellings: \(bytes)")
                return
            }
            _ = read(
                (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
                    UInt8.random(in: 0...255, using: &numbers)
                }
            )
        }
    }

    private static func value(depth: Int, _ numbers: inout SeededNumbers) -> CBORValue {
        let count = Int.random(in: 0...3, using: &numbers)
        switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &numbers) {
        case 0:
            return .integer(
                Int64.random(in: .min ... .max, using: &numbers) >> Int64.random(in: 0...63, using: &numbers)
            )
        case 1: return .bytes((0..<count * 9).map { _ in UInt8.random(in: 0...255, using: &numbers) })
        case 2: return .text(String("aß語🔑".prefix(count)))
        case 3: return .bool(true)
        case 4: return .bool(false)
        case 5: return .null
        case 6: return .array((0..<count).map { _ in value(depth: depth + 1, &numbers) })
        default:
            let keys: [CBORValue.Key] = [.integer(1), .integer(-1), .text("a"), .text("fmt")]
            return .map(
                keys.prefix(count).reduce(into: [:]) { $0[$1] = value(depth: depth + 1, &numbers) }
            )
        }
    }
}
#endif
