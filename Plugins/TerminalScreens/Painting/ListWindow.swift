/// The part of a list that is visible. The list can have more lines than there are rows to show them.
struct ListWindow {
    /// The indices of the visible lines.
    let shown: Range<Int>
    private let count: Int

    var isCutAbove: Bool { shown.lowerBound > 0 }
    var isCutBelow: Bool { shown.upperBound < count }

    /// Creates a window in which the line at `index` is visible, in the middle where possible.
    init(of count: Int, around index: Int, height: Int) {
        let first = max(0, min(index - height / 2, count - height))
        self.shown = first..<min(count, first + height)
        self.count = count
    }
}

extension ScreenPainter {
    /// Draws an arrow in the first row if the list continues above it, and an arrow in the last row if the
    /// list continues below it.
    func paintMarks(of window: ListWindow, x: Int, y: Int, on painting: inout Painting) {
        let style = CellStyle(dim: true)
        if window.isCutAbove { painting.canvas.draw(glyphs.moreAbove, x: x, y: y, style: style) }
        if window.isCutBelow {
            painting.canvas.draw(glyphs.moreBelow, x: x, y: y + window.shown.count - 1, style: style)
        }
    }
}
