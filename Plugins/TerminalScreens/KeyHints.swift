/// What keys do on a screen, in words: the dim line at the bottom.
///
/// A host that speaks another language, or has a lock key, hands in its own.
public struct KeyHints: Sendable, Hashable {
    /// The key that locks, such as `ctrl-]`; `nil` where the host has none.
    public var lockKey: String?
    /// Goes before ``lockKey``'s meaning: that it locks.
    public var locks = "locks"
    /// Moves between what can be chosen.
    public var moves = "tab moves"
    /// Moves in a list.
    public var movesInList = "arrows move"
    /// Moves where the text has to be scrolled.
    public var scrolls = "arrows scroll"
    /// Turns cards.
    public var turns = "left and right turn the cards"
    /// Activates what has the focus.
    public var chooses = "return chooses"
    /// Changes a switch.
    public var sets = "space sets"
    /// Chooses a row of a list of which several can be chosen.
    public var marks = "space chooses"
    /// Narrows a list.
    public var searches = "type to search"
    /// Keeps what was chosen in a list.
    public var keeps = "return keeps"
    /// Submits a field.
    public var submits = "return submits"
    /// Leaves the only way there is.
    public var goesOn = "return goes on"
    /// Closes a question with one answer.
    public var answers = "return closes"
    /// Leaves without doing anything.
    public var cancels = "esc cancels"
    /// Closes a screen that has nothing to give up.
    public var closes = "esc closes"
    /// Leaves a list or a card.
    public var leaves = "esc leaves"

    /// Hints in English, to be changed one by one.
    ///
    /// - Parameter lockKey: the key that locks; `nil` where the host has none.
    public init(lockKey: String? = nil) { self.lockKey = lockKey }

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
