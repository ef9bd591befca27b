/// The picture of a terminal, as far as the app's drawing needs it: places, clearing, and text.
struct DrawnScreen: Sendable {
    private var cells: [[Character]]
    private var x = 0
    private var y = 0
    private var sequence: String?
    /// The lines before the frame that is being drawn. Half a frame could show a button at an old place.
    private var before: String?

    init(columns: Int, rows: Int) {
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    /// All lines of the last whole frame, from top to bottom.
    var text: String { before ?? lines }

    private var lines: String { cells.map { String($0) }.joined(separator: "\n") }

    mutating func write(_ text: String) {
        for scalar in text.unicodeScalars {
            if var begun = sequence {
                begun.unicodeScalars.append(scalar)
                sequence = begun
                // `[` opens a control sequence, which a letter ends.
                if begun.count > 1, ("@"..."~").contains(scalar) {
                    run(begun.dropFirst())
                    sequence = nil
                }
            } else if scalar == "\u{1B}" {
                sequence = ""
            } else if scalar.value >= 0x20 {
                put(Character(scalar))
            }
        }
    }

    private mutating func put(_ character: Character) {
        if cells.indices.contains(y), cells[y].indices.contains(x) { cells[y][x] = character }
        x += 1
    }

    private mutating func run(_ command: Substring) {
        switch command.last {
        // Synchronized updates begin and end a frame.
        case "h" where command == "?2026h": before = lines
        case "l" where command == "?2026l": before = nil
        case "H":
            let place = command.dropLast().split(separator: ";").map { Int($0) ?? 1 }
            (y, x) = ((place.first ?? 1) - 1, (place.count > 1 ? place[1] : 1) - 1)
        case "G": x = (Int(command.dropLast()) ?? 1) - 1
        case "C": x += Int(command.dropLast()) ?? 1
        case "J":
            for row in cells.indices { cells[row] = cells[row].map { _ in " " } }
        case "K":
            if cells.indices.contains(y) {
                for column in cells[y].indices.dropFirst(x) { cells[y][column] = " " }
            }
        default: break
        }
    }
}
