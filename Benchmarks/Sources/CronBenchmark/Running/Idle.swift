internal import ArgumentParser
internal import CronScheduler
internal import PortcullisCore
internal import SystemClock

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Tells what jobs cost while none is due.
struct Idle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the processor time of 10 seconds in which none of so many jobs is due."
    )

    private static let seconds = 10

    @Argument(help: "The number of jobs.") var count: Int

    func run() async throws {
        let clock = SystemClock()
        let scheduler = CronScheduler(clock: clock)
        // Half a year away at least, whatever the date.
        let month = (Int(clock.now.wall.components.seconds) / (30 * 86_400) + 6) % 12 + 1
        let expression = try CronExpression("0 0 1 \(month) *")
        try await scheduler.add(
            (0..<count).map { CronJob(ActivityName("job-\($0)"), at: expression) { _ in } }
        )
        // What adding them set going is over by then.
        try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + .seconds(1)))
        let before = processorTime()
        try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + .seconds(Self.seconds)))
        let used = processorTime() - before
        ResultLine(measure: "idle", zone: "\(count)", value: used / .nanoseconds(1)).write()
        await scheduler.shutDown()
    }

    private func processorTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
