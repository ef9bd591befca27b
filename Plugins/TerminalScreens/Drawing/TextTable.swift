/// A table of text columns. Each column is as wide as its content, or narrower on a narrow terminal.
package struct TextTable: Sendable {
    private let header: [String]
    private let rows: [[String]]

    /// Creates a table. Each row must have as many columns as the header.
    package init(header: [String], rows: [[String]]) {
        self.header = header
        self.rows = rows
    }

    private static let gap = 2
    private static let narrowest = 6

    /// Returns the lines, cut to `width` cells. With many columns the lines may be wider, because no column
    /// is cut to fewer than six cells.
    package func lines(width: Int, ellipsis: Character) -> [String] {
        let all = [header] + rows
        var widths = header.indices.map { column in all.map { CellWidth.of($0[column]) }.max() ?? 0 }
        // The widest column shrinks first, cell by cell. The other columns keep their full width as long as
        // possible.
        while widths.reduce(0, +) + Self.gap * (widths.count - 1) > width,
            let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.narrowest
        {
            widths[widest] -= 1
        }
        return all.map { row in
            var line = ""
            for (column, text) in row.enumerated() {
                let cut = CellWidth.cut(text, to: widths[column], ellipsis: ellipsis)
                line += cut
                if column < row.count - 1 {
                    line += String(repeating: " ", count: widths[column] - CellWidth.of(cut) + Self.gap)
                }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
