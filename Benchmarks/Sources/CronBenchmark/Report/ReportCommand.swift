internal import ArgumentParser
internal import Foundation
internal import Reporting

/// Makes the table of what all contestants printed.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes a Markdown table of the results."
    )

    @Argument(help: "A file with lines of round, contestant, measure, zone, case and value.") var results:
        String

    @Option(help: "Draws to this file what it takes to add and remove a job, over how many there are.")
    var plot: String?

    /// The cell of a peer that was not measured.
    private static let nothing = "–"

    private static let peers = Results.Contestant.allCases.filter { $0 != .portcullis }

    func run() throws {
        let results = Results(try Inputs.table(results))
        for table in [ReportRow.searching, ReportRow.running] {
            let lines = table.compactMap { line($0, results) }
            if lines.isEmpty { continue }
            let titles = ["", Results.Contestant.portcullis.title, "bar"] + Self.peers.map(\.title)
            print("| " + titles.joined(separator: " | ") + " |")
            print("|" + String(repeating: " --- |", count: titles.count))
            print(lines.joined(separator: "\n"), terminator: "\n\n")
        }
        if let plot, let svg = changes(results).svg {
            let place = URL(fileURLWithPath: plot)
            try svg.write(to: place, atomically: true, encoding: .utf8)
            print("![adding a job](\(place.lastPathComponent))")
        }
    }

    private func changes(_ results: Results) -> Plot {
        let series = Results.Contestant.allCases.map { contestant in
            Plot.Series(
                contestant.title,
                ReportRow.sizes.compactMap { size in
                    let key = Results.Key(contestant: contestant, measure: "change", zone: "\(size)")
                    return Figure(results.rounds(key, .median).values).map { (x: Double(size), y: $0.median) }
                }
            )
        }
        return Plot("One job added, and removed", over: "jobs in the scheduler", series)
    }

    /// - Returns: `nil` when ours was not measured, or is there for a peer's other use only, and that was not.
    private func line(_ row: ReportRow, _ results: Results) -> String? {
        let ours = results.rounds(
            Results.Key(contestant: .portcullis, measure: row.measure, zone: row.zone),
            row.reduction
        )
        guard let figure = Figure(ours.values) else { return nil }
        let bar = row.bar.map { bar in
            "≤ \(Scale(bar, row.unit).text(bar)): \(verdict(figure.median <= bar))"
        }
        let peers = Self.peers.map { peer in
            let key = Results.Key(contestant: peer, measure: row.peerMeasure ?? row.measure, zone: row.zone)
            return cell(results.rounds(key, row.reduction), ours, row.unit, bar: row.ratios[peer])
        }
        guard row.peerMeasure == nil || peers.contains(where: { $0 != Self.nothing }) else { return nil }
        return "| " + ([row.title, figure.text(row.unit), bar ?? ""] + peers).joined(separator: " | ") + " |"
    }

    /// A peer's figure, and how many times ours it is: the median of the rounds' ratios.
    private func cell(_ theirs: [Int: Double], _ ours: [Int: Double], _ unit: Quantity, bar: Int?)
        -> String
    {
        let ratios = theirs.compactMap { round, value in ours[round].map { value / $0 } }
        guard let figure = Figure(theirs.values), let ratio = Figure(ratios) else { return Self.nothing }
        let judged = bar.map { ", bar \($0) ×: \(verdict(ratio.median >= Double($0)))" }
        return "\(figure.text(unit)): \(threeDigits(ratio.median)) ×" + (judged ?? "")
    }

    private func verdict(_ isMet: Bool) -> String { isMet ? "met" : "**missed**" }
}
