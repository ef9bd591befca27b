import CronScheduler
import Foundation
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// A scheduler on a clock that stands still, and what it ran.
final class Workbench: Sendable {
    let executor = ManualExecutor()
    let clock: ManualClock
    let scheduler: CronScheduler
    private let record = Mutex<[CronRun]>([])

    init(
        at text: String = "2026-03-02T08:00:00Z",
        zone: String = "UTC",
        journal: (any RunJournal)? = nil
    ) throws {
        let zone = try ManualZone(named: zone)
        clock = ManualClock(wall: .seconds(try Instant.second(text)), zone: zone, executor: executor)
        scheduler = CronScheduler(clock: clock, journal: journal, executor: executor)
    }

    /// Another scheduler on the clock of one that is gone.
    init(after other: Workbench, journal: (any RunJournal)?) {
        clock = other.clock
        scheduler = CronScheduler(clock: clock, journal: journal, executor: clock.executor ?? other.executor)
    }

    /// The runs that started since the last call.
    func runs() -> [CronRun] {
        record.withLock { record in
            defer { record = [] }
            return record
        }
    }

    /// The runs that started since the last call, as the local times they were meant for.
    func times() -> [String] { runs().map { Instant.text(Int($0.scheduled.components.seconds), clock.zone) } }

    /// A job that notes its runs, and then does what else it is for.
    func job(
        _ name: String = "job",
        _ expression: String,
        zone: String? = nil,
        overlap: OverlapPolicy = .skip,
        missed: MissedRunPolicy = .once,
        jitter: Duration = .zero,
        then action: @escaping CronJob.Action = { _ in }
    ) throws -> CronJob {
        CronJob(
            ActivityName(name),
            at: try CronExpression(expression),
            zone: zone,
            overlap: overlap,
            missed: missed,
            jitter: jitter
        ) { [self] run in
            record.withLock { $0.append(run) }
            await action(run)
        }
    }

    /// Lets everything happen that can happen now.
    func settle() { clock.executor?.runUntilIdle() }

    /// Shuts the scheduler down, whose tasks do nothing unless they are told to.
    func shutDown(cancellingRuns: Bool = false) async {
        let task = Task(executorPreference: clock.executor) { [scheduler] in
            await scheduler.shutDown(cancellingRuns: cancellingRuns)
        }
        settle()
        await task.value
    }

    func setWall(_ text: String) async throws {
        await clock.setWall(.seconds(try Instant.second(text)))
    }
}

extension ManualZone {
    /// A zone with the offsets of the IANA zone of a name in the years 2000 to 2040.
    init(named name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        var time = Date(timeIntervalSince1970: 946_684_800)
        let first = zone.secondsFromGMT(for: time)
        var changes: [Change] = []
        while let next = zone.nextDaylightSavingTimeTransition(after: time),
            next.timeIntervalSince1970 < 2.2e9
        {
            changes.append(
                Change(
                    at: .seconds(Int(next.timeIntervalSince1970)),
                    to: .seconds(zone.secondsFromGMT(for: next))
                )
            )
            time = next
        }
        self.init(name, offset: .seconds(first), changes: changes)
    }
}
