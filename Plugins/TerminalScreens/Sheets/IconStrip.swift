internal import LockScreens
internal import PortcullisCore

/// Draws a row of icons in a terminal, over the whole width.
struct IconStrip: Sendable {
    /// The maximum width of a label, in cells.
    private static let widest = 16

    let icons: [ScreenIcon]
    private let labels: [String]
    /// The number of cells from one icon to the next.
    private let pitch: Int

    init(_ icons: [ScreenIcon], _ glyphs: Glyphs) {
        self.icons = icons
        let labels = icons.map { icon in
            let symbol = glyphs.symbol(icon.symbol)
            let label = ForeignText.line(icon.label, or: icon.symbol)
            let text = symbol.isEmpty ? label : symbol + " " + label
            return CellWidth.cut(text, to: Self.widest, ellipsis: glyphs.ellipsis)
        }
        self.labels = labels
        // The pitch adds a blank and a frame on both sides of the label, and a gap.
        pitch = (labels.map { CellWidth.of($0) }.max() ?? 0) + 5
    }

    /// The number of cells by which the row has moved, for an offset in icons. The result is less than the
    /// length of the whole row.
    func shift(_ offset: Double) -> Int {
        guard offset.isFinite, !icons.isEmpty else { return 0 }
        let count = Double(icons.count)
        let place = offset.truncatingRemainder(dividingBy: count)
        return Int((place < 0 ? place + count : place) * Double(pitch))
    }

    /// The visible part of the row.
    func canvas(offset: Double, width: Int, isFramed: Bool, _ glyphs: Glyphs) -> Canvas {
        let strip = Canvas(size: TerminalSize(columns: width, rows: isFramed ? 3 : 1))
        guard !labels.isEmpty else { return strip }
        var painting = Painting(canvas: strip)
        let shift = shift(offset)
        // A row that fits and has not moved shows each icon once.
        let isOnce = labels.count * pitch <= width && offset == 0
        let start = isOnce ? (width - labels.count * pitch + 1) / 2 : 0
        let room = pitch - 5
        for place in 0..<(isOnce ? labels.count : width / pitch + 2) {
            let label = labels[(shift / pitch + place) % labels.count]
            let x = start + place * pitch - shift % pitch
            if isFramed {
                let area = CellArea(x: x, y: 0, width: room + 4, height: 3)
                painting.frame(area, glyphs, style: CellStyle(dim: true))
            }
            let inset = (room - CellWidth.of(label)) / 2
            painting.canvas.draw(label, x: x + 2 + inset, y: isFramed ? 1 : 0, style: CellStyle(.accent))
        }
        return painting.canvas
    }
}
