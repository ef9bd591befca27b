internal import TerminalScreens

/// The key that locks: Ctrl together with another key.
public struct LockKey: Sendable, Hashable, LosslessStringConvertible {
    /// The character of the key that is pressed together with Ctrl.
    let character: Unicode.Scalar

    /// The byte that a terminal sends for the key.
    var byte: UInt8 { UInt8(truncatingIfNeeded: character.value) & 0x1F }

    /// Ctrl-].
    public static let standard = LockKey(character: "]")

    private init(character: Unicode.Scalar) { self.character = character }

    /// Creates a key from a text such as `ctrl-]`, `C-]` or `^]`. The result is `nil` for every other text,
    /// and for a key that sends the same byte as another key.
    public init?(_ text: String) {
        let lower = text.lowercased()
        for prefix in ["ctrl-", "ctrl+", "c-", "^"] where lower.hasPrefix(prefix) {
            let rest = lower.dropFirst(prefix.count).unicodeScalars
            // Without an extended keyboard protocol, Ctrl-M, I, J, H and [ send the bytes of Return, Tab,
            // Line Feed, Backspace and Esc. So these keys are refused.
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
