internal import PasscodeLock

/// Which parts of a screen are drawn how, and on which rows.
struct ScreenLayout {
    /// How far the keys of the pad stand apart.
    enum Density: CaseIterable {
        case framed
        case airy
        case tight

        /// Rows from one row of keys to the next.
        var keyPitch: Int {
            switch self {
            case .framed: 3
            case .airy: 2
            case .tight: 1
            }
        }
        var padHeight: Int { self == .framed ? 12 : 3 * keyPitch + 1 }
    }

    /// A part that takes whole rows.
    enum Block {
        case symbol(String)
        case title(String)
        case prompt(String)
        case entry(EntryContent, isFramed: Bool)
        case message([String], ScreenMessage.Kind?)
        case pad(NumberPad, Density)
        case buttons([[ScreenControl]])
        case list([ListItem], height: Int)

        var height: Int {
            switch self {
            case .symbol, .title, .prompt: 1
            case .entry(_, let isFramed): isFramed ? 3 : 1
            case .message(let lines, _): lines.count
            case .pad(_, let density): density.padHeight
            case .buttons(let rows): rows.count
            case .list(_, let height): height
            }
        }

        /// Whether a free row before it makes the screen easier to read.
        var startsGroup: Bool {
            switch self {
            case .symbol, .prompt, .message: false
            case .title: false
            case .entry, .pad, .buttons, .list: true
            }
        }
    }

    /// The parts with their first rows, from top to bottom.
    private(set) var placed: [(Block, Int)] = []

    init(_ content: ScreenContent, size: TerminalSize, glyphs: Glyphs) {
        for density in Density.allCases {
            var blocks = Self.blocks(content, size, glyphs, density)
            var height = blocks.reduce(0) { $0 + $1.height }
            let groups = blocks.count { $0.startsGroup }
            let isLast = density == .tight
            // Frames without air between the groups would be harder to read than no frames.
            guard isLast || height + groups <= size.rows else { continue }
            if height > size.rows {
                blocks = Self.shrink(blocks, by: height - size.rows)
                height = blocks.reduce(0) { $0 + $1.height }
            }
            place(blocks, height, size)
            return
        }
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
        if density == .tight || symbol.isEmpty {
            blocks.append(.title(symbol.isEmpty ? content.title : symbol + " " + content.title))
        } else {
            blocks.append(.symbol(symbol))
            blocks.append(.title(content.title))
        }
        if !content.prompt.isEmpty { blocks.append(.prompt(content.prompt)) }
        if let entry = content.entry {
            var isFramed = false
            if case .field = entry.style { isFramed = density == .framed }
            blocks.append(.entry(entry, isFramed: isFramed))
        }
        // A row is kept also without a message, so that nothing jumps when one comes.
        let text = content.message?.text ?? (content.isBusy ? glyphs.working : "")
        let lines = CellWidth.wrap(text, to: size.columns).prefix(density == .tight ? 2 : 4)
        blocks.append(.message(Array(lines), content.message?.kind))
        if let pad = content.pad { blocks.append(.pad(pad, density)) }
        if content.controls.contains(where: { $0.kind != .button }) {
            let items = ListItem.items(of: content.controls)
            let used = blocks.reduce(0) { $0 + $1.height }
            blocks.append(.list(items, height: min(items.count, max(1, size.rows - used))))
        } else if !content.controls.isEmpty {
            blocks.append(.buttons(buttonRows(content.controls, width: size.columns, glyphs)))
        }
        return blocks
    }

    /// Breaks the buttons into rows that fit.
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

    /// Cells between two buttons.
    static let buttonGap = 2

    /// Gives up what can be missed most easily until the rest fits.
    private static func shrink(_ blocks: [Block], by excess: Int) -> [Block] {
        var excess = excess
        return blocks.compactMap { block in
            guard excess > 0, case .message(let lines, let kind) = block else { return block }
            let kept = kind == nil ? 0 : 1
            excess -= lines.count - kept
            return kept == 0 ? nil : .message(Array(lines.prefix(kept)), kind)
        }
    }
}
