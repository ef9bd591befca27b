#if Passkeys
/// Reads CBOR values one after the other, as authenticators write them (CTAP 2.2, section 8, "Message
/// Encoding").
///
/// The reader accepts a part of RFC 8949: integers, strings of bytes and of UTF-8, arrays, maps, true, false
/// and null. Lengths are definite, numbers have their shortest form, and no map has a name twice. The order
/// of a map's names is not checked, because browsers write attestation objects in orders of their own.
/// Whatever the bytes are, the reader ends after at most ``Limits/members`` values and never traps. It needs
/// memory only for the bytes and for these values.
struct CBORReader: Sendable {
    /// The limits of the bytes that the reader accepts.
    enum Limits {
        /// The largest number of bytes.
        static let bytes = 65_536
        /// The largest number of values, including those inside other values.
        static let members = 512
        /// The deepest nesting of arrays and maps; CTAP sets the same limit.
        static let depth = 4
    }

    private let bytes: ArraySlice<UInt8>
    private(set) var position: Int
    private var membersLeft = Limits.members

    /// Makes a reader at the start of these bytes.
    init(_ bytes: ArraySlice<UInt8>) throws(CBORMistake) {
        guard bytes.count <= Limits.bytes else { throw .tooLarge }
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Decodes bytes that hold exactly one value.
    static func value(of bytes: ArraySlice<UInt8>) throws(CBORMistake) -> CBORValue {
        var reader = try CBORReader(bytes)
        let value = try reader.value()
        guard reader.isAtEnd else { throw .rest }
        return value
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    /// Reads the next value.
    mutating func value() throws(CBORMistake) -> CBORValue { try value(depth: 0) }

    private mutating func value(depth: Int) throws(CBORMistake) -> CBORValue {
        guard membersLeft > 0 else { throw .tooLarge }
        membersLeft -= 1
        let (kind, argument, isShort) = try head()
        switch kind {
        case 0: return .integer(try signed(argument))
        case 1: return .integer(-1 - (try signed(argument)))
        case 2: return .bytes(Array(try string(argument)))
        case 3: return .text(try text(argument))
        case 4, 5:
            guard depth < Limits.depth else { throw .tooLarge }
            return try kind == 4 ? array(argument, depth: depth + 1) : map(argument, depth: depth + 1)
        case 7 where isShort && argument == 20: return .bool(false)
        case 7 where isShort && argument == 21: return .bool(true)
        case 7 where isShort && argument == 22: return .null
        default: throw .unsupported
        }
    }

    private mutating func array(_ count: UInt64, depth: Int) throws(CBORMistake) -> CBORValue {
        // Each value has at least one byte. So a count above the number of remaining bytes is wrong.
        guard count <= UInt64(bytes.endIndex - position) else { throw .cut }
        var values: [CBORValue] = []
        for _ in 0..<count { values.append(try value(depth: depth)) }
        return .array(values)
    }

    private mutating func map(_ count: UInt64, depth: Int) throws(CBORMistake) -> CBORValue {
        guard count <= UInt64(bytes.endIndex - position) / 2 else { throw .cut }
        var members: [CBORValue.Key: CBORValue] = [:]
        for _ in 0..<count {
            let key: CBORValue.Key
            switch try value(depth: CBORReader.Limits.depth) {
            case .integer(let number): key = .integer(number)
            case .text(let text): key = .text(text)
            default: throw .badKey
            }
            // Swift compares texts by canonical equivalence. So two names that differ only in their Unicode
            // normalization count as repeated.
            guard members.updateValue(try value(depth: depth), forKey: key) == nil else { throw .repeatedKey }
        }
        return .map(members)
    }

    /// Reads a value's head: the kind of the value, and its argument, which is a number or a length.
    /// `isShort` says whether the first byte contains the argument.
    private mutating func head() throws(CBORMistake) -> (kind: UInt8, argument: UInt64, isShort: Bool) {
        let first = try byte()
        let (kind, detail) = (first >> 5, first & 31)
        switch detail {
        case ..<24: return (kind, UInt64(detail), true)
        case 24...27:
            guard kind != 7 else { throw .unsupported }
            let length = 1 << (detail - 24)
            var argument: UInt64 = 0
            for _ in 0..<length { argument = argument << 8 | UInt64(try byte()) }
            let least: UInt64 = length == 1 ? 24 : 1 << (4 * UInt64(length))
            guard argument >= least else { throw .notShortest }
            return (kind, argument, false)
        default: throw .unsupported
        }
    }

    private mutating func byte() throws(CBORMistake) -> UInt8 {
        guard position < bytes.endIndex else { throw .cut }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func string(_ count: UInt64) throws(CBORMistake) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.endIndex - position) else { throw .cut }
        let end = position + Int(count)
        defer { position = end }
        return bytes[position..<end]
    }

    private mutating func text(_ count: UInt64) throws(CBORMistake) -> String {
        guard let text = String(validating: try string(count), as: UTF8.self) else { throw .notText }
        return text
    }

    private func signed(_ number: UInt64) throws(CBORMistake) -> Int64 {
        guard let value = Int64(exactly: number) else { throw .outOfRange }
        return value
    }
}
#endif
