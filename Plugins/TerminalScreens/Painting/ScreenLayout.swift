internal import LockScreens

/// The parts of a screen, with the form and the first row of each.
struct ScreenLayout {
    /// The spacing of the pad's keys. With `padless` no pad is drawn, and digits can only be typed.
    enum Density: CaseIterable {
        case framed
        case airy
        case tight
        case padless

        /// The number of rows from one row of keys to the next.
        var keyPitch: Int {
            switch self {
            case .framed: 3
            case .airy: 2
            case .tight, .padless: 1
            }
        }

        /// The smallest number of columns for this density.
        var columns: Int { self == .framed ? 30 : 1 }
        var padHeight: Int { self == .framed ? 12 : 3 * keyPitch + 1 }
    }

    /// A part of the screen that fills whole rows.
    enum Block {
        case symbol(String)
        case title([String])
        case prompt([String])
        case entry(EntryContent, isFramed: Bool)
        case message([String], ScreenMessage.Kind?)
        case pad(NumberPad, Density)
        case buttons([[ScreenControl]])
        case list([ListItem], height: Int)

        var height: Int {
            switch self {
            case .symbol: 1
            case .title(let lines), .prompt(let lines): lines.count
            case .entry(_, let isFramed): isFramed ? 3 : 1
            case .message(let lines, _): lines.count
            case .pad(_, let density): density.padHeight
            case .buttons(let rows): rows.count
            case .list(_, let height): height
            }
        }

        /// Whether the block is the row that is reserved for a message, and there is no message. The row may
        /// still show that the screen is busy.
        var isEmptyMessage: Bool {
            if case .message(_, nil) = self { true } else { false }
        }

        /// Whether a blank row is put before the block if there is room for it.
        var startsGroup: Bool {
            switch self {
            case .symbol, .prompt, .message: false
            case .title: false
            case .entry, .pad, .buttons, .list: true
            }
        }
    }

    /// The blocks with their first rows, from top to bottom.
    private(set) var placed: [(Block, Int)] = []

    /// Creates the most spacious layout that shows every text in full. The result is `nil` if no layout fits.
    /// In that case the screen has to scroll.
    init?(_ content: ScreenContent, size: TerminalSize, glyphs: Glyphs) {
        for density in Density.allCases where density.columns <= size.columns {
            var blocks = Self.blocks(content, size, glyphs, density)
            // Only dense layouts may lack blank rows between the groups. The other layouts would be hard to
            // read without blank rows, so a denser layout is used instead.
            let isDense = density == .tight || density == .padless
            let air = isDense ? 0 : blocks.count { $0.startsGroup }
            func height() -> Int { blocks.reduce(0) { $0 + $1.height } }
            if isDense, height() > size.rows { blocks.removeAll(where: \.isEmptyMessage) }
            guard height() + air <= size.rows else { continue }
            place(blocks, height(), size)
            return
        }
        return nil
    }

    private mutating func place(_ blocks: [Block], _ height: Int, _ size: TerminalSize) {
        var spare = size.rows - height
        let gaps = min(spare, blocks.count { $0.startsGroup })
        spare -= gaps
        var gapsLeft = gaps
        var y = spare / 2
        for block in blocks {
            if block.startsGroup, gapsLeft > 0 {
                y += 1
                gapsLeft -= 1
            }
            placed.append((block, y))
            y += block.height
        }
    }

    private static func blocks(
        _ content: ScreenContent,
        _ size: TerminalSize,
        _ glyphs: Glyphs,
        _ density: Density
    ) -> [Block] {
        var blocks: [Block] = []
        let symbol = glyphs.symbol(content.symbol)
        let isDense = density == .tight || density == .padless
        let both = symbol.isEmpty ? content.title : symbol + " " + content.title
        if !isDense, !symbol.isEmpty { blocks.append(.symbol(symbol)) }
        let title = isDense && CellWidth.of(both) <= size.columns ? both : content.title
        blocks.append(.title(CellWidth.wrap(title, to: size.columns)))
        if !content.prompt.isEmpty {
            blocks.append(.prompt(CellWidth.wrap(content.prompt, to: size.columns)))
        }
        if let entry = content.entry {
            var isFramed = false
            if case .field = entry.style { isFramed = density == .framed }
            blocks.append(.entry(entry, isFramed: isFramed))
        }
        // A row is reserved even without a message, so that the other parts do not move when a message
        // appears.
        let line = content.shownMessage ?? (content.isBusy ? ScreenMessage(.notice, glyphs.working) : nil)
        let kind = content.shownMessage?.kind
        blocks.append(.message(CellWidth.wrap(line?.text ?? "", to: size.columns), kind))
        if let pad = content.pad, density != .padless { blocks.append(.pad(pad, density)) }
        if content.controls.contains(where: { $0.kind != .button }) {
            let items = ListItem.items(of: content.controls)
            let used = blocks.reduce(0) { $0 + $1.height }
            // A list with fewer than four visible lines would be hard to use.
            let fewest = min(items.count, 4)
            blocks.append(.list(items, height: min(items.count, max(fewest, size.rows - used))))
        } else if !content.controls.isEmpty {
            blocks.append(.buttons(buttonRows(content.controls, width: size.columns, glyphs)))
        }
        return blocks
    }

    /// Splits the buttons into rows that fit.
    static func buttonRows(_ controls: [ScreenControl], width: Int, _ glyphs: Glyphs) -> [[ScreenControl]] {
        var rows: [[ScreenControl]] = []
        var used = 0
        for control in controls {
            let needed = CellWidth.of(ScreenPainter.label(of: control, glyphs)) + 2
            if !rows.isEmpty, used + buttonGap + needed <= width {
                rows[rows.count - 1].append(control)
                used += buttonGap + needed
            } else {
                rows.append([control])
                used = needed
            }
        }
        return rows
    }

    /// The number of cells between two buttons.
    static let buttonGap = 2
}
