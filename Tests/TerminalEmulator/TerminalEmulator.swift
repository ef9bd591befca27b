/// A small terminal for tests: a grid, the alternate screen, and the modes that programs switch.
///
/// It knows what these tests need and drops everything else; it never fails on unknown sequences.
public struct TerminalEmulator: Sendable {
    private enum State: Sendable {
        case ground
        case escape
        case csi
        case string(sawEscape: Bool)
        case skipOne
    }

    /// Columns.
    public private(set) var columns: Int
    /// Rows.
    public private(set) var rows: Int
    /// Private modes that are on, by number.
    public private(set) var modes = modesAtFirst
    /// Those that are on before anything was written.
    public static let modesAtFirst: Set<Int> = [7, 25, 64]
    /// The kitty keyboard protocol's stack of flags of the screen that is shown; each screen has its own.
    public private(set) var keyboardStack: [Int] = []
    private var otherKeyboardStack: [Int] = []
    /// The title of the window.
    public private(set) var title = ""
    private var titles: [String] = []
    private let keepsTitles: Bool
    private var savedModes: Set<Int> = []
    private var command: [UInt8] = []
    /// The cursor's column.
    public private(set) var x = 0
    /// The cursor's row.
    public private(set) var y = 0
    private var grid: [[Character?]]
    private var mainGrid: [[Character?]]?
    private var saved = (x: 0, y: 0)
    private var mainSaved = (x: 0, y: 0)
    private var state = State.ground
    private var parameters = ""
    private var utf8: [UInt8] = []

    /// A blank terminal of this size.
    ///
    /// - Parameters:
    ///   - columns: its width in cells.
    ///   - rows: its height in cells.
    ///   - keepsTitles: whether titles can be put aside; not every terminal knows how.
    public init(columns: Int, rows: Int, keepsTitles: Bool = true) {
        self.keepsTitles = keepsTitles
        self.columns = columns
        self.rows = rows
        self.grid = Self.blank(columns, rows)
    }

    private static func blank(_ columns: Int, _ rows: Int) -> [[Character?]] {
        Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// Whether the alternate screen is shown.
    public var isAlternate: Bool { mainGrid != nil }

    /// The text of each row, without blanks at the end.
    public var lines: [String] {
        grid.map { row in
            var line = String(row.compactMap { $0 })
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// All rows as one text.
    public var text: String { lines.joined(separator: "\n") }

    /// Changes the size; what does not fit is cut off.
    public mutating func resize(columns: Int, rows: Int) {
        func fit(_ old: [[Character?]]) -> [[Character?]] {
            var new = Self.blank(columns, rows)
            for row in 0..<min(rows, old.count) {
                for column in 0..<min(columns, old[row].count) { new[row][column] = old[row][column] }
            }
            return new
        }
        grid = fit(grid)
        mainGrid = mainGrid.map(fit)
        (self.columns, self.rows) = (columns, rows)
        (x, y) = (min(x, columns - 1), min(y, rows - 1))
    }

    /// Takes bytes that a program wrote.
    public mutating func write(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { take(byte) }
    }

    private mutating func take(_ byte: UInt8) {
        switch state {
        case .ground: ground(byte)
        case .escape: escape(byte)
        case .csi:
            switch byte {
            case 0x40..<0x7F:
                state = .ground
                finishCSI(Character(Unicode.Scalar(byte)))
            case 0x1B: state = .escape
            case 0x18, 0x1A: state = .ground
            // Controls are carried out where they stand.
            case 0x00..<0x20, 0x7F: break
            default: parameters.unicodeScalars.append(Unicode.Scalar(byte))
            }
        case .string(let sawEscape):
            if byte == 0x07 || (sawEscape && byte == 0x5C) {
                state = .ground
                finishCommand()
            } else if byte == 0x18 {
                state = .ground
            } else {
                state = .string(sawEscape: byte == 0x1B)
                if byte != 0x1B { command.append(byte) }
            }
        case .skipOne: state = .ground
        }
    }

    private mutating func ground(_ byte: UInt8) {
        switch byte {
        case 0x1B: state = .escape
        case 0x0D: x = 0
        case 0x0A: lineFeed()
        case 0x08: x = max(0, x - 1)
        case 0x09: x = min(columns - 1, (x / 8 + 1) * 8)
        case 0x00..<0x20, 0x7F: break
        case 0x20..<0x7F: put(Character(Unicode.Scalar(byte)))
        default:
            utf8.append(byte)
            let needed = utf8[0] >= 0xF0 ? 4 : utf8[0] >= 0xE0 ? 3 : utf8[0] >= 0xC0 ? 2 : 1
            guard utf8.count >= needed else { return }
            put(String(decoding: utf8, as: UTF8.self).first ?? "?")
            utf8 = []
        }
    }

    private mutating func lineFeed() {
        guard y == rows - 1 else { return y += 1 }
        grid.removeFirst()
        grid.append(Array(repeating: " ", count: columns))
    }

    private mutating func put(_ character: Character) {
        // A combining mark joins the character before it.
        if let mark = character.unicodeScalars.first, (0x300...0x36F).contains(mark.value) {
            if x > 0, let base = grid[y][x - 1] { grid[y][x - 1] = Character(String(base) + String(mark)) }
            return
        }
        let width = Self.isWide(character) ? 2 : 1
        if x + width > columns {
            x = 0
            lineFeed()
        }
        clearHalves(x)
        grid[y][x] = character
        if width == 2 {
            clearHalves(x + 1)
            grid[y][x] = character
            grid[y][x + 1] = nil
        }
        x += width
    }

    /// Overwriting half of a wide character blanks the other half.
    private mutating func clearHalves(_ column: Int) {
        if grid[y][column] == nil, column > 0 { grid[y][column - 1] = " " }
        if column + 1 < columns, grid[y][column + 1] == nil { grid[y][column + 1] = " " }
        grid[y][column] = " "
    }

    private static func isWide(_ character: Character) -> Bool {
        character.unicodeScalars.first.map {
            (0x1100...0x115F).contains($0.value) || (0x2E80...0xA4CF).contains($0.value)
                || (0xAC00...0xD7A3).contains($0.value) || (0xFF00...0xFF60).contains($0.value)
                || (0x1F300...0x1F64F).contains($0.value)
        } ?? false
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "["):
            state = .csi
            parameters = ""
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"):
            state = .string(sawEscape: false)
            command = byte == UInt8(ascii: "]") ? [] : [byte]
        case UInt8(ascii: " "), UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "("), UInt8(ascii: ")"):
            state = .skipOne
        case UInt8(ascii: "7"):
            saved = (x, y)
            state = .ground
        case UInt8(ascii: "8"):
            (x, y) = saved
            state = .ground
        case UInt8(ascii: "="), UInt8(ascii: ">"):
            // Keypad modes share the set under a number no private mode has.
            if byte == UInt8(ascii: "=") { modes.insert(-66) } else { modes.remove(-66) }
            state = .ground
        case UInt8(ascii: "c"): self = Self(columns: columns, rows: rows, keepsTitles: keepsTitles)
        default: state = .ground
        }
    }

