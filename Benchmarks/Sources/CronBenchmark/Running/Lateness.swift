internal import ArgumentParser
internal import CronScheduler
internal import PortcullisCore
internal import SystemClock

/// Tells how late a single job starts.
struct Lateness: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints for so many seconds how late a job starts that is due each second."
    )

    @Argument(help: "The number of seconds.") var seconds: Int

    func run() async throws {
        let clock = SystemClock()
        let (lateness, continuation) = AsyncStream.makeStream(of: Duration.self)
        let scheduler = CronScheduler(clock: clock, journal: InMemoryRunJournal())
        try await scheduler.add(
            CronJob(ActivityName("job"), at: CronExpression("* * * * * *")) { run in
                continuation.yield(clock.now.wall - run.scheduled)
            }
        )
        var index = 0
        for await late in lateness.prefix(seconds) {
            ResultLine(measure: "lateness", index: index, value: late / .nanoseconds(1)).write()
            index += 1
        }
        await scheduler.shutDown()
    }
}
