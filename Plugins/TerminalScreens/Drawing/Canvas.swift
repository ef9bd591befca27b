/// A grid of character cells to draw on.
public struct Canvas: Sendable, Hashable {
    /// One cell of the grid.
    public struct Cell: Sendable, Hashable {
        /// The character in the cell; `nil` for the right half of a wide character.
        public var character: Character?
        /// The style of the cell.
        public var style: CellStyle

        /// An empty cell.
        public static let blank = Cell(character: " ", style: CellStyle())
    }

    /// The number of columns and rows.
    public let size: TerminalSize
    private var cells: [Cell]

    /// Creates an empty canvas.
    public init(size: TerminalSize) {
        self.size = size
        self.cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    /// The cell at a place. The place must be on the canvas.
    public subscript(x x: Int, y y: Int) -> Cell {
        cells[y * size.columns + x]
    }

    /// The characters of each row, without blanks at the end.
    public var lines: [String] {
        (0..<size.rows).map { y in
            var line = ""
            for x in 0..<size.columns {
                if let character = self[x: x, y: y].character { line.append(character) }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// Draws a text. Parts outside of the canvas are left out.
    ///
    /// Characters without a width, such as control characters, are not drawn.
    public mutating func draw(_ text: String, x: Int, y: Int, style: CellStyle = CellStyle()) {
        guard (0..<size.rows).contains(y) else { return }
        var column = x
        for character in text {
            let width = CellWidth.of(character)
            guard width > 0 else { continue }
            if column >= 0, column + width <= size.columns {
                put(Cell(character: character, style: style), x: column, y: y)
                if width == 2 { put(Cell(character: nil, style: style), x: column + 1, y: y) }
            }
            column += width
        }
    }

    /// Empties an area.
    public mutating func clear(_ area: CellArea) {
        let rows = max(0, area.y)..<max(0, area.y, min(size.rows, area.y + area.height))
        let columns = max(0, area.x)..<max(0, area.x, min(size.columns, area.x + area.width))
        for y in rows {
            for x in columns {
                put(.blank, x: x, y: y)
            }
        }
    }

    /// Draws another canvas with its top left corner at a place. Parts outside of this canvas are left out.
    public mutating func draw(_ other: Canvas, x: Int, y: Int) {
        for row in 0..<other.size.rows where (0..<size.rows).contains(y + row) {
            for column in 0..<other.size.columns where (0..<size.columns).contains(x + column) {
                let cell = other[x: column, y: row]
                let isCut =
                    column + 1 < other.size.columns && other[x: column + 1, y: row].character == nil
                    && x + column + 1 >= size.columns
                put(
                    isCut || (cell.character == nil && x + column == 0) ? .blank : cell,
                    x: x + column,
                    y: y + row
                )
            }
        }
    }

    /// Makes the whole drawing faint, as behind an alert.
    public mutating func fade() {
        for index in cells.indices { cells[index].style = CellStyle(dim: true) }
    }

    private mutating func put(_ cell: Cell, x: Int, y: Int) {
        let index = y * size.columns + x
        // If half of a wide character is overwritten, the other half is emptied.
        if cells[index].character == nil, cell.character != nil, x > 0 { cells[index - 1] = .blank }
        if x + 1 < size.columns, cells[index + 1].character == nil, cells[index].character != nil {
            cells[index + 1] = .blank
        }
        cells[index] = cell
    }
}
