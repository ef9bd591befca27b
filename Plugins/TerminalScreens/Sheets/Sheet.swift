internal import LockScreens

/// A screen as lines from top to bottom: a title, a body that scrolls if it is too long, and buttons.
struct Sheet {
    /// A line of the head or the body.
    struct Line {
        /// The kind of a line.
        enum Kind {
            /// A line that can be activated.
            case item(ScreenTarget, isEnabled: Bool)
            /// A line of text.
            case text
            /// A heading, or a blank line.
            case heading
        }

        var kind: Kind
        var text: String
        /// The text at the right edge.
        var trailing = ""
        var style = CellStyle()
        var isCentred = false
    }

    /// The name of the symbol.
    var symbol = ""
    var title: String
    /// The lines under the title, which do not scroll.
    var head: [Line] = []
    var body: [Line] = []
    /// The possible pictures under the body, the most detailed first. The first picture that leaves enough
    /// rows for the other parts is drawn.
    var bands: [Canvas] = []
    var buttons: [ScreenControl]
    /// Whether the body takes all free rows, so that nothing moves when its lines change.
    var isTall = false
    /// The explanations of keys, the most useful first. As many as fit into a line are shown.
    var hints: [String] = []
    /// The index of the body's line that shows the entry.
    var entryLine: Int?

    /// Splits a text into lines of at most `width` cells.
    static func text(_ text: String, width: Int, style: CellStyle = CellStyle(), isCentred: Bool = false)
        -> [Line]
    {
        guard !text.isEmpty else { return [] }
        return CellWidth.wrap(text, to: width).map {
            Line(kind: .text, text: $0, style: style, isCentred: isCentred)
        }
    }

    /// The sheet with a title that fits into one line. If the title is too wide, its other lines are put at
    /// the beginning of the head.
    func wrapped(to size: TerminalSize) -> Sheet {
        let lines = CellWidth.wrap(title, to: size.columns)
        guard lines.count > 1 else { return self }
        var sheet = self
        sheet.title = lines[0]
        sheet.head =
            lines.dropFirst().map {
                Line(kind: .heading, text: $0, style: CellStyle(bold: true), isCentred: true)
            } + head
        return sheet
    }

    /// A blank line. ``fitting(_:)`` removes it on small terminals.
    static let gap = Line(kind: .heading, text: "")

    /// The sheet without blank lines, if the terminal is small.
    func fitting(_ size: TerminalSize) -> Sheet {
        guard !SheetLayout.isRoomy(size) else { return self }
        var sheet = self
        sheet.body.removeAll { line in
            if case .heading = line.kind { line.text.isEmpty } else { false }
        }
        return sheet
    }
}

/// The positions of a sheet's parts on a terminal of a given size.
struct SheetLayout {
    /// The first column and the width of lines. The column to the right of the lines is for the marks which
    /// show that the body continues above or below.
    private(set) var left = 0
    private(set) var width = 1
    private(set) var symbolRow: Int?
    private(set) var titleRow: Int?
    private(set) var headRow = 0
    private(set) var headHeight = 0
    private(set) var bodyRow = 0
    private(set) var bodyHeight = 0
    private(set) var bandRow = 0
    private(set) var band: Canvas?
    private(set) var buttonRow = 0
    private(set) var buttonRows: [[ScreenControl]] = []
    private(set) var hintRow: Int?

    /// The height of a usual sheet, in rows. A sheet with fewer rows begins in the row in which a sheet of
    /// this height would begin.
    private static let usual = 18
    /// The smallest height of a terminal on which a sheet has a row of key hints, in rows.
    private static let hinted = 8

    /// Whether there is room for blank lines and pictures.
    static func isRoomy(_ size: TerminalSize) -> Bool { size.rows >= 14 && size.columns >= 30 }

    /// The width of lines on a terminal of this size.
    static func width(_ size: TerminalSize) -> Int {
        guard size.columns >= 30 else { return max(1, size.columns - 1) }
        let width = min(64, size.columns - 6)
        // The width is adjusted so that both margins are equal.
        return width - (size.columns - width) % 2
    }

    init(_ sheet: Sheet, size: TerminalSize, focus: ScreenTarget?, glyphs: Glyphs) {
        let sheet = sheet.wrapped(to: size)
        width = Self.width(size)
        left = (size.columns - width) / 2
        let isRoomy = Self.isRoomy(size)
        buttonRows = ScreenLayout.buttonRows(sheet.buttons, width: width, glyphs)
        if size.rows < 3 {
            titleRow = nil
            shrinkButtons(to: size.rows - 1, focus)
        } else {
            titleRow = 0
            shrinkButtons(to: max(1, size.rows - 2), focus)
        }
        let title = titleRow == nil ? 0 : 1
        headHeight = min(sheet.head.count, max(0, size.rows - title - buttonRows.count - 1))
        let symbol = size.rows >= 18 && isRoomy && !glyphs.symbol(sheet.symbol).isEmpty ? 1 : 0
        let hint = size.rows >= Self.hinted && !sheet.hints.isEmpty ? 1 : 0
        let gaps = isRoomy ? (sheet.bands.isEmpty ? 2 : 3) + hint : 0
        let chrome = symbol + title + headHeight + buttonRows.count + hint + gaps
        band =
            sheet.bands.enumerated().first { index, band in
                // The last picture is the plainest one. Every other picture is drawn only if the whole body
                // fits too. With the last picture, three lines of the body suffice, and the body then
                // scrolls.
                let words = index < sheet.bands.count - 1 ? sheet.body.count : min(3, sheet.body.count)
                return chrome + band.size.rows + words <= size.rows && band.size.columns <= size.columns
            }?.element
        let bandHeight = band?.size.rows ?? 0
        let room = max(0, size.rows - chrome - bandHeight)
        bodyHeight = sheet.isTall ? room : min(sheet.body.count, room)
        place(in: size, height: chrome + bandHeight + bodyHeight, symbol, title, hint, isRoomy)
    }

    /// Removes rows of buttons that do not fit, but never the row with the focus. On a terminal of one row,
    /// only the row with the focus is shown.
    private mutating func shrinkButtons(to count: Int, _ focus: ScreenTarget?) {
        let focused = buttonRows.firstIndex { $0.contains { focus == .control($0.id) } }
        guard buttonRows.count > max(count, focused == nil ? 0 : 1) else { return }
        let kept = max(count, focused == nil ? 0 : 1)
        let first = min(max(0, (focused ?? 0) - kept + 1), buttonRows.count - kept)
        buttonRows = Array(buttonRows[first..<first + kept])
    }

    private mutating func place(
        in size: TerminalSize,
        height: Int,
        _ symbol: Int,
        _ title: Int,
        _ hint: Int,
        _ isRoomy: Bool
    ) {
        // The sheet is placed a little above the middle, which looks centred. A short sheet begins in the row
        // in which a sheet of the usual height would begin. So the short sheet does not move when a few lines
        // are added or removed.
        var y = (size.rows - max(height, min(size.rows, Self.usual))) * 2 / 5
        let gap = isRoomy ? 1 : 0
        if symbol > 0 {
            symbolRow = y
            y += 1
        }
        titleRow = title > 0 ? y : nil
        y += title
        headRow = y
        y += headHeight + gap
        bodyRow = y
        y += bodyHeight + gap
        bandRow = y
        if let band { y += band.size.rows + gap }
        buttonRow = y
        y += buttonRows.count
        if hint > 0 { hintRow = y + gap }
    }
}
