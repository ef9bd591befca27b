internal import ArgumentParser
internal import CronScheduler
internal import PortcullisCore
internal import Synchronization
internal import SystemClock

/// Tells, for 20 seconds, when the last of many jobs that are due each second has started.
struct Burst: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints how late the last of so many jobs starts that are due at once."
    )

    private static let rounds = 20

    /// What is known of one second.
    private final class Round: Sendable {
        let started = Atomic(0)
        /// Nanoseconds after the second.
        let latest = Atomic(0)
    }

    @Argument(help: "The number of jobs.") var count: Int

    func run() async throws {
        let clock = SystemClock()
        let rounds = (0..<Self.rounds).map { _ in Round() }
        // The first seconds are left to warm up.
        let first = clock.now.wall.components.seconds + 3
        let scheduler = CronScheduler(clock: clock, journal: InMemoryRunJournal())
        let expression = try CronExpression("* * * * * *")
        try await scheduler.add(
            (0..<count).map { job in
                CronJob(ActivityName("job-\(job)"), at: expression) { run in
                    let late = clock.now.wall - run.scheduled
                    let index = Int(run.scheduled.components.seconds - first)
                    guard rounds.indices.contains(index) else { return }
                    rounds[index].latest.max(Int(late / .nanoseconds(1)), ordering: .relaxed)
                    rounds[index].started.add(1, ordering: .relaxed)
                }
            }
        )
        try await clock.sleep(until: .wall(.seconds(first + Int64(Self.rounds)) - .milliseconds(500)))
        await scheduler.shutDown()
        for (index, round) in rounds.enumerated() {
            let started = round.started.load(ordering: .relaxed)
            guard started == count else { throw ValidationError("\(started) of \(count) jobs started") }
            ResultLine(measure: "burst", index: index, value: Double(round.latest.load(ordering: .relaxed)))
                .write()
        }
    }
}
