internal import Reporting

/// A line of the report.
struct ReportRow {
    var title: String
    var measure: String
    var zone: String
    var reduction = Results.Reduction.median
    var unit = Quantity.time
    /// The most that our figure may be.
    var bar: Double?
    /// How many times our figure each peer must need at least.
    var ratios: [Results.Contestant: Int] = [:]

    /// What ours is compared with where a peer is used in another way than usual.
    var peerMeasure: String?

    /// Finding times, and reading expressions.
    static let searching: [ReportRow] = ["UTC", "America/New_York"].flatMap(searches) + parsing

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

// The running scheduler.
extension ReportRow {
    /// The running scheduler.
    static let running: [ReportRow] =
        [
            ReportRow(
                title: "a job of 100,000 with 50 expressions, allocated",
                measure: "memory",
                zone: "jobs-mixed",
                unit: .bytes,
                bar: 200
            ),
            ReportRow(
                title: "a job of 100,000, all different, allocated",
                measure: "memory",
                zone: "jobs-different",
                unit: .bytes,
                bar: 200
            ),
            ReportRow(
                title: "the same, growth of the process",
                measure: "resident",
                zone: "jobs-different",
                unit: .bytes
            ),
            ReportRow(
                title: "the same with its in-memory journal, allocated",
                measure: "memory-journal",
                zone: "jobs-different",
                unit: .bytes
            ),
        ] + sizes.flatMap(changes) + [
            ReportRow(
                title: "CPU of 10 s, 100,000 jobs, none due",
                measure: "idle",
                zone: "100000",
                bar: 1e6
            ),
            ReportRow(title: "CPU of 10 s without jobs", measure: "idle", zone: "0"),
            ReportRow(title: "10,000 jobs at once, last start, median", measure: "burst", zone: "-"),
            ReportRow(
                title: "10,000 jobs at once, last start, slowest of 20",
                measure: "burst",
                zone: "-",
                reduction: .highest,
                bar: 20e6
            ),
            ReportRow(title: "one job each second, lateness, median", measure: "lateness", zone: "-"),
            ReportRow(
                title: "one job each second, lateness, p99",
                measure: "lateness",
                zone: "-",
                reduction: .percentile99,
                bar: 2e6
            ),
            ReportRow(title: "a year of 1,000 jobs", measure: "year", zone: "-", bar: 1e9),
            ReportRow(title: "the same with an in-memory journal", measure: "year-journal", zone: "-"),
            ReportRow(title: "fires of that year", measure: "year-fires", zone: "-", unit: .count),
        ]

    /// How many jobs there are while one is added.
    static let sizes = [10, 100, 1_000, 10_000, 100_000]

    private static func changes(_ size: Int) -> [ReportRow] {
        let pair = ReportRow(
            title: "one job added to \(size), and removed",
            measure: "change",
            zone: "\(size)"
        )
        guard size == sizes.last else { return [pair] }
        return [
            pair,
            ReportRow(title: "each of \(size) jobs added", measure: "add", zone: "\(size)"),
            ReportRow(title: "each of \(size) jobs removed", measure: "remove", zone: "\(size)"),
        ]
    }
}
