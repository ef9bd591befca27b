#if !os(Linux)
internal import Foundation
internal import PortcullisCore

/// Sleeps on Swift's continuous clock, which counts suspended time on Darwin.
final class ContinuousSleeps: SleepService {
    func sleep(until deadline: ClockDeadline) async throws(CancellationError) {
        while true {
            let left =
                switch deadline {
                case .sinceBoot(let time): time - SystemTime.sinceBoot()
                case .wall(let time): min(time - SystemTime.wall(), .seconds(60))
                }
            do {
                try Task.checkCancellation()
                guard left > .zero else { return }
                try await Task.sleep(for: left, clock: .continuous)
            } catch {
                throw CancellationError()
            }
        }
    }

    func notices() -> AsyncStream<ClockNotice> {
        AsyncStream { continuation in
            let center = NotificationCenter.default
            let pairs: [(NSNotification.Name, ClockNotice)] = [
                (.NSSystemClockDidChange, .wallClockSet), (.NSSystemTimeZoneDidChange, .zoneChanged),
            ]
            let tokens = pairs.map { name, notice in
                Observation(
                    token: center.addObserver(forName: name, object: nil, queue: nil) { _ in
                        continuation.yield(notice)
                    }
                )
            }
            continuation.onTermination = { _ in
                for observation in tokens { center.removeObserver(observation.token) }
            }
        }
    }

    func start() {}

    func stop() {}

    /// The token of an observer that is registered with the notification centre.
    @safe
    private struct Observation: Sendable {
        // The code only passes the token back to the notification centre, which accepts it from any thread.
        nonisolated(unsafe) let token: any NSObjectProtocol
    }
}
#endif
