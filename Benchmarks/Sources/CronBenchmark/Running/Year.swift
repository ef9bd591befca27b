internal import ArgumentParser
internal import CronScheduler
internal import PortcullisCore
internal import PortcullisTesting
internal import Synchronization

/// Runs a year of 1,000 mixed jobs in New York on a manual clock, and compares every fire with the prediction.
struct Year: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the nanoseconds of a year of 1,000 jobs, and the number of fires."
    )

    /// 2026-01-01T05:00:00Z, New Year in New York.
    private static let start = 1_767_243_600
    private static let end = start + 365 * 86_400

    /// The fires of one job.
    private final class Tally: Sendable {
        let count = Atomic(0)
        let digest = Atomic(0)

        func note(_ second: Int) {
            count.add(1, ordering: .relaxed)
            // Each fire at its place: another order gives another digest.
            digest.store(digest.load(ordering: .relaxed) &* 31 &+ second, ordering: .relaxed)
        }
    }

    @Argument(help: "The folder of the inputs.") var inputs: String
    @Flag(help: "With an in-memory journal.") var journal = false

    func run() async throws {
        let expressions = try expressions()
        let tallies = expressions.map { _ in Tally() }
        let executor = ManualExecutor()
        let clock = ManualClock(wall: .seconds(Self.start), executor: executor)
        let scheduler = CronScheduler(
            clock: clock,
            journal: journal ? InMemoryRunJournal() : nil,
            executor: executor
        )
        try await scheduler.add(
            expressions.enumerated().map { index, expression in
                let tally = tallies[index]
                return CronJob(ActivityName("job-\(index)"), at: expression, zone: "America/New_York") {
                    run in
                    tally.note(Int(run.scheduled.components.seconds))
                }
            }
        )
        let time = await ContinuousClock().measure {
            await clock.advance(by: .seconds(Self.end - Self.start))
        }

        try compare(tallies, expressions)
        let measure = journal ? "year-journal" : "year"
        ResultLine(measure: measure, value: time / .nanoseconds(1)).write()
        let fires = tallies.reduce(0) { $0 + $1.count.load(ordering: .relaxed) }
        ResultLine(measure: "\(measure)-fires", value: Double(fires)).write()
    }

    /// The mixed expressions over and over, without those that fire more often than hourly: a million fires at
    /// most are wanted.
    private func expressions() throws -> [CronExpression] {
        let newYork = try Inputs.zones()[1]
        let mixed = try Inputs(folder: inputs).rows.filter { $0.group == .mixed }.map(\.expression)
        let calm = mixed.filter { fires(of: $0, in: newYork).count <= 24 * 365 }
        return (0..<1_000).map { calm[$0 % calm.count] }
    }

    private func compare(_ tallies: [Tally], _ expressions: [CronExpression]) throws {
        let newYork = try Inputs.zones()[1]
        for (tally, expression) in zip(tallies, expressions) {
            let predicted = Tally()
            for second in fires(of: expression, in: newYork) { predicted.note(second) }
            guard predicted.count.load(ordering: .relaxed) == tally.count.load(ordering: .relaxed),
                predicted.digest.load(ordering: .relaxed) == tally.digest.load(ordering: .relaxed)
            else { throw ValidationError("the fires of \(expression) are not those that next() predicts") }
        }
    }

    private func fires(of expression: CronExpression, in zone: ZoneRules) -> [Int] {
        var seconds: [Int] = []
        var second = Self.start
        while let next = expression.nextSecond(after: second, in: zone), next <= Self.end {
            seconds.append(next)
            second = next
        }
        return seconds
    }
}
