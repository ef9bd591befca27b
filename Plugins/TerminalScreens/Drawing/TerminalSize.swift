/// The size of a terminal's window, in character cells.
public struct TerminalSize: Sendable, Hashable {
    /// Cells in a row; 1 to 1000.
    public var columns: Int
    /// Rows; 1 to 500.
    public var rows: Int

    /// A size; a terminal that does not know its own says 0, which is taken as 1.
    ///
    /// No window is larger than the upper bounds. A terminal that claims a larger size could otherwise have
    /// gigabytes drawn.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(1, columns), 1000)
        self.rows = min(max(1, rows), 500)
    }
}

/// What a terminal can show.
public struct TerminalAbilities: Sendable, Hashable {
    /// Whether colours may be used; not with `NO_COLOR`.
    public var colours: Bool
    /// Whether characters beyond ASCII come out right.
    public var unicode: Bool

    /// A terminal with these abilities.
    public init(colours: Bool = true, unicode: Bool = true) {
        self.colours = colours
        self.unicode = unicode
    }
}

/// A part of the screen.
public struct CellArea: Sendable, Hashable {
    /// The leftmost column, counted from 0.
    public var x: Int
    /// The topmost row, counted from 0.
    public var y: Int
    /// Columns.
    public var width: Int
    /// Rows.
    public var height: Int

    /// An area of this place and size.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Whether a cell lies in it.
    public func contains(x column: Int, y row: Int) -> Bool {
        column >= x && column < x + width && row >= y && row < y + height
    }
}
