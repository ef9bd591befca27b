/// Compares the output that a README shows with the output of its command.
enum Transcript {
    /// Stands for any lines, or none.
    private static let anything = "…"

    /// Returns the differences, line by line; `nil` if there are none.
    static func difference(expected: [String], printed: [String]) -> String? {
        if isMatch(expected[...], printed[...]) { return nil }
        let changes = printed.difference(from: expected)
        let removed = Set(changes.removals.map(\.offset))
        let inserted = Set(changes.insertions.map(\.offset))
        var lines: [String] = []
        var (said, shown) = (0, 0)
        while said < expected.count || shown < printed.count {
            if said < expected.count, removed.contains(said) {
                lines.append("- \(expected[said])")
                said += 1
            } else if shown < printed.count, inserted.contains(shown) {
                lines.append("+ \(printed[shown])")
                shown += 1
            } else {
                lines.append("  \(printed[shown])")
                (said, shown) = (said + 1, shown + 1)
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func isMatch(_ expected: ArraySlice<String>, _ printed: ArraySlice<String>) -> Bool {
        guard let first = expected.first else { return printed.isEmpty }
        guard first == anything else {
            return printed.first == first && isMatch(expected.dropFirst(), printed.dropFirst())
        }
        return (printed.startIndex...printed.endIndex).contains {
            isMatch(expected.dropFirst(), printed[$0...])
        }
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
