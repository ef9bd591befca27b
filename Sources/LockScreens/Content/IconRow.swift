/// An icon with a label for screen readers.
public struct ScreenIcon: Sendable, Hashable, Codable {
    /// The name by which the host's user interface finds the icon.
    public var symbol: String
    /// The label that a screen reader reads. It may be another program's text.
    public var label: String

    /// Makes an icon.
    public init(symbol: String, label: String) {
        self.symbol = symbol
        self.label = label
    }
}

/// A row of icons that moves round in a circle.
public struct IconRow: Sendable, Hashable, Codable {
    /// The icons, in order.
    public var icons: [ScreenIcon]
    /// The distance that the row has moved, in widths of an icon: at least 0 and less than the number of
    /// icons.
    public var offset: Double

    /// Makes a row.
    public init(_ icons: [ScreenIcon], offset: Double = 0) {
        self.icons = icons
        self.offset = offset
    }
}
