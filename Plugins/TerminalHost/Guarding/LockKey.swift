internal import TerminalScreens

/// The key that locks: Ctrl held with another key.
public struct LockKey: Sendable, Hashable, LosslessStringConvertible {
    /// The character that Ctrl is held with.
    let character: Unicode.Scalar

    /// The byte that a terminal sends for the key.
    var byte: UInt8 { UInt8(truncatingIfNeeded: character.value) & 0x1F }

    /// Ctrl-].
    public static let standard = LockKey(character: "]")

    private init(character: Unicode.Scalar) { self.character = character }

    /// Reads `ctrl-]`, `C-]` or `^]`. `nil` for every other text, and for a key that terminals send for another key
    /// as well.
    public init?(_ text: String) {
        let lower = text.lowercased()
        for prefix in ["ctrl-", "ctrl+", "c-", "^"] where lower.hasPrefix(prefix) {
            let rest = lower.dropFirst(prefix.count).unicodeScalars
            // On every terminal Ctrl-M, I, J, H and [ are Return, Tab, Line Feed, Backspace and Esc, so they are
            // refused.
            guard rest.count == 1, let held = rest.first, !"mijh[".unicodeScalars.contains(held),
                ("a"..."z").contains(held) || "]\\^_@".unicodeScalars.contains(held)
            else { return nil }
            self.character = held
            return
        }
        return nil
    }

    /// The key's name for people, such as `Ctrl-]`.
    public var title: String { "Ctrl-\(String(character).uppercased())" }

    /// The key in the form that `init(_:)` reads, such as `ctrl-]`.
    public var description: String { "ctrl-\(character)" }
}
