internal import ArgumentParser
internal import CronScheduler
internal import PortcullisCore
internal import SystemClock

/// Times adding and removing jobs one by one.
struct Changes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the nanoseconds of adding and removing a job of so many."
    )

    private static let pairs = 1_000

    @Argument(help: "The number of jobs.") var count: Int

    func run() async throws {
        let scheduler = CronScheduler(clock: SystemClock())
        let jobs = try (0..<count).map { job in
            CronJob(
                ActivityName("job-\(job)"),
                at: try CronExpression("\(job % 60) \(job / 60 % 24) * * *")
            ) { _ in }
        }
        // The first job makes the scheduler read its zone, once for all.
        let extra = try CronJob(ActivityName("extra"), at: CronExpression("0 0 1 1 *")) { _ in }
        try await scheduler.add(extra)
        let filling = try await ContinuousClock().measure {
            for job in jobs { try await scheduler.add(job) }
        }
        var fastest = Duration.seconds(Int.max)
        for _ in 0..<3 {
            let time = try await ContinuousClock().measure {
                for _ in 0..<Self.pairs {
                    try await scheduler.add(extra)
                    try await scheduler.remove([extra.name])
                }
            }
            fastest = min(fastest, time)
        }
        let emptying = try await ContinuousClock().measure {
            for job in jobs { try await scheduler.remove([job.name]) }
        }
        tell("change", fastest, per: Self.pairs)
        tell("add", filling, per: count)
        tell("remove", emptying, per: count)
    }

    private func tell(_ measure: String, _ duration: Duration, per calls: Int) {
        ResultLine(measure: measure, zone: "\(count)", value: duration / .nanoseconds(1) / Double(calls))
            .write()
    }
}
