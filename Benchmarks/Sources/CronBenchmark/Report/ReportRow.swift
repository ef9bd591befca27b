/// A line of the report.
struct ReportRow {
    var title: String
    var measure: String
    var zone: String
    var reduction = Results.Reduction.median
    /// The most that our figure may be.
    var bar: Double?
    /// How many times our figure each peer must need at least.
    var ratios: [Results.Contestant: Int] = [:]

    /// What ours is compared with where a peer is used in another way than usual.
    var peerMeasure: String?

    static let all: [ReportRow] = ["UTC", "America/New_York"].flatMap(searches) + parsing

    /// What a peer must need at least, in times of ours.
    private static let ratioBars: [Results.Contestant: Int] = [.robfig: 10, .quartz: 10, .croniter: 100]

    private static func searches(in zone: String) -> [ReportRow] {
        let place = zone == "UTC" ? zone : "New York"
        let bar: Double = zone == "UTC" ? 120 : 180
        return [
            ReportRow(
                title: "next(), \(place), median of 50",
                measure: "next",
                zone: zone,
                bar: bar,
                ratios: ratioBars
            ),
            ReportRow(
                title: "the same, one croniter object reused",
                measure: "next",
                zone: zone,
                ratios: ratioBars,
                peerMeasure: "next-reused"
            ),
            ReportRow(
                title: "next(), \(place), slowest of 50",
                measure: "next",
                zone: zone,
                reduction: .highest
            ),
            ReportRow(title: "next(), \(place), random order", measure: "cold", zone: zone),
            ReportRow(
                title: "sparsest, \(place), average call",
                measure: "sparse",
                zone: zone,
                reduction: .highest,
                bar: 1_000
            ),
            ReportRow(
                title: "sparsest, \(place), slowest call",
                measure: "sparse-worst",
                zone: zone,
                reduction: .highest,
                bar: 1_000
            ),
            ReportRow(
                title: "sparsest around 2100, \(place), slowest call",
                measure: "century-worst",
                zone: zone,
                reduction: .highest,
                bar: 1_000
            ),
            ReportRow(title: "30 February (never), \(place)", measure: "never", zone: zone),
        ]
    }

    private static let parsing = [
        ReportRow(title: "parse, varied", measure: "parse", zone: "-", bar: 2_000),
        ReportRow(
            title: "parse, slowest of 50",
            measure: "parse-one",
            zone: "-",
            reduction: .highest,
            bar: 2_000
        ),
    ]
}
