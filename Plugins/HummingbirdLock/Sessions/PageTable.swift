#if HummingbirdLock
/// The pages that a session has sent to the browser, and the number of the next post of each page (W-2).
///
/// A page's name cannot be guessed, so a post with such a name comes from a page of this session. The numbers
/// of a page's posts rise, so no post is accepted twice. When there are too many pages, the oldest page is
/// removed.
struct PageTable {
    static let maximum = 64

    private var expected: [String: Int] = [:]
    private var order: [String] = []

    /// Adds a page and returns its name.
    mutating func add() -> String {
        let name = Token.random(byteCount: 16)
        expected[name] = 1
        order.append(name)
        if order.count > Self.maximum { expected[order.removeFirst()] = nil }
        return name
    }

    /// Records a post as received, if it is new.
    ///
    /// - Returns: whether the page is known and the post was not received before.
    mutating func take(_ page: String, _ count: Int) -> Bool {
        guard let least = expected[page], count >= least else { return false }
        expected[page] = count + 1
        return true
    }
}

/// Makes texts that cannot be guessed.
enum Token {
    /// Returns random bytes of the system's generator as hexadecimal digits.
    static func random(byteCount: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<byteCount).reduce(into: "") { text, _ in
            let byte = UInt8.random(in: 0...255, using: &generator)
            text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
    }
}
#endif
