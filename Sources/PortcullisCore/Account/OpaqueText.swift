/// The rules for the random text of a revision or a request. The device or the account makes the text. Both
/// only compare such texts for equality.
package enum OpaqueText {
    /// Whether the text is 1 to 64 bytes of printable ASCII without spaces.
    static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Returns 128 random bits as 32 hexadecimal digits.
    package static func random(using generator: inout some RandomNumberGenerator) -> String {
        var text = ""
        for _ in 0..<2 {
            let digits = String(generator.next() as UInt64, radix: 16)
            text += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return text
    }
}
