/// The characters for symbols and lines, for terminals with and without Unicode.
struct Glyphs: Sendable {
    let unicode: Bool

    var filledDot: String { unicode ? "●" : "*" }
    var emptyDot: String { unicode ? "○" : "." }
    var mask: String { unicode ? "•" : "*" }
    var ellipsis: Character { unicode ? "…" : "~" }
    var selected: String { unicode ? "◉" : "(*)" }
    var unselected: String { unicode ? "○" : "( )" }
    var on: String { unicode ? "━●" : "[on]" }
    var off: String { unicode ? "○━" : "[off]" }
    var checked: String { unicode ? "[✓]" : "[x]" }
    var unchecked: String { "[ ]" }
    var bullet: String { unicode ? "•" : "-" }
    var onward: String { unicode ? "›" : ">" }
    var backward: String { unicode ? "‹" : "<" }
    var separator: String { unicode ? " · " : " | " }
    var moreAbove: String { unicode ? "▲" : "^" }
    var moreBelow: String { unicode ? "▼" : "v" }
    var working: String { unicode ? "· · ·" : ". . ." }

    /// The parts of a frame: top left, horizontal, top right, vertical, bottom left, bottom right.
    var box: [String] { unicode ? ["╭", "─", "╮", "│", "╰", "╯"] : ["+", "-", "+", "|", "+", "+"] }

    /// The glyph for a symbol's name; empty for an unknown name.
    ///
    /// Each character of a glyph occupies one cell. Emoji are not used, because their width depends on the
    /// terminal.
    func symbol(_ name: String) -> String {
        switch name {
        case "delete.left": unicode ? "⌫" : "<x"
        case "lock.shield.fill", "lock.shield", "lock", "lock.fill", "lock.rotation": unicode ? "⛨" : "[#]"
        case "lock.app.dashed": unicode ? "⬚" : "[#]"
        case "touchid", "fingerprint": unicode ? "◍" : "(@)"
        case "faceid", "face": unicode ? "☺" : ":)"
        case "opticid", "eye": unicode ? "◉" : "(o)"
        case "envelope", "envelope.fill": unicode ? "✉" : "@"
        case "gear", "gearshape", "gearshape.fill": unicode ? "⚙" : "*"
        case "checkmark", "checkmark.circle", "checkmark.circle.fill", "checkmark.shield":
            unicode ? "✓" : "ok"
        case "exclamationmark.triangle": unicode ? "⚠" : "!"
        default: name.hasPrefix("lock") ? (unicode ? "⛨" : "[#]") : ""
        }
    }
}
