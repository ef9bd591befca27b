#if Passkeys
/// Reads one JSON value strictly: RFC 8259, UTF-8 without a byte order mark, and no name twice in an object.
///
/// Foundation's decoder accepts an object that has a name twice, and leaves copies of all strings in memory.
/// So it is not used here. On arbitrary bytes this reader ends after at most ``Limits/values`` values, and
/// never traps.
struct JSONReader: Sendable {
    /// The limits of the texts that the reader accepts.
    enum Limits {
        /// The largest number of bytes.
        static let bytes = 65_536
        /// The largest number of values, including those inside other values.
        static let values = 512
        /// The deepest nesting of arrays and objects.
        static let depth = 8
    }

    private var position = 0
    private var valuesLeft = Limits.values

    private init() {}

    /// Decodes bytes that hold exactly one value. Blanks may precede and follow the value.
    static func value(of bytes: Span<UInt8>) throws(JSONMistake) -> JSONValue {
        guard bytes.count <= Limits.bytes else { throw .tooLarge }
        var reader = JSONReader()
        let value = try reader.value(bytes, depth: 0)
        reader.skipBlanks(bytes)
        guard reader.position == bytes.count else { throw .rest }
        return value
    }

    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONMistake) -> JSONValue {
        guard valuesLeft > 0 else { throw .tooLarge }
        valuesLeft -= 1
        skipBlanks(bytes)
        switch try peek(bytes) {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < Limits.depth else { throw .tooLarge }
            let isObject = bytes[position] == UInt8(ascii: "{")
            return try isObject ? object(bytes, depth: depth + 1) : array(bytes, depth: depth + 1)
        case UInt8(ascii: "\""):
            let (range, isEscaped) = try string(bytes)
            return .string(range, isEscaped: isEscaped)
        case UInt8(ascii: "t"): return try word("true", bytes, .bool(true))
        case UInt8(ascii: "f"): return try word("false", bytes, .bool(false))
        case UInt8(ascii: "n"): return try word("null", bytes, .null)
        default: return try number(bytes)
        }
    }

    private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(JSONMistake) -> JSONValue {
        var members: [String: JSONValue] = [:]
        position += 1
        skipBlanks(bytes)
        if try take(UInt8(ascii: "}"), bytes) { return .object(members) }
        repeat {
            skipBlanks(bytes)
            guard try peek(bytes) == UInt8(ascii: "\"") else { throw .unexpected }
            let (range, isEscaped) = try string(bytes)
            let name = try JSONText.decode(bytes.extracting(range), isEscaped: isEscaped)
            skipBlanks(bytes)
            guard try take(UInt8(ascii: ":"), bytes) else { throw .unexpected }
            let value = try value(bytes, depth: depth)
            guard members.updateValue(value, forKey: name) == nil else { throw .repeatedName }
            skipBlanks(bytes)
        } while try take(UInt8(ascii: ","), bytes)
        guard try take(UInt8(ascii: "}"), bytes) else { throw .unexpected }
        return .object(members)
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(JSONMistake) -> JSONValue {
        var values: [JSONValue] = []
        position += 1
        skipBlanks(bytes)
        if try take(UInt8(ascii: "]"), bytes) { return .array(values) }
        repeat {
            values.append(try value(bytes, depth: depth))
            skipBlanks(bytes)
        } while try take(UInt8(ascii: ","), bytes)
        guard try take(UInt8(ascii: "]"), bytes) else { throw .unexpected }
        return .array(values)
    }

    private mutating func string(_ bytes: Span<UInt8>) throws(JSONMistake) -> (Range<Int>, isEscaped: Bool) {
        position += 1
        let start = position
        var isEscaped = false
        while true {
            switch try peek(bytes) {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return (start..<position, isEscaped)
            case UInt8(ascii: "\\"):
                isEscaped = true
                position += 2
            case ..<0x20: throw .notText
            default: position += 1
            }
        }
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONMistake) -> JSONValue {
        _ = try take(UInt8(ascii: "-"), bytes)
        if try !take(UInt8(ascii: "0"), bytes) { try digits(bytes) }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits(bytes)
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if try !take(UInt8(ascii: "+"), bytes) { _ = try take(UInt8(ascii: "-"), bytes) }
            try digits(bytes)
        }
        return .number
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONMistake) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard digits.contains(try peek(bytes)) else { throw .unexpected }
        while position < bytes.count, digits.contains(bytes[position]) { position += 1 }
    }

    private mutating func word(
        _ word: StaticString,
        _ bytes: Span<UInt8>,
        _ value: JSONValue
    ) throws(JSONMistake) -> JSONValue {
        for byte in "\(word)".utf8 { guard try take(byte, bytes) else { throw .unexpected } }
        return value
    }

    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    private func peek(_ bytes: Span<UInt8>) throws(JSONMistake) -> UInt8 {
        guard position < bytes.count else { throw .cut }
        return bytes[position]
    }

    private mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) throws(JSONMistake) -> Bool {
        guard try peek(bytes) == byte else { return false }
        position += 1
        return true
    }
}
#endif
