/// Compares the spelling of words.
package enum Spelling: Sendable {
    /// Returns the edit distance: the number of letters that are missing, superfluous, wrong or swapped with
    /// a neighbour.
    package static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var before: [Int] = []
        var row = Array(0...second.count)
        for (line, letter) in first.enumerated() {
            var next = [line + 1]
            for (column, other) in second.enumerated() {
                var least = min(
                    row[column + 1] + 1,
                    next[column] + 1,
                    row[column] + (letter == other ? 0 : 1)
                )
                if line > 0, column > 0, letter == second[column - 1], first[line - 1] == other {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[second.count]
    }
}
