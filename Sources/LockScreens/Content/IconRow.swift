/// An icon with what a screen reader says of it.
public struct ScreenIcon: Sendable, Hashable, Codable {
    /// The icon's name, as the host's user interface knows it.
    public var symbol: String
    /// What a screen reader says of it; perhaps another program's text.
    public var label: String

    /// An icon of these parts.
    public init(symbol: String, label: String) {
        self.symbol = symbol
        self.label = label
    }
}

/// A row of icons that goes round.
public struct IconRow: Sendable, Hashable, Codable {
    /// The icons, in order.
    public var icons: [ScreenIcon]
    /// How far the row has moved, in widths of an icon: at least 0 and less than their number.
    public var offset: Double

    /// A row of these parts.
    public init(_ icons: [ScreenIcon], offset: Double = 0) {
        self.icons = icons
        self.offset = offset
    }
}
