/// The texts that explain the keys of a screen, in the dim line at the bottom.
///
/// A host can set other texts, for another language or for its lock key.
public struct KeyHints: Sendable, Hashable {
    /// The key that locks, such as `ctrl-]`; `nil` if the host has none.
    public var lockKey: String?
    /// The text after ``lockKey``, which says that the key locks.
    public var locks = "locks"
    /// How to move between controls.
    public var moves = "tab moves"
    /// How to move in a list.
    public var movesInList = "arrows move"
    /// How to move in text that scrolls.
    public var scrolls = "arrows scroll"
    /// How to turn cards.
    public var turns = "left and right turn the cards"
    /// How to activate the control with the focus.
    public var chooses = "return chooses"
    /// How to change a switch.
    public var sets = "space sets"
    /// How to choose a row of a list in which several rows can be chosen.
    public var marks = "space chooses"
    /// How to narrow a list by a search.
    public var searches = "type to search"
    /// How to accept the choice in a list.
    public var keeps = "return keeps"
    /// How to submit a field.
    public var submits = "return submits"
    /// How to activate the control of a screen that has only one control.
    public var goesOn = "return goes on"
    /// How to close an alert that has only one action.
    public var answers = "return closes"
    /// How to leave without a change.
    public var cancels = "esc cancels"
    /// How to close a screen that has no cancel button.
    public var closes = "esc closes"
    /// How to leave a list or a card.
    public var leaves = "esc leaves"

    /// Creates hints in English. The host can change each hint.
    ///
    /// - Parameter lockKey: the key that locks; `nil` if the host has none.
    public init(lockKey: String? = nil) { self.lockKey = lockKey }

    /// The hint for the lock key; `nil` without a lock key.
    var lock: String? { lockKey.map { "\($0) \(locks)" } }

    /// Whether all hints fit into one line.
    static func fit(_ parts: [String], width: Int, _ glyphs: Glyphs) -> Bool {
        CellWidth.of(parts.joined(separator: glyphs.separator)) <= width
    }

    /// Returns as many hints as fit into one line. Earlier hints have precedence.
    static func line(_ parts: [String], width: Int, _ glyphs: Glyphs) -> String {
        var line = ""
        for part in parts {
            let next = line.isEmpty ? part : line + glyphs.separator + part
            if CellWidth.of(next) <= width { line = next }
        }
        return line
    }
}