    private mutating func finishCSI(_ final: Character) {
        let isPrivate = parameters.hasPrefix("?")
        let numbers = parameters.drop { !$0.isNumber && $0 != ";" }.split(
            separator: ";",
            omittingEmptySubsequences: false
        ).map { Int($0) ?? 0 }
        let first = numbers.first ?? 0
        switch final {
        case "H", "f":
            y = min(max(1, first), rows) - 1
            x = min(max(1, numbers.count > 1 ? numbers[1] : 1), columns) - 1
        case "A": y = max(0, y - max(1, first))
        case "B": y = min(rows - 1, y + max(1, first))
        case "C": x = min(columns - 1, x + max(1, first))
        case "D": x = max(0, x - max(1, first))
        case "G": x = min(columns, max(1, first)) - 1
        case "J": eraseDisplay(first)
        case "K": eraseLine(first)
        case "h" where isPrivate: for number in numbers { set(number, true) }
        case "l" where isPrivate: for number in numbers { set(number, false) }
        case "s" where isPrivate: savedModes = modes
        case "r" where isPrivate: for number in numbers { set(number, savedModes.contains(number)) }
        case "t" where keepsTitles && first == 22: titles.append(title)
        case "t" where keepsTitles && first == 23: title = titles.popLast() ?? title
        case "u":
            if parameters.hasPrefix(">") { keyboardStack.append(first) }
            if parameters.hasPrefix("<") { keyboardStack.removeLast(min(keyboardStack.count, max(1, first))) }
        default: break
        }
    }

    private mutating func finishCommand() {
        let text = String(decoding: command, as: UTF8.self)
        if text.hasPrefix("0;") || text.hasPrefix("2;") { title = String(text.dropFirst(2)) }
        command = []
    }

    private mutating func eraseDisplay(_ part: Int) {
        switch part {
        case 0:
            eraseLine(0)
            for row in (y + 1)..<max(y + 1, rows) { grid[row] = Array(repeating: " ", count: columns) }
        case 1:
            eraseLine(1)
            for row in 0..<y { grid[row] = Array(repeating: " ", count: columns) }
        default: grid = Self.blank(columns, rows)
        }
    }

    private mutating func eraseLine(_ part: Int) {
        let range = part == 0 ? x..<columns : part == 1 ? 0..<min(columns, x + 1) : 0..<columns
        for column in range where column < columns { grid[y][column] = " " }
    }

    private mutating func set(_ mode: Int, _ isOn: Bool) {
        if isOn { modes.insert(mode) } else { modes.remove(mode) }
        guard [47, 1047, 1049].contains(mode), isOn != isAlternate else { return }
        swap(&keyboardStack, &otherKeyboardStack)
        if isOn {
            mainGrid = grid
            mainSaved = (x, y)
            grid = Self.blank(columns, rows)
        } else {
            grid = mainGrid ?? grid
            mainGrid = nil
            if mode == 1049 { (x, y) = (min(mainSaved.x, columns - 1), min(mainSaved.y, rows - 1)) }
        }
    }
}
