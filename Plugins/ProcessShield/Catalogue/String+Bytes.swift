// These functions search texts by bytes. A search by Swift characters can be slow, and any user may write the
// files that the texts come from. For example, to find the end of a character in a long row of flag emoji,
// all characters before it may have to be read.

extension String {
    /// The texts before and after the first occurrence of an ASCII character; `nil` if the text does not
    /// contain it.
    func parted(at byte: Unicode.Scalar) -> (before: String, after: String)? {
        guard let place = utf8.firstIndex(of: UInt8(ascii: byte)) else { return nil }
        return (String(self[..<place]), String(self[utf8.index(after: place)...]))
    }

    /// Whether two paths have the same bytes. Swift's `==` also equates texts that encode an accent
    /// differently. A path whose bytes were no valid UTF-8 equals no path, since its original bytes are lost.
    func isSamePath(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8) && !unicodeScalars.contains("\u{FFFD}")
    }

    /// The lines that are not empty. They are split by bytes, because CR LF is one character in Swift.
    var lines: [Substring] {
        utf8.split { $0 == 0x0A || $0 == 0x0D }.map(Substring.init)
    }
}

extension Substring {
    /// The text without blanks at both ends.
    var trimmed: Substring {
        let isInk = { (byte: UInt8) in byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") }
        guard let first = utf8.firstIndex(where: isInk), let last = utf8.lastIndex(where: isInk) else {
            return self[endIndex...]
        }
        return Substring(utf8[first...last])
    }
}
