/// How a cell looks. Colours are the terminal's own sixteen, so that they suit the person's theme.
public struct CellStyle: Sendable, Hashable {
    /// A colour of the text.
    public enum Colour: Sendable, Hashable {
        /// The terminal's.
        case standard
        /// For what can be acted on.
        case accent
        /// For what went wrong or loses something.
        case warning
        /// For what one has to wait for.
        case waiting
    }

    /// The colour of the text.
    public var colour: Colour
    /// Heavier than usual.
    public var isBold: Bool
    /// Fainter than usual.
    public var isDim: Bool
    /// Text and background exchanged.
    public var isReversed: Bool

    /// A style; plain unless told otherwise.
    public init(_ colour: Colour = .standard, bold: Bool = false, dim: Bool = false, reversed: Bool = false) {
        self.colour = colour
        self.isBold = bold
        self.isDim = dim
        self.isReversed = reversed
    }

    /// The sequence that selects it, whatever was selected before.
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
