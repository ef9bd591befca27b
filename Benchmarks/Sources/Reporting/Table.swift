/// Lines in which one contestant stands beside a physical limit and its peers.
package struct Table {
    /// What has to hold.
    package enum Bar {
        /// Ours is no more than this.
        case atMost(Double)
        /// Ours is at most so many times the limit.
        case timesLimit(Double)
        /// The limit is at least so many times ours.
        case limitOverOurs(Double)
        /// A peer's is at least so many times ours.
        case peerOverOurs(String, Double)
    }

    /// One line.
    package struct Row {
        /// What was measured.
        package var title: String
        package var unit = Quantity.time
        /// The values of the rounds, by contestant.
        package var values: [String: [Double]]
        package var bars: [Bar] = []

        /// A line of these values.
        package init(
            _ title: String,
            _ unit: Quantity = .time,
            _ values: [String: [Double]],
            bars: [Bar] = []
        ) {
            (self.title, self.unit, self.values, self.bars) = (title, unit, values, bars)
        }
    }

    /// The name of ours.
    package static let ours = "Portcullis"

    private let limit: String?
    private let peers: [String]
    private let rows: [Row]

    /// A table.
    ///
    /// - Parameters:
    ///   - limit: the contestant that is no peer but what the machine gives; it stands beside ours.
    ///   - peers: in the order of their columns; those without a value are left out.
    package init(limit: String?, peers: [String], _ rows: [Row]) {
        self.limit = limit
        self.peers = peers.filter { peer in rows.contains { $0.values[peer]?.isEmpty == false } }
        self.rows = rows
    }

    /// The table in Markdown.
    package var markdown: String {
        let columns = ["", Self.ours] + (limit.map { [$0] } ?? []) + peers + ["bar"]
        let head = ["| \(columns.joined(separator: " | ")) |", "|\(columns.map { _ in " --- |" }.joined())"]
        return (head + rows.map(line)).joined(separator: "\n") + "\n"
    }

    private func line(_ row: Row) -> String {
        let cells =
            [row.title, Figure(row.values[Self.ours] ?? [])?.text(row.unit) ?? "–"]
            + ((limit.map { [$0] } ?? []) + peers).map { cell(row, $0) } + [
                row.bars.map { verdict($0, row) }.joined(separator: "; ")
            ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// Another's figure, and how ours compares: the limit as ours in times of it, a peer as its in times of ours.
    private func cell(_ row: Row, _ name: String) -> String {
        guard let figure = Figure(row.values[name] ?? []) else { return "–" }
        let text = figure.text(row.unit)
        if name == limit {
            return ratio(row, Self.ours, over: name).map { "\(text): ours \(threeDigits($0)) ×" } ?? text
        }
        return ratio(row, name, over: Self.ours).map { "\(text): \(threeDigits($0)) × ours" } ?? text
    }

    /// The median of the rounds' ratios: a busy moment of the machine is one for both.
    private func ratio(_ row: Row, _ above: String, over below: String) -> Double? {
        guard let above = row.values[above], let below = row.values[below] else { return nil }
        return Figure(zip(above, below).map { $0 / $1 })?.median
    }

    private func verdict(_ bar: Bar, _ row: Row) -> String {
        let (text, isMet): (String, Bool?) =
            switch bar {
            case .atMost(let most):
                (
                    "≤ \(Scale(most, row.unit).text(most))",
                    Figure(row.values[Self.ours] ?? []).map { $0.median <= most }
                )
            case .timesLimit(let most):
                (
                    "≤ \(threeDigits(most)) × limit",
                    ratio(row, Self.ours, over: limit ?? "").map { $0 <= most }
                )
            case .limitOverOurs(let least):
                (
                    "limit ≥ \(threeDigits(least)) × ours",
                    ratio(row, limit ?? "", over: Self.ours).map { $0 >= least }
                )
            case .peerOverOurs(let peer, let least):
                (
                    "\(peer) ≥ \(threeDigits(least)) × ours",
                    ratio(row, peer, over: Self.ours).map { $0 >= least }
                )
            }
        return "\(text): \(isMet.map { $0 ? "met" : "**missed**" } ?? "not measured")"
    }
}
