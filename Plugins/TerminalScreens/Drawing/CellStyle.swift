/// The style of a cell. The colours are the terminal's own sixteen colours, so they suit the theme that the
/// person has chosen.
public struct CellStyle: Sendable, Hashable {
    /// A colour of the text.
    public enum Colour: Sendable, Hashable {
        /// The terminal's standard colour.
        case standard
        /// The colour of things that can be activated.
        case accent
        /// The colour of errors and of actions that lose something.
        case warning
        /// The colour of waiting times.
        case waiting
    }

    /// The colour of the text.
    public var colour: Colour
    /// Whether the text is bold.
    public var isBold: Bool
    /// Whether the text is faint.
    public var isDim: Bool
    /// Whether text and background colours are exchanged.
    public var isReversed: Bool

    /// Creates a style; by default the plain style.
    public init(_ colour: Colour = .standard, bold: Bool = false, dim: Bool = false, reversed: Bool = false) {
        self.colour = colour
        self.isBold = bold
        self.isDim = dim
        self.isReversed = reversed
    }

    /// The sequence that selects this style, whatever style was selected before.
    func select(colours: Bool) -> String {
        var codes = "0"
        if isBold { codes += ";1" }
        if isDim { codes += ";2" }
        if isReversed { codes += ";7" }
        if colours {
            switch colour {
            case .standard: break
            case .accent: codes += ";36"
            case .warning: codes += ";31"
            case .waiting: codes += ";33"
            }
        }
        return "\u{1B}[\(codes)m"
    }
}
