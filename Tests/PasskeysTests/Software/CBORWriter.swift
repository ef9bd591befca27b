#if Passkeys
@testable import Passkeys

/// Writes values as authenticators do: shortest numbers, names in CTAP's order.
enum CBORWriter {
    static func bytes(_ value: CBORValue) -> [UInt8] {
        switch value {
        case .integer(let number): integer(number)
        case .bytes(let bytes): head(2, UInt64(bytes.count)) + bytes
        case .text(let text): head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let values): head(4, UInt64(values.count)) + values.flatMap(bytes)
        case .map(let members):
            head(5, UInt64(members.count))
                + members.map { (key: self.key($0.key), value: bytes($0.value)) }
                .sorted { ($0.key.count, $0.key[0]) < ($1.key.count, $1.key[0]) }
                .flatMap { $0.key + $0.value }
        case .bool(let value): [value ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func key(_ key: CBORValue.Key) -> [UInt8] {
        switch key {
        case .integer(let number): integer(number)
        case .text(let text): bytes(.text(text))
        }
    }

    private static func integer(_ number: Int64) -> [UInt8] {
        number < 0 ? head(1, UInt64(-1 - number)) : head(0, UInt64(number))
    }

    private static func head(_ kind: UInt8, _ argument: UInt64) -> [UInt8] {
        func tail(_ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: argument >> (8 * $0)) }
        }
        return switch argument {
        case ..<24: [kind << 5 | UInt8(argument)]
        case ..<(1 << 8): [kind << 5 | 24] + tail(1)
        case ..<(1 << 16): [kind << 5 | 25] + tail(2)
        case ..<(1 << 32): [kind << 5 | 26] + tail(4)
        default: [kind << 5 | 27] + tail(8)
        }
    }
}
#endif
