/// Base64 in its URL-safe form, without padding (RFC 4648, section 5). Every store accepts these 64
/// characters in a name.
enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each digit, at the index of the digit's byte; 255 for a byte that is no digit.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    static func text(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var (word, bits) = (0, 0)
        for byte in bytes {
            word = (word << 8 | Int(byte)) & 0xFFFF
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(digits[word >> bits & 63])
            }
        }
        if bits > 0 { text.append(digits[word << (6 - bits) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text; `nil` if a character is no digit. Bits at the end that do not fill a byte are ignored.
    static func bytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (word, bits) = (0, 0)
        for digit in text {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            word = (word << 6 | Int(value)) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> bits))
            }
        }
        return bytes
    }
}
