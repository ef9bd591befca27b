internal import ArgumentParser
internal import FoundationEssentials

/// Writes the files that all contestants read, the same on every machine.
struct WriteInputs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inputs",
        abstract: "Writes the files that all contestants read."
    )

    /// How often expressions are visited in random order: more often than branch predictors remember.
    private static let visitCount = 200_000

    private static let jobCount = 100_000

    @Argument(help: "The list of expressions.") var expressions: String
    @Argument(help: "The folder to write to.") var folder: String

    func run() throws {
        let rows = try String(contentsOfFile: expressions, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map(Self.columns)
        try write("expressions", rows.map { $0.joined(separator: "\t") })

        var random = SplitMix64(state: 2_026)
        // 2020 to 2029.
        let decade = 1_577_836_800..<1_893_456_000
        try write("instants", (0..<1_000).map { _ in "\(Int.random(in: decade, using: &random))" })
        // From March 2096 to February 2104 there is no 29 February.
        let century = 3_981_484_800..<4_233_686_400
        try write("century", (0..<1_000).map { _ in "\(Int.random(in: century, using: &random))" })
        let mixed = rows.indices.filter { rows[$0][0] == "mixed" }
        let visits = (0..<Self.visitCount).map { _ in
            "\(mixed[Int.random(in: mixed.indices, using: &random)])\t\(Int.random(in: decade, using: &random))"
        }
        try write("visits", visits)

        let texts = rows.filter { $0[0] == "mixed" }.map { $0[1] }
        try write("jobs-mixed", (0..<Self.jobCount).map { texts[$0 % texts.count] })
        try write("jobs-different", (0..<Self.jobCount).map(Self.different))
    }

    /// Another expression for each number.
    private static func different(_ number: Int) -> String {
        let (time, date) = (number % 1_440, number / 1_440)
        return "\(time % 60) \(time / 60) \(date % 28 + 1) \(date / 28 + 1) *"
    }

    /// Group, five fields, and what Quartz calls the same.
    private static func columns(of line: Substring) throws -> [String] {
        let columns = line.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
        guard columns.count == 3 else { throw ValidationError("not three columns: \(line)") }
        guard columns[2] == "-" else { return columns }
        let fields = columns[1].split(separator: " ")
        return [columns[0], columns[1], "0 \(fields.dropLast().joined(separator: " ")) ?"]
    }

    private func write(_ name: String, _ lines: [String]) throws {
        try (lines.joined(separator: "\n") + "\n")
            .write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    }
}

/// Random numbers that are the same in every run.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
