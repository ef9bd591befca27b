internal import ArgumentParser
internal import CronScheduler
internal import FoundationEssentials

/// What `inputs` wrote.
struct Inputs {
    /// What an expression is there for.
    enum Group: String {
        case mixed, sparse, never
    }

    struct Row {
        var group: Group
        var text: String
        var expression: CronExpression
    }

    struct Visit {
        var row: Int
        var second: Int
    }

    /// The expressions, which results name by their index.
    let rows: [Row]
    /// Seconds since 1970, in 2020 to 2029.
    let instants: [Int]
    /// Seconds since 1970 in the eight years around 2100 that have no 29 February.
    let century: [Int]
    /// Mixed expressions and instants in random order.
    let visits: [Visit]

    init(folder: String) throws {
        rows = try Self.table("\(folder)/expressions").map { columns in
            guard let group = Group(rawValue: columns[0]) else {
                throw ValidationError("no such group: \(columns[0])")
            }
            return try Row(group: group, text: columns[1], expression: CronExpression(columns[1]))
        }
        instants = try Self.table("\(folder)/instants").map { try Self.number($0[0]) }
        century = try Self.table("\(folder)/century").map { try Self.number($0[0]) }
        visits = try Self.table("\(folder)/visits").map { columns in
            try Visit(row: Self.number(columns[0]), second: Self.number(columns[1]))
        }
    }

    /// The zones that are measured.
    static func zones() throws -> [ZoneRules] {
        guard let newYork = ZoneRules("America/New_York") else {
            throw ValidationError("the time zone data lacks New York")
        }
        return [.utc, newYork]
    }

    /// The lines of a file, split at their tabs.
    static func table(_ path: String) throws -> [[String]] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: "\t").map(String.init) }
    }

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text) else { throw ValidationError("not a number: \(text)") }
        return number
    }
}
