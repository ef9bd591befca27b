/// A mail address that is safe to pass to a mail command.
///
/// The address becomes an argument of a command and a field of a message. So a text that could end either, or
/// could be taken for an option, is refused. The part before the `@` has only letters, digits and
/// `.!#$%&'*+/=?^_{|}~-`, and does not begin with `-` (the unquoted form of RFC 5321). The part after it is a
/// host name. Addresses are compared without regard to case.
package struct MailAddress: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The address in small letters.
    package let text: String

    /// Makes an address from a text that is checked first.
    ///
    /// - Returns: `nil` if the text is no such address.
    package init?(_ text: String) {
        // Some letters outside ASCII have lower-case forms within ASCII. So the check precedes the
        // conversion.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = text.lowercased()
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2, Self.isLocalPart(parts[0]), Self.isHost(parts[1])
        else {
            return nil
        }
        self.text = text
    }

    private static func isLocalPart(_ part: Substring) -> Bool {
        let extra = Set("!#$%&'*+/=?^_{|}~-.".utf8)
        return (1...64).contains(part.utf8.count) && !part.hasPrefix("-") && !part.hasPrefix(".")
            && !part.hasSuffix(".") && !part.contains("..")
            && part.utf8.allSatisfy { isLetterOrDigit($0) || extra.contains($0) }
    }

    private static func isHost(_ part: Substring) -> Bool {
        let labels = part.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// The address.
    package var description: String { text }

    /// Reads a text and checks it as ``init(_:)`` does.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let address = MailAddress(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a mail address")
        }
        self = address
    }

    /// Writes the text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
