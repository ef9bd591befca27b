internal import LockScreens

/// A row of a list of controls.
struct ListItem {
    /// The kind of a row.
    enum Kind {
        case button
        case toggle(isOn: Bool)
        case heading
        case option(isSelected: Bool)
    }

    var kind: Kind
    var title: String
    var target: ScreenTarget?
    var control: ScreenControl

    static func items(of controls: [ScreenControl]) -> [ListItem] {
        controls.flatMap { control -> [ListItem] in
            let target = ScreenTarget.control(control.id)
            switch control.kind {
            case .button, .link:
                return [ListItem(kind: .button, title: control.title, target: target, control: control)]
            case .toggle(let isOn), .option(let isOn):
                return [
                    ListItem(
                        kind: .toggle(isOn: isOn),
                        title: control.title,
                        target: target,
                        control: control
                    )
                ]
            case .choice(let options, let selected):
                let heading = ListItem(kind: .heading, title: control.title, target: nil, control: control)
                return [heading]
                    + options.enumerated().map { index, title in
                        ListItem(
                            kind: .option(isSelected: index == selected),
                            title: title,
                            target: .option(control.id, index),
                            control: control
                        )
                    }
            }
        }
    }
}

extension ScreenPainter {
    static func label(of control: ScreenControl, _ glyphs: Glyphs) -> String {
        let symbol = control.symbol.map(glyphs.symbol) ?? ""
        return symbol.isEmpty ? control.title : symbol + " " + control.title
    }

    private func style(of control: ScreenControl, isFocused: Bool) -> CellStyle {
        var style = CellStyle(control.role == .destructive ? .warning : .accent)
        style.isDim = !control.isEnabled
        style.isReversed = isFocused && control.isEnabled
        style.isBold = isFocused && control.isEnabled
        return style
    }

    /// Draws a row of buttons, centred in `width` columns from the column `left` on.
    func paint(
        _ row: [ScreenControl],
        y: Int,
        focus: ScreenTarget?,
        from left: Int = 0,
        width: Int? = nil,
        on painting: inout Painting
    ) {
        let space = width ?? painting.canvas.size.columns
        let labels = row.map {
            " " + CellWidth.cut(Self.label(of: $0, glyphs), to: space - 2, ellipsis: glyphs.ellipsis) + " "
        }
        let total = labels.reduce(0) { $0 + CellWidth.of($1) } + ScreenLayout.buttonGap * (row.count - 1)
        var x = left + (space - total) / 2
        for (control, label) in zip(row, labels) {
            let target = ScreenTarget.control(control.id)
            painting.canvas.draw(label, x: x, y: y, style: style(of: control, isFocused: focus == target))
            if control.isEnabled {
                let area = CellArea(x: x, y: y, width: CellWidth.of(label), height: 1)
                painting.targets.append((area, target))
            }
            x += CellWidth.of(label) + ScreenLayout.buttonGap
        }
    }

    /// Draws a list, scrolled so that the item with the focus is visible.
    func paint(
        _ items: [ListItem],
        y: Int,
        height: Int,
        focus: ScreenTarget?,
        on painting: inout Painting
    ) {
        let width = min(48, painting.canvas.size.columns - 2)
        let left = (painting.canvas.size.columns - width) / 2
        let focused = items.firstIndex { $0.target != nil && $0.target == focus } ?? 0
        let window = ListWindow(of: items.count, around: focused, height: height)
        for (offset, item) in items[window.shown].enumerated() {
            let isFocused = item.target != nil && item.target == focus
            var title = " " + item.title
            var state = ""
            switch item.kind {
            case .button: title = " " + Self.label(of: item.control, glyphs)
            case .heading: break
            case .toggle(let isOn): state = isOn ? glyphs.on : glyphs.off
            case .option(let isSelected):
                title = "   " + (isSelected ? glyphs.selected : glyphs.unselected) + title
            }
            let titleWidth = width - CellWidth.of(state) - 2
            // If a title is too long, its indentation is removed before letters are cut off.
            while CellWidth.of(title) > titleWidth, title.hasPrefix("  ") { title.removeFirst() }
            title = CellWidth.cut(title, to: titleWidth, ellipsis: glyphs.ellipsis)
            let padding = String(repeating: " ", count: titleWidth - CellWidth.of(title))
            var style = style(of: item.control, isFocused: isFocused)
            if case .heading = item.kind { style = CellStyle(bold: true) }
            let row = y + offset
            painting.canvas.draw(title + padding + " " + state + " ", x: left, y: row, style: style)
            if let target = item.target, item.control.isEnabled {
                painting.targets.append((CellArea(x: left, y: row, width: width, height: 1), target))
            }
        }
        paintMarks(of: window, x: left + width, y: y, on: &painting)
    }

    /// The lines and buttons of an alert that is drawn in a frame.
    private struct FramedAlert {
        let width: Int
        let title: [String]
        let text: [String]
        let rows: [[ScreenControl]]

        init(_ alert: ScreenAlert, columns: Int, _ glyphs: Glyphs) {
            width = min(50, columns - 2)
            let inner = width - 4
            title = CellWidth.wrap(alert.title, to: inner)
            text = alert.text.isEmpty ? [] : CellWidth.wrap(alert.text, to: inner)
            let rows = ScreenLayout.buttonRows(alert.actions, width: inner, glyphs)
            // Several uneven rows of buttons would look accidental. So each button gets a row of its own if
            // one row is not enough.
            self.rows = rows.count > 1 ? alert.actions.map { [$0] } : rows
        }

        /// The number of rows, including the frame. A blank row above the buttons is not counted.
        var height: Int { 2 + title.count + text.count + rows.count }
    }

    /// Whether the whole alert fits in a frame above a hint in the last row.
    func hasRoom(for alert: ScreenAlert, size: TerminalSize) -> Bool {
        FramedAlert(alert, columns: size.columns, glyphs).height < size.rows
    }

    /// Draws an alert over the screen. Only the alert's actions can be clicked.
    func paint(_ alert: ScreenAlert, focus: ScreenTarget?, on painting: inout Painting) {
        painting.canvas.fade()
        painting.targets.removeAll()
        let size = painting.canvas.size
        let framed = FramedAlert(alert, columns: size.columns, glyphs)
        let (width, inner) = (framed.width, framed.width - 4)
        let hasGap = framed.height + 1 < size.rows
        let height = framed.height + (hasGap ? 1 : 0)
        let area = CellArea(
            x: (size.columns - width) / 2,
            y: (size.rows - height) / 2,
            width: width,
            height: height
        )
        painting.canvas.clear(area)
        painting.frame(area, glyphs, style: CellStyle())
        var y = area.y + 1
        for line in framed.title {
            painting.drawCentred(line, y: y, style: CellStyle(bold: true))
            y += 1
        }
        for line in framed.text {
            painting.drawCentred(line, y: y)
            y += 1
        }
        if hasGap { y += 1 }
        for row in framed.rows {
            paint(row, y: y, focus: focus, from: area.x + 2, width: inner, on: &painting)
            y += 1
        }
    }
}
