public import PasscodeLock

/// Draws what a screen shows, at any size.
///
/// From 40×12 up everything is there: title, prompt, entry, message, the whole pad and the controls; where there
/// is room the keys get frames and the parts stand apart. On less, a few lines say what is asked for.
public struct ScreenPainter: Sendable {
    /// The smallest size at which the whole screen is drawn.
    public static let smallest = TerminalSize(columns: 40, rows: 12)

    let glyphs: Glyphs

    /// A painter for a terminal with these abilities.
    public init(_ abilities: TerminalAbilities = TerminalAbilities()) {
        self.glyphs = Glyphs(unicode: abilities.unicode)
    }

    /// Draws a screen.
    ///
    /// - Parameters:
    ///   - content: what the screen shows.
    ///   - size: the terminal's.
    ///   - focus: what Return would activate; `nil` for the entry.
    ///   - shake: by how many cells the entry stands to the right of its place.
    public func paint(
        _ content: ScreenContent,
        size: TerminalSize,
        focus: ScreenTarget? = nil,
        shake: Int = 0
    ) -> Painting {
        var painting = Painting(canvas: Canvas(size: size))
        guard size.columns >= Self.smallest.columns, size.rows >= Self.smallest.rows else {
            paintTiny(content, focus: focus, on: &painting)
            return painting
        }
        let focusBehind = content.alert == nil ? focus : nil
        let layout = ScreenLayout(content, size: size, glyphs: glyphs)
        for (block, y) in layout.placed {
            switch block {
            case .symbol(let symbol):
                painting.drawCentred(symbol, y: y, style: CellStyle(.accent))
            case .title(let title):
                painting.drawCentred(cut(title, size), y: y, style: CellStyle(bold: true))
            case .prompt(let prompt):
                painting.drawCentred(cut(prompt, size), y: y)
            case .entry(let entry, let isFramed):
                paint(entry, isFramed: isFramed, y: y, shake: shake, isBusy: content.isBusy, on: &painting)
            case .message(let lines, let kind):
                for (offset, line) in lines.enumerated() {
                    painting.drawCentred(line, y: y + offset, style: style(of: kind))
                }
            case .pad(let pad, let density):
                paint(pad, density, y: y, isBusy: content.isBusy, on: &painting)
            case .buttons(let rows):
                for (offset, row) in rows.enumerated() {
                    paint(row, y: y + offset, focus: focusBehind, on: &painting)
                }
            case .list(let items, let height):
                paint(items, y: y, height: height, focus: focusBehind, on: &painting)
            }
        }
        if let alert = content.alert {
            paint(alert, focus: focus, on: &painting)
        }
        return painting
    }

    private func cut(_ text: String, _ size: TerminalSize) -> String {
        CellWidth.cut(text, to: size.columns, ellipsis: glyphs.ellipsis)
    }

    func style(of kind: ScreenMessage.Kind?) -> CellStyle {
        switch kind {
        case .error: CellStyle(.warning)
        case .countDown: CellStyle(.waiting)
        case .notice: CellStyle()
        case nil: CellStyle(dim: true)
        }
    }

    private func paint(
        _ entry: EntryContent,
        isFramed: Bool,
        y: Int,
        shake: Int,
        isBusy: Bool,
        on painting: inout Painting
    ) {
        let row = isFramed ? y + 1 : y
        switch entry.style {
        case .dots(let count):
            let dots = (0..<count).map { $0 < entry.filled ? glyphs.filledDot : glyphs.emptyDot }
            painting.drawCentred(
                dots.joined(separator: "  "),
                y: row,
                style: CellStyle(.accent, dim: isBusy),
                shift: shake
            )
        case .field:
            let width = min(30, painting.canvas.size.columns - 8)
            let x = (painting.canvas.size.columns - width) / 2 + shake
            if isFramed {
                let area = CellArea(x: x - 2, y: y, width: width + 4, height: 3)
                painting.frame(area, glyphs, style: CellStyle(dim: true))
            } else {
                painting.canvas.draw("[", x: x - 2, y: row, style: CellStyle(dim: true))
                painting.canvas.draw("]", x: x + width + 1, y: row, style: CellStyle(dim: true))
            }
            let shown = String(repeating: glyphs.mask, count: min(entry.filled, width - 1))
            painting.canvas.draw(shown, x: x, y: row, style: CellStyle(.accent, dim: isBusy))
            // The place where the next character goes.
            painting.canvas.draw(
                " ",
                x: x + min(entry.filled, width - 1),
                y: row,
                style: CellStyle(dim: isBusy, reversed: !isBusy)
            )
        }
    }

    private func paint(
        _ pad: NumberPad,
        _ density: ScreenLayout.Density,
        y: Int,
        isBusy: Bool,
        on painting: inout Painting
    ) {
        let keyWidth = density == .framed ? 7 : 5
        let gap = density == .framed ? 2 : 3
        let left = (painting.canvas.size.columns - (3 * keyWidth + 2 * gap)) / 2
        let isOn = pad.isEnabled && !isBusy
        for (row, keys) in NumberPad.rows.enumerated() {
            for (column, key) in keys.enumerated() {
                let (label, target): (String, ScreenTarget)
                switch key {
                case .digit(let digit): (label, target) = (String(digit), .digit(digit))
                case .delete:
                    let symbol = glyphs.symbol(pad.deleteSymbol)
                    (label, target) = (symbol.isEmpty ? "<x" : symbol, .delete)
                case .blank: continue
                }
                let area = CellArea(
                    x: left + column * (keyWidth + gap),
                    y: y + row * density.keyPitch,
                    width: keyWidth,
                    height: density == .framed ? 3 : 1
                )
                if density == .framed { painting.frame(area, glyphs, style: CellStyle(dim: true)) }
                painting.canvas.draw(
                    label,
                    x: area.x + (keyWidth - CellWidth.of(label)) / 2,
                    y: area.y + area.height / 2,
                    style: CellStyle(bold: isOn, dim: !isOn)
                )
                if isOn { painting.targets.append((area, target)) }
            }
        }
    }
}
