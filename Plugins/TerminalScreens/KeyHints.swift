/// What keys do on a screen, in words: the dim line at the bottom.
///
/// A host that speaks another language, or has a lock key, hands in its own.
public struct KeyHints: Sendable, Hashable {
    /// The key that locks, such as `ctrl-]`; `nil` where the host has none.
    public var lockKey: String?
    /// Goes before ``lockKey``'s meaning: that it locks.
    public var locks: String
    /// Moves between what can be chosen.
    public var moves: String
    /// Moves where the text has to be scrolled.
    public var scrolls: String
    /// Activates what has the focus.
    public var chooses: String
    /// Submits a field.
    public var submits: String
    /// Leaves without doing anything.
    public var cancels: String
    /// Closes a screen that has nothing to give up.
    public var closes: String

    /// Hints in English unless told otherwise.
    public init(
        lockKey: String? = nil,
        locks: String = "locks",
        moves: String = "tab moves",
        scrolls: String = "arrows scroll",
        chooses: String = "return chooses",
        submits: String = "return submits",
        cancels: String = "esc cancels",
        closes: String = "esc closes"
    ) {
        self.lockKey = lockKey
        self.locks = locks
        self.moves = moves
        self.scrolls = scrolls
        self.chooses = chooses
        self.submits = submits
        self.cancels = cancels
        self.closes = closes
    }

    /// The hint at the lock key; `nil` where there is none.
    var lock: String? { lockKey.map { "\($0) \(locks)" } }

    /// Whether one line takes all of them.
    static func fit(_ parts: [String], width: Int, _ glyphs: Glyphs) -> Bool {
        CellWidth.of(parts.joined(separator: glyphs.separator)) <= width
    }

    /// As many hints as one line takes, the first ones before the others.
    static func line(_ parts: [String], width: Int, _ glyphs: Glyphs) -> String {
        var line = ""
        for part in parts {
            let next = line.isEmpty ? part : line + glyphs.separator + part
            if CellWidth.of(next) <= width { line = next }
        }
        return line
    }
}
