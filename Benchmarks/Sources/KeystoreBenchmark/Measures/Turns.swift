/// Contestants that take turns within each round, so that a busy machine is busy for all.
struct Turns {
    /// What a round's times become.
    enum Reduction {
        case median
        /// For work that waits for nothing: what is slower was disturbed.
        case fastest
        case mean
    }

    private var current: [String: [Double]] = [:]
    private var rounds: [String: [[Double]]] = [:]

    /// Times work, by operation.
    mutating func time(
        _ name: String,
        operations: Int = 1,
        _ body: () async throws -> Void
    ) async throws {
        let start = ContinuousClock.now
        try await body()
        let each = (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations)
        current[name, default: []].append(each)
    }

    /// Ends a round; at least one time of each contestant of the round is there.
    mutating func endRound() {
        for (name, times) in current { rounds[name, default: []].append(times.sorted()) }
        current = [:]
    }

    /// The figure of each round, in nanoseconds, by contestant.
    func figures(_ reduction: Reduction) -> [String: [Double]] {
        rounds.mapValues { rounds in
            rounds.map { times in
                switch reduction {
                case .median: times[times.count / 2]
                case .fastest: times[0]
                case .mean: times.reduce(0, +) / Double(times.count)
                }
            }
        }
    }
}
