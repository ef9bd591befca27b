#if Passkeys
/// Decodes and encodes the strings of JSON.
enum JSONText: Sendable {
    /// Decodes the characters between a string's quotation marks.
    static func decode(_ bytes: Span<UInt8>, isEscaped: Bool) throws(JSONMistake) -> String {
        var units: [UInt8] = []
        units.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard isEscaped, bytes[index] == UInt8(ascii: "\\") else {
                units.append(bytes[index])
                index += 1
                continue
            }
            guard index + 1 < bytes.count else { throw .notText }
            index += 2
            switch bytes[index - 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(bytes[index - 1])
            case UInt8(ascii: "b"): units.append(0x08)
            case UInt8(ascii: "f"): units.append(0x0C)
            case UInt8(ascii: "n"): units.append(0x0A)
            case UInt8(ascii: "r"): units.append(0x0D)
            case UInt8(ascii: "t"): units.append(0x09)
            case UInt8(ascii: "u"): units += String(try scalar(bytes, &index)).utf8
            default: throw .notText
            }
        }
        guard let text = String(validating: units, as: UTF8.self) else { throw .notText }
        return text
    }

    /// Decodes the four digits of a `\u` escape. If they are the first half of a surrogate pair, the second
    /// escape is decoded too.
    private static func scalar(_ bytes: Span<UInt8>, _ index: inout Int) throws(JSONMistake) -> Unicode.Scalar
    {
        let first = try unit(bytes, &index)
        guard (0xD800...0xDBFF).contains(first) else {
            guard let scalar = Unicode.Scalar(first) else { throw .notText }
            return scalar
        }
        guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
            bytes[index + 1] == UInt8(ascii: "u")
        else { throw .notText }
        index += 2
        let second = try unit(bytes, &index)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw .notText }
        return scalar
    }

    private static func unit(_ bytes: Span<UInt8>, _ index: inout Int) throws(JSONMistake) -> UInt32 {
        guard index + 4 <= bytes.count else { throw .notText }
        var value: UInt32 = 0
        for _ in 0..<4 {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(bytes[index] - 48)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(bytes[index] - 55)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(bytes[index] - 87)
            default: throw .notText
            }
            index += 1
        }
        return value
    }

    /// Encodes a text as a string of JSON that is also safe inside a page's script.
    static func encode(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "<", ">", "&", "\u{2028}", "\u{2029}", "\u{0}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
#endif
