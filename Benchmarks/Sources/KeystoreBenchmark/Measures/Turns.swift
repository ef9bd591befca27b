import Foundation

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

    /// What a time is read from.
    enum Clock {
        case wall
        /// The processor time of all threads: the same as the wall's for work that waits for nothing and has one thread,
        /// and the same on a busy machine.
        case processor

        fileprivate var now: Double {
            var time = timespec()
            unsafe clock_gettime(self == .wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
        }
    }

    /// Times work, by operation.
    mutating func time(
        _ name: String,
        operations: Int = 1,
        by clock: Clock = .wall,
        _ body: () async throws -> Void
    ) async throws {
        let start = clock.now
        try await body()
        current[name, default: []].append((clock.now - start) / Double(operations))
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
