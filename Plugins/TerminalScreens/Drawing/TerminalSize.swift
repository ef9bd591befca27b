/// The size of a terminal's window, in character cells.
public struct TerminalSize: Sendable, Hashable {
    /// The number of cells in a row; 1 to 1000.
    public var columns: Int
    /// The number of rows; 1 to 500.
    public var rows: Int

    /// Creates a size, limited to the bounds of ``columns`` and ``rows``. A terminal that does not know its
    /// size reports 0, which becomes 1.
    ///
    /// Real windows are smaller than the upper bounds. Without the bounds, a terminal that reports a huge
    /// size would cause a drawing of gigabytes.
    public init(columns: Int, rows: Int) {
        self.columns = min(max(1, columns), 1000)
        self.rows = min(max(1, rows), 500)
    }
}

/// The abilities of a terminal.
public struct TerminalAbilities: Sendable, Hashable {
    /// Whether colours may be used. The variable `NO_COLOR` forbids them.
    public var colours: Bool
    /// Whether the terminal shows characters beyond ASCII.
    public var unicode: Bool

    /// Makes the abilities of a terminal.
    public init(colours: Bool = true, unicode: Bool = true) {
        self.colours = colours
        self.unicode = unicode
    }
}

/// A rectangle of cells.
public struct CellArea: Sendable, Hashable {
    /// The leftmost column, counted from 0.
    public var x: Int
    /// The topmost row, counted from 0.
    public var y: Int
    /// The number of columns.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Creates an area.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Whether a cell is in the area.
    public func contains(x column: Int, y row: Int) -> Bool {
        column >= x && column < x + width && row >= y && row < y + height
    }
}
