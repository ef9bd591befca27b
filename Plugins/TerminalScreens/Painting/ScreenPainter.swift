public import LockScreens

/// Draws the content of a screen at every size.
///
/// From 40×12 cells (columns × rows) up, every part is drawn: title, prompt, entry, message, the whole pad
/// and the controls. On larger terminals the keys get frames, and there are blank rows between the parts.
/// From 24×10 cells up, every text can be read and every control can be used. Between 24×10 and 40×12 cells,
/// long content scrolls, and the pad may be left out, because the keyboard has the same keys. On smaller
/// terminals a few lines name the requested input and say that the window is too small.
public struct ScreenPainter: Sendable {
    /// The smallest size at which all texts can be read and all controls can be used.
    public static let smallest = TerminalSize(columns: 24, rows: 10)

    let glyphs: Glyphs

    /// Creates a painter for a terminal with these abilities.
    public init(_ abilities: TerminalAbilities = TerminalAbilities()) {
        self.glyphs = Glyphs(unicode: abilities.unicode)
    }

    /// Draws a screen with an entry or a few controls. ``TerminalScreen`` also draws lists, cards and texts.
    ///
    /// - Parameters:
    ///   - content: the content of the screen.
    ///   - size: the terminal's size.
    ///   - focus: the target that Return would activate; `nil` for the entry.
    ///   - shake: the number of cells by which the entry is moved to the right.
    ///   - hints: the explanations of keys, the most useful first. The last row shows as many as fit.
    public func paint(
        _ content: ScreenContent,
        size: TerminalSize,
        focus: ScreenTarget? = nil,
        shake: Int = 0,
        hints: [String] = []
    ) -> Painting {
        paint(content, size: size, focus: focus, anchor: focus, shake: shake, hints: hints)
    }

    /// Draws a screen. If the screen scrolls, the line of the target `anchor` is visible.
    func paint(
        _ content: ScreenContent,
        size: TerminalSize,
        focus: ScreenTarget?,
        anchor: ScreenTarget?,
        shake: Int,
        hints: [String]
    ) -> Painting {
        var painting = Painting(canvas: Canvas(size: size))
        guard Self.isEnough(size) else {
            paintTiny(content, focus: focus, on: &painting)
            return painting
        }
        if let sheet = sheet(of: content, size: size, hints: hints) {
            return paint(sheet, size: size, focus: focus, anchor: anchor)
        }
        let focusBehind = content.alert == nil ? focus : nil
        let hint = KeyHints.line(hints, width: size.columns, glyphs)
        painting.drawCentred(hint, y: size.rows - 1, style: CellStyle(dim: true))
        for (block, y) in ScreenLayout(content, size: size.above(hint), glyphs: glyphs)?.placed ?? [] {
            switch block {
            case .symbol(let symbol):
                painting.drawCentred(symbol, y: y, style: CellStyle(.accent))
            case .title(let lines):
                draw(lines, y: y, style: CellStyle(bold: true), on: &painting)
            case .prompt(let lines):
                draw(lines, y: y, style: CellStyle(), on: &painting)
            case .entry(let entry, let isFramed):
                paint(entry, isFramed: isFramed, y: y, shake: shake, isBusy: content.isBusy, on: &painting)
            case .message(let lines, let kind):
                draw(lines, y: y, style: style(of: kind), on: &painting)
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
            painting.drawCentred(hint, y: size.rows - 1, style: CellStyle(dim: true))
        }
        return painting
    }

    /// Whether all texts can be read and all controls can be used at this size.
    static func isEnough(_ size: TerminalSize) -> Bool {
        size.columns >= smallest.columns && size.rows >= smallest.rows
    }

    private func draw(_ lines: [String], y: Int, style: CellStyle, on painting: inout Painting) {
        for (offset, line) in lines.enumerated() { painting.drawCentred(line, y: y + offset, style: style) }
    }

    /// The dots of an entry, spaced as far as the width allows.
    func dots(_ entry: EntryContent, of count: Int, width: Int) -> String {
        let dots = (0..<count).map { $0 < entry.filled ? glyphs.filledDot : glyphs.emptyDot }
        let choices = [2, 1, 0].map { dots.joined(separator: String(repeating: " ", count: $0)) }
        return choices.first { CellWidth.of($0) <= width } ?? "\(entry.filled)/\(count)"
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
            painting.drawCentred(
                dots(entry, of: count, width: painting.canvas.size.columns),
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
            // The cursor marks the place of the next character.
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

extension TerminalSize {
    /// The size that is left above a hint in the last row; the whole size if there is no hint.
    func above(_ hint: String) -> TerminalSize {
        TerminalSize(columns: columns, rows: hint.isEmpty ? rows : rows - 1)
    }
}
