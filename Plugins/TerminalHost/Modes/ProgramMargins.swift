/// The scrolling margins that a program has set. A covering screen resets them to use the whole screen.
struct ProgramMargins: Sendable, Hashable {
    /// The parameters of DECSTBM; empty for the whole height.
    private var rows: [Int] = []
    /// The parameters of DECSLRM; empty for the whole width.
    private var columns: [Int] = []

    /// Creates margins of the whole screen.
    init() {}

    mutating func setRows(_ numbers: [Int]) { rows = Self.margins(numbers) }

    mutating func setColumns(_ numbers: [Int]) { columns = Self.margins(numbers) }

    /// Reads the parameters of a sequence for margins. Without parameters the margins are those of the whole
    /// screen.
    private static func margins(_ numbers: [Int]) -> [Int] {
        let pair = Array(numbers.prefix(2))
        return pair.allSatisfy { $0 == 0 } ? [] : pair
    }

    /// The sequences that reset the row margins and keep the cursor; empty when no row margins are set. The
    /// column margins end when their mode (DECLRMM) is switched off.
    var undo: String { rows.isEmpty ? "" : "\u{1B}7\u{1B}[r\u{1B}8" }

    /// The sequences that set the program's margins again. They move the cursor.
    ///
    /// - Parameter hasColumns: whether the program has switched column margins on (DECLRMM).
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
