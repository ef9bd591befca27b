/// The part of a list that can be seen when there is more of it than rows.
struct ListWindow {
    /// The places of the lines that are drawn, from the first row on.
    let shown: Range<Int>
    private let count: Int

    var isCutAbove: Bool { shown.lowerBound > 0 }
    var isCutBelow: Bool { shown.upperBound < count }

    /// A window around the line of an index, which stands in the middle where that is possible.
    init(of count: Int, around index: Int, height: Int) {
        let first = max(0, min(index - height / 2, count - height))
        self.shown = first..<min(count, first + height)
        self.count = count
    }
}

extension ScreenPainter {
    /// Marks in the first and the last row that the list goes on.
    func paintMarks(of window: ListWindow, x: Int, y: Int, on painting: inout Painting) {
        let style = CellStyle(dim: true)
        if window.isCutAbove { painting.canvas.draw(glyphs.moreAbove, x: x, y: y, style: style) }
        if window.isCutBelow {
            painting.canvas.draw(glyphs.moreBelow, x: x, y: y + window.shown.count - 1, style: style)
        }
    }
}
