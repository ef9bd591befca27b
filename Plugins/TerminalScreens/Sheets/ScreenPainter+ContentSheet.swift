internal import LockScreens
internal import PortcullisCore

extension ScreenContent {
    /// Whether the screen is drawn as a sheet at every size, because it has lists, cards or texts. A screen
    /// with an entry is not drawn as a sheet, because it needs the middle for the entry and the keys.
    var isSheet: Bool {
        guard entry == nil else { return false }
        return cards != nil || icons != nil || search != nil || !texts.isEmpty
            || controls.contains { control in
                switch control.kind {
                case .link, .option: true
                case .button, .toggle, .choice: false
                }
            }
    }
}

extension ScreenPainter {
    /// A screen of lists, cards or texts as lines from top to bottom. The buttons are below the lines. Every
    /// other control takes one or more of the lines.
    func contentSheet(of content: ScreenContent, size: TerminalSize, strip: IconStrip?, hints: [String])
        -> Sheet
    {
        let width = SheetLayout.width(size)
        var sheet = Sheet(
            symbol: content.cards == nil ? content.symbol : "",
            title: ForeignText.tidy(content.title),
            buttons: content.controls.filter { $0.kind == .button },
            isTall: content.search != nil,
            hints: hints
        )
        if let search = content.search { sheet.head = [line(of: search)] }
        sheet.body = Sheet.text(ForeignText.tidy(content.prompt), width: width, isCentred: true)
        let rows = content.controls.filter { $0.kind != .button }
        addRows(rows, isBusy: content.isBusy, to: &sheet)
        let isList = !rows.isEmpty || content.search != nil
        if let deck = content.cards {
            add(deck, news: message(of: content, width: width), width: width, size, to: &sheet)
        } else if isList {
            let text = ForeignText.tidy(content.message?.text ?? "")
            sheet.addGroup(
                Sheet.text(text, width: width - 2, style: style(of: content.message?.kind)).map(\.indented)
            )
        } else {
            sheet.body += message(of: content, width: width)
        }
        for text in content.texts { sheet.addGroup(lines(of: text, width: width, isCentred: !isList)) }
        if let strip, let icons = content.icons {
            sheet.bands = [true, false].map {
                strip.canvas(offset: icons.offset, width: size.columns, isFramed: $0, glyphs)
            }
        }
        return sheet.fitting(size)
    }

    private func line(of search: SearchField) -> Sheet.Line {
        let text = ForeignText.tidy(search.text)
        return Sheet.Line(
            kind: .text,
            text: search.text.isEmpty ? " " + search.prompt : " / " + text + "_",
            trailing: search.summary,
            style: search.text.isEmpty ? CellStyle(dim: true) : CellStyle(.accent)
        )
    }

    private func message(of content: ScreenContent, width: Int) -> [Sheet.Line] {
        let text = content.message.map { ForeignText.tidy($0.text) } ?? (content.isBusy ? glyphs.working : "")
        return Sheet.text(text, width: width, style: style(of: content.message?.kind), isCentred: true)
    }

    /// Adds the front card, as a picture if it fits and as lines otherwise.
    private func add(
        _ deck: CardDeck,
        news: [Sheet.Line],
        width: Int,
        _ size: TerminalSize,
        to sheet: inout Sheet
    ) {
        let picture = CardFrame(deck: deck, glyphs: glyphs)
        let frame = picture.canvas(width: min(width, 46))
        guard SheetLayout.isRoomy(size), frame.size.rows + news.count + 8 <= size.rows else {
            let text = ForeignText.tidy(deck.front?.text ?? "")
            sheet.body += news + Sheet.text(text, width: width, isCentred: true)
            sheet.bands = [picture.dots(width: width)]
            return
        }
        // The frame contains the title already, so the sheet has none.
        sheet.title = ""
        sheet.head += news
        sheet.bands = [frame]
    }

    private func lines(of text: ScreenText, width: Int, isCentred: Bool) -> [Sheet.Line] {
        switch text {
        case .paragraph(let text): lines(of: text, CellStyle(), width: width, isCentred: isCentred)
        case .note(let text): lines(of: text, CellStyle(dim: true), width: width, isCentred: isCentred)
        case .items(let items):
            items.flatMap { item in
                CellWidth.wrap(ForeignText.tidy(item), to: width - 3).enumerated().map { place, line in
                    Sheet.Line(kind: .text, text: " " + (place == 0 ? glyphs.bullet : " ") + " " + line)
                }
            }
        }
    }

    private func lines(of text: String, _ style: CellStyle, width: Int, isCentred: Bool) -> [Sheet.Line] {
        let space = isCentred ? min(width, 56) : width - 2
        let lines = Sheet.text(ForeignText.tidy(text), width: space, style: style, isCentred: isCentred)
        return isCentred ? lines : lines.map(\.indented)
    }

    // MARK: Rows

    private func addRows(_ rows: [ScreenControl], isBusy: Bool, to sheet: inout Sheet) {
        var group = ""
        for control in rows {
            if control.group != group {
                group = control.group
                if !sheet.body.isEmpty { sheet.body.append(Sheet.gap) }
                if !group.isEmpty {
                    sheet.body.append(
                        Sheet.Line(kind: .heading, text: " " + group, style: CellStyle(bold: true))
                    )
                }
            }
            sheet.body += lines(of: control, isBusy: isBusy)
        }
    }

    private func lines(of control: ScreenControl, isBusy: Bool) -> [Sheet.Line] {
        let title = " " + ForeignText.line(control.title, or: control.id.rawValue)
        // A control that is disabled only during an operation keeps the focus.
        let kind = Sheet.Line.Kind.item(.control(control.id), isEnabled: control.isEnabled || isBusy)
        var line = Sheet.Line(kind: kind, text: title, style: CellStyle(.accent, dim: !control.isEnabled))
        switch control.kind {
        case .button: return [line]
        case .toggle(let isOn):
            line.trailing = isBusy ? glyphs.working : isOn ? glyphs.on : glyphs.off
            return [line]
        case .link(let chosen):
            line.trailing = glyphs.onward
            return [line]
                + chosen.map { item in
                    let label = ForeignText.line(item.label, or: item.id.rawValue)
                    return Sheet.Line(kind: .text, text: "   " + glyphs.bullet + " " + label)
                }
        case .option(let isChosen):
            line.text = " " + (isChosen ? glyphs.checked : glyphs.unchecked) + title
            if !isChosen { line.style = CellStyle(dim: !control.isEnabled) }
            return [line]
        case .choice(let options, let selected):
            return [Sheet.Line(kind: .heading, text: title, style: CellStyle(bold: true))]
                + options.enumerated().map { index, option in
                    var row = line
                    row.kind = .item(.option(control.id, index), isEnabled: control.isEnabled || isBusy)
                    row.text = " " + (index == selected ? glyphs.selected : glyphs.unselected) + " " + option
                    return row
                }
        }
    }
}

extension Sheet {
    /// Adds lines, with a blank line before them if the body is not empty.
    fileprivate mutating func addGroup(_ lines: [Line]) {
        guard !lines.isEmpty else { return }
        if !body.isEmpty { body.append(Self.gap) }
        body += lines
    }
}

extension Sheet.Line {
    fileprivate var indented: Self {
        var line = self
        line.text = " " + line.text
        return line
    }
}
