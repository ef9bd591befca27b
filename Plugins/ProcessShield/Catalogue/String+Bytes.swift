// Texts of files that anyone may write are looked through by bytes: to find where a character ends can mean to look at all
// before it, as among flags.

extension String {
    /// What stands before the first of a character of one byte, and behind it; `nil` where there is none.
    func parted(at byte: Unicode.Scalar) -> (before: String, after: String)? {
        guard let place = utf8.firstIndex(of: UInt8(ascii: byte)) else { return nil }
        return (String(self[..<place]), String(self[utf8.index(after: place)...]))
    }

    /// Whether two paths are the same bytes: to Swift, texts that only write an accent differently are equal. A path with
    /// bytes that were no text is like no other, because nothing tells which bytes they were.
    func isSamePath(as other: String) -> Bool {
        utf8.elementsEqual(other.utf8) && !unicodeScalars.contains("\u{FFFD}")
    }

    /// The lines, without those that are empty. CR LF is one character to Swift.
    var lines: [Substring] {
        utf8.split { $0 == 0x0A || $0 == 0x0D }.map(Substring.init)
    }
}

extension Substring {
    /// Without blanks at both ends.
    var trimmed: Substring {
        let isInk = { (byte: UInt8) in byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") }
        guard let first = utf8.firstIndex(where: isInk), let last = utf8.lastIndex(where: isInk) else {
            return self[endIndex...]
        }
        return Substring(utf8[first...last])
    }
}
