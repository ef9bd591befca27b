internal import ArgumentParser
internal import CronScheduler
internal import Foundation
internal import PortcullisCore
internal import PortcullisTesting
internal import Synchronization

/// Quiet hours on a clock that the simulation moves, over apps that are in memory only. So a week takes no
/// time.
struct Simulation {
    private let executor = ManualExecutor()
    private let clock: ManualClock
    private let apps: ShieldSelection
    let shield: InMemoryShieldController

    /// Begins at noon of a date, in a zone whose clocks never change.
    init(from text: String, apps: ShieldSelection) throws {
        guard let start = try? Date("\(text)T12:00:00Z", strategy: .iso8601) else {
            throw ValidationError("\(text) is no date such as 2026-03-06")
        }
        clock = ManualClock(wall: .seconds(start.timeIntervalSince1970), executor: executor)
        self.apps = apps
        shield = InMemoryShieldController(apps: apps.apps.map { .init($0, label: $0.rawValue) })
    }

    func run(_ times: QuietTimes, days: Int) async throws -> [String] {
        let lines = Mutex<[String]>([])
        let names = apps.apps.map(\.rawValue).sorted()
        let backends = Backends(
            shield: shield,
            scheduler: CronScheduler(clock: clock, executor: executor),
            clock: clock
        )
        let quiet = QuietHours(backends, times, apps: apps) { [clock] news in
            let told = news.lines(for: names).map { "\(TimeStamp.now(of: clock))  \($0)" }
            lines.withLock { $0 += told }
        }
        let running = Task(executorPreference: executor) { try await quiet.run() }
        await clock.advance(by: .seconds(days * 86_400))
        running.cancel()
        executor.runUntilIdle()
        // The run ends because it was cancelled. Any other error is a failure.
        do { try await running.value } catch is CancellationError {}
        return lines.withLock { $0 }
    }
}
