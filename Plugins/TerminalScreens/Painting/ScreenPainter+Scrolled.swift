internal import LockScreens

extension ScreenPainter {
    /// The screen, or its alert, as a sheet that scrolls. The result is `nil` if the screen or the alert fits
    /// without scrolling, or if the terminal is smaller than ``smallest``.
    func sheet(of content: ScreenContent, size: TerminalSize, hints: [String]) -> Sheet? {
        guard Self.isEnough(size) else { return nil }
        let hint = KeyHints.line(hints, width: size.columns, glyphs)
        if let alert = content.alert {
            return hasRoom(for: alert, size: size) ? nil : sheet(of: alert, size, hints)
        }
        guard ScreenLayout(content, size: size.above(hint), glyphs: glyphs) == nil else { return nil }
        let width = SheetLayout.width(size)
        var sheet = Sheet(title: content.title, buttons: [], hints: hints)
        sheet.body = Sheet.text(content.prompt, width: width, isCentred: true)
        if let entry = content.entry {
            sheet.entryLine = sheet.body.count
            sheet.body.append(
                Sheet.Line(
                    kind: .text,
                    text: line(of: entry, width: width),
                    style: CellStyle(.accent, dim: content.isBusy),
                    isCentred: true
                )
            )
        }
        let message = content.shownMessage?.text ?? (content.isBusy ? glyphs.working : "")
        let style = style(of: content.shownMessage?.kind)
        sheet.body += Sheet.text(message, width: width, style: style, isCentred: true)
        if content.controls.contains(where: { $0.kind != .button }) {
            sheet.body += ListItem.items(of: content.controls).map(line)
        } else {
            sheet.buttons = content.controls
        }
        return sheet
    }

    private func sheet(of alert: ScreenAlert, _ size: TerminalSize, _ hints: [String]) -> Sheet {
        Sheet(
            title: alert.title,
            body: Sheet.text(alert.text, width: SheetLayout.width(size), isCentred: true),
            buttons: alert.actions,
            hints: hints
        )
    }

    private func line(of entry: EntryContent, width: Int) -> String {
        switch entry.style {
        case .dots(let count): dots(entry, of: count, width: width)
        case .field:
            "[" + String(repeating: glyphs.mask, count: min(entry.filled, max(0, width - 3))) + "_]"
        }
    }

    private func line(of item: ListItem) -> Sheet.Line {
        let style = CellStyle(.accent, dim: !item.control.isEnabled)
        switch item.kind {
        case .heading:
            return Sheet.Line(kind: .heading, text: item.title, style: CellStyle(bold: true))
        case .button:
            return line(of: item, item.title, style)
        case .toggle(let isOn):
            var line = line(of: item, item.title, style)
            line.trailing = isOn ? glyphs.on : glyphs.off
            return line
        case .option(let isSelected):
            let mark = isSelected ? glyphs.selected : glyphs.unselected
            return line(of: item, mark + " " + item.title, style)
        }
    }

    private func line(of item: ListItem, _ text: String, _ style: CellStyle) -> Sheet.Line {
        let target = item.target ?? .control(item.control.id)
        return Sheet.Line(
            kind: .item(target, isEnabled: item.control.isEnabled),
            text: text,
            style: style
        )
    }
}
