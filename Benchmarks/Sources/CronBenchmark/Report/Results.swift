internal import Reporting

/// What the contestants printed, round by round.
struct Results {
    /// Who takes part.
    enum Contestant: String, CaseIterable {
        case portcullis, robfig, quartz, croniter, cronsim

        /// What it calls itself.
        var title: String {
            switch self {
            case .portcullis: "Portcullis"
            case .robfig: "robfig/cron"
            case .quartz: "Quartz"
            case .croniter: "croniter"
            case .cronsim: "cronsim"
            }
        }
    }

    struct Key: Hashable {
        var contestant: Contestant
        var measure: String
        var zone: String
    }

    /// How the values of several expressions, or of several seconds, become one figure.
    enum Reduction {
        case median, highest
        /// The value that 99 of 100 do not exceed.
        case percentile99

        func callAsFunction(_ values: [Double]) -> Double? {
            switch self {
            case .median: Figure(values)?.median
            case .highest: values.max()
            case .percentile99:
                values.isEmpty ? nil : values.sorted()[(values.count * 99 + 99) / 100 - 1]
            }
        }
    }

    private var values: [Key: [Int: [Double]]] = [:]

    /// Reads lines of round, contestant, measure, zone, case and value.
    init(_ table: [[String]]) {
        for columns in table where columns.count == 6 {
            guard let round = Int(columns[0]), let contestant = Contestant(rawValue: columns[1]),
                let value = Double(columns[5])
            else { continue }
            let key = Key(contestant: contestant, measure: columns[2], zone: columns[3])
            values[key, default: [:]][round, default: []].append(value)
        }
    }

    /// The figure of each round.
    func rounds(_ key: Key, _ reduction: Reduction) -> [Int: Double] {
        (values[key] ?? [:]).compactMapValues { reduction($0) }
    }
}
