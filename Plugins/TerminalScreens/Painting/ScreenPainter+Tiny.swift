internal import LockScreens

extension ScreenPainter {
    /// Draws the requested input, and a note that the window is too small, in the few available lines. There
    /// is no pad, no frame and no clickable area. Keys work as on a larger screen.
    func paintTiny(_ content: ScreenContent, focus: ScreenTarget?, on painting: inout Painting) {
        let size = painting.canvas.size
        var lines: [(text: String, style: CellStyle)] = []
        let title = content.alert?.title ?? (content.prompt.isEmpty ? content.title : content.prompt)
        lines.append((title, CellStyle(bold: true)))
        if content.alert == nil, let entry = content.entry {
            let count =
                switch entry.style {
                case .dots(let all): "\(entry.filled)/\(all)"
                case .field: "\(entry.filled)"
                }
            // On a terminal with a single row, the count and the title share that row.
            if size.rows == 1 {
                lines[0].text += " " + count
            } else {
                lines.append((count, CellStyle(.accent)))
            }
        }
        if content.alert == nil, let message = content.shownMessage {
            // On a terminal with a single row, a message replaces the other lines.
            let line = (message.text, style(of: message.kind))
            if size.rows == 1 { lines = [line] } else { lines.append(line) }
        }
        if let focused = focusedTitle(content, focus), size.rows > lines.count || content.alert != nil {
            let line = ("[" + focused + "]", CellStyle(.accent, bold: true))
            if size.rows == 1 { lines = [line] } else { lines.append(line) }
        }
        if size.rows > lines.count { lines.append((tooSmall(size.columns), CellStyle(dim: true))) }
        lines = Array(lines.prefix(size.rows))
        let top = (size.rows - lines.count) / 2
        for (offset, line) in lines.enumerated() {
            let text = CellWidth.cut(line.text, to: size.columns, ellipsis: glyphs.ellipsis)
            painting.drawCentred(text, y: top + offset, style: line.style)
        }
    }

    private func tooSmall(_ columns: Int) -> String {
        let by = glyphs.unicode ? "×" : "x"
        let size = "\(Self.smallest.columns)\(by)\(Self.smallest.rows)"
        let choices = ["Too small: make it \(size)", "Too small: \(size)", "Too small", "Small"]
        return choices.first { CellWidth.of($0) <= columns } ?? size
    }

    private func focusedTitle(_ content: ScreenContent, _ focus: ScreenTarget?) -> String? {
        let controls = content.alert?.actions ?? content.controls
        switch focus {
        case .control(let id):
            return controls.first { $0.id == id }?.title
        case .option(let id, let index):
            guard case .choice(let options, _) = controls.first(where: { $0.id == id })?.kind,
                options.indices.contains(index)
            else { return nil }
            return options[index]
        case .digit, .delete, nil:
            return nil
        }
    }
}
