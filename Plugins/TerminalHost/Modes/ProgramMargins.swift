/// Where a program let the terminal scroll, as far as it must be put back after a lock screen, which needs all of it.
struct ProgramMargins: Sendable, Hashable {
    /// DECSTBM's parameters; empty for the whole height.
    private var rows: [Int] = []
    /// DECSLRM's parameters; empty for the whole width.
    private var columns: [Int] = []

    /// The whole screen.
    init() {}

    mutating func setRows(_ numbers: [Int]) { rows = Self.margins(numbers) }

    mutating func setColumns(_ numbers: [Int]) { columns = Self.margins(numbers) }

    /// From the first to the last is what no margins are.
    private static func margins(_ numbers: [Int]) -> [Int] {
        let pair = Array(numbers.prefix(2))
        return pair.allSatisfy { $0 == 0 } ? [] : pair
    }

    /// Margins of the whole screen, the cursor where it is; nothing when they are that.
    var undo: String { rows.isEmpty ? "" : "\u{1B}7\u{1B}[r\u{1B}8" }

    /// Margins as the program had them. They move the cursor.
    ///
    /// - Parameter hasColumns: whether the program switched those of columns on (DECLRMM).
    func redo(hasColumns: Bool) -> String {
        var text = ""
        if hasColumns {
            text += "\u{1B}[?69h"
            if !columns.isEmpty { text += "\u{1B}[\(Self.list(columns))s" }
        }
        if !rows.isEmpty { text += "\u{1B}[\(Self.list(rows))r" }
        return text
    }

    private static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ";") }
}
