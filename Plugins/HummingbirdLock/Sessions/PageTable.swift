#if HummingbirdLock
/// The pages that a session has sent to the browser, and the number of the next post of each page (W-2).
///
/// A page's name cannot be guessed, so a post with a name from the table comes from a page of this session.
/// The numbers of a page's posts rise, so no post is accepted twice. The table remembers whether a page is of
/// the lock screen or of a screen over the content. Text that was typed for one of the two must not reach the
/// other. When there are too many pages, the oldest page is removed.
struct PageTable {
    static let maximum = 64

    private var expected: [String: (count: Int, screen: String)] = [:]
    private var order: [String] = []

    /// Adds a page of a screen, and returns the page's name.
    mutating func add(of screen: String) -> String {
        let name = Token.random(byteCount: 16)
        expected[name] = (1, screen)
        order.append(name)
        if order.count > Self.maximum { expected[order.removeFirst()] = nil }
        return name
    }

    /// What a post is to the session.
    enum Post: Sendable {
        case new
        /// The page is unknown, or the post was received before.
        case repeated
        /// The page is of another screen than the one that is shown.
        case ofOtherScreen
    }

    /// Records a post as received, if it is new and its page is of the screen that is shown.
    mutating func take(_ page: String, _ count: Int, showing screen: String) -> Post {
        guard let known = expected[page], count >= known.count else { return .repeated }
        guard known.screen == screen else { return .ofOtherScreen }
        expected[page]?.count = count + 1
        return .new
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
