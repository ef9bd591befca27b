extension ScreenPainter {
    /// Draws a sheet at every size. Content that does not fit is left out or scrolls.
    ///
    /// - Parameters:
    ///   - sheet: the sheet.
    ///   - size: the terminal's size.
    ///   - focus: the target that Return would activate.
    ///   - anchor: the target whose line must be visible.
    func paint(_ sheet: Sheet, size: TerminalSize, focus: ScreenTarget?, anchor: ScreenTarget?) -> Painting {
        var painting = Painting(canvas: Canvas(size: size))
        let sheet = sheet.wrapped(to: size)
        let layout = SheetLayout(sheet, size: size, focus: focus, glyphs: glyphs)
        let symbol = glyphs.symbol(sheet.symbol)
        if let row = layout.symbolRow { painting.drawCentred(symbol, y: row, style: CellStyle(.accent)) }
        if let row = layout.titleRow {
            let both = layout.symbolRow == nil && !symbol.isEmpty ? symbol + " " + sheet.title : sheet.title
            let text = CellWidth.of(both) <= size.columns ? both : sheet.title
            let title = CellWidth.cut(text, to: size.columns, ellipsis: glyphs.ellipsis)
            painting.drawCentred(title, y: row, style: CellStyle(bold: true))
        }
        for (offset, line) in sheet.head.prefix(layout.headHeight).enumerated() {
            draw(line, y: layout.headRow + offset, layout, isFocused: false, on: &painting)
        }
        paintBody(of: sheet, layout, focus, anchor, on: &painting)
        if let band = layout.band {
            painting.canvas.draw(band, x: (size.columns - band.size.columns) / 2, y: layout.bandRow)
        }
        for (offset, row) in layout.buttonRows.enumerated() {
            paint(row, y: layout.buttonRow + offset, focus: focus, on: &painting)
        }
        if let row = layout.hintRow {
            let hint = KeyHints.line(sheet.hints, width: size.columns, glyphs)
            painting.drawCentred(hint, y: row, style: CellStyle(dim: true))
        }
        return painting
    }

    private func paintBody(
        of sheet: Sheet,
        _ layout: SheetLayout,
        _ focus: ScreenTarget?,
        _ anchor: ScreenTarget?,
        on painting: inout Painting
    ) {
        guard layout.bodyHeight > 0 else { return }
        let index = Self.line(of: anchor, on: sheet)
        let window = ListWindow(of: sheet.body.count, around: index, height: layout.bodyHeight)
        for (offset, index) in window.shown.enumerated() {
            let line = sheet.body[index]
            let row = layout.bodyRow + offset
            guard case .item(let target, let isEnabled) = line.kind else {
                draw(line, y: row, layout, isFocused: false, on: &painting)
                continue
            }
            draw(line, y: row, layout, isFocused: isEnabled && target == focus, on: &painting)
            if isEnabled {
                let area = CellArea(x: layout.left, y: row, width: layout.width, height: 1)
                painting.targets.append((area, target))
            }
        }
        paintMarks(of: window, x: layout.left + layout.width, y: layout.bodyRow, on: &painting)
    }

    private static func line(of anchor: ScreenTarget?, on sheet: Sheet) -> Int {
        for (index, line) in sheet.body.enumerated() {
            switch line.kind {
            case .item(let target, _): if target == anchor { return index }
            case .text: if SheetStand.stop(index) == anchor { return index }
            case .heading: break
            }
        }
        return 0
    }

    private func draw(
        _ line: Sheet.Line,
        y: Int,
        _ layout: SheetLayout,
        isFocused: Bool,
        on painting: inout Painting
    ) {
        var style = line.style
        if isFocused {
            style.isBold = true
            style.isReversed = true
        }
        let trailing = line.trailing.isEmpty ? "" : " " + line.trailing + " "
        let room = max(0, layout.width - CellWidth.of(trailing))
        let text = CellWidth.cut(line.text, to: room, ellipsis: glyphs.ellipsis)
        if line.isCentred {
            return painting.drawCentred(text, y: y, style: style)
        }
        guard isFocused || !trailing.isEmpty else {
            return painting.canvas.draw(text, x: layout.left, y: y, style: style)
        }
        let padding = String(repeating: " ", count: room - CellWidth.of(text))
        painting.canvas.draw(text + padding + trailing, x: layout.left, y: y, style: style)
    }
}
