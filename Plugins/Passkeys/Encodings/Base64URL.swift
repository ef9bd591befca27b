#if Passkeys
internal import PortcullisCore

/// Base 64 for URLs without padding (RFC 4648, section 5), as WebAuthn writes bytes in JSON.
enum Base64URL: Sendable {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    /// Encodes the bytes as text.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for byte in bytes {
            (buffer, bits) = (buffer << 8 | Int(byte), bits + 8)
            while bits >= 6 {
                bits -= 6
                digits.append(alphabet[buffer >> bits & 63])
            }
            buffer &= (1 << bits) - 1
        }
        if bits > 0 { digits.append(alphabet[buffer << (6 - bits) & 63]) }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Decodes a text; `nil` if the text is not valid. A valid text has no padding, and its unused last bits
    /// are zero.
    static func bytes(_ text: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        return decode(text) { bytes.append($0) } ? bytes : nil
    }

    /// Decodes a secret text directly into a `SecretBytes`. The result is `nil` in the same cases as with
    /// ``bytes(_:)``.
    static func secret(_ text: Span<UInt8>) -> SecretBytes? {
        var isText = false
        let secret = SecretBytes(capacity: text.count) { output in
            isText = decode(text) { output.append($0) }
        }
        return isText ? secret : nil
    }

    private static func decode(_ text: Span<UInt8>, _ append: (UInt8) -> Void) -> Bool {
        var (buffer, bits) = (0, 0)
        for index in text.indices {
            guard let digit = digit(text[index]) else { return false }
            (buffer, bits) = (buffer << 6 | digit, bits + 6)
            if bits >= 8 {
                bits -= 8
                append(UInt8(buffer >> bits))
                buffer &= (1 << bits) - 1
            }
        }
        // In a valid text, fewer than six bits follow the last whole byte, and all of these bits are zero.
        return bits < 6 && buffer == 0
    }

    private static func digit(_ character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character) + 4
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
#endif
