import ArgumentParser
import ConsoleNotifier
import CronScheduler
import Foundation
import PortcullisCore
import PortcullisTesting
import SystemClock
import UnixSignals

/// Reminders that ring by lines of cron.
@main
struct Reminders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reminders",
        abstract: "Ring by the lines of a file, such as: 0 9 * * MON-FRI Stand up",
        discussion: "Rings until Ctrl-C, unless told otherwise."
    )

    @Argument(help: "A file of lines: five fields of cron, or @daily and its kin, and a text.")
    var file: String

    @Option(help: "Whose clocks count, such as Europe/Berlin; default: this machine's.")
    var zone: String?

    @Flag(help: "Tell when each rings next, and what may be wrong with it.")
    var next = false

    @Option(help: "The present for --next, by the zone's clocks, such as 2026-03-28T20:00.")
    var now: String?

    @Option(help: "Run through a day, such as 2026-03-29, in an instant.")
    var simulate: String?

    @Flag(help: "End after the first reminder.")
    var once = false

    func run() async throws {
        let clock = SystemClock()
        guard let rules = ZoneRules(zone ?? clock.zone) else {
            throw ValidationError(
                "there is no zone \(zone ?? clock.zone); \(ZoneRules.hint(for: zone ?? ""))"
            )
        }
        let reminders = try readReminders()
        if next {
            try tellNext(reminders, rules, clock)
        } else if let simulate {
            try await run(reminders, through: simulate, rules)
        } else {
            try await run(reminders, rules, clock)
        }
    }

    private func readReminders() throws -> [Reminder] {
        let text: String
        do {
            text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        } catch {
            throw ValidationError("\(file) cannot be read")
        }
        let lines = Reminder.lines(of: text)
        let mistakes = lines.compactMap { if case .failure(let mistake) = $0 { mistake } else { nil } }
        guard mistakes.isEmpty else {
            for mistake in mistakes {
                FileHandle.standardError.write(
                    Data("\(file), line \(mistake.line): \(mistake.reason)\n".utf8)
                )
            }
            throw ExitCode(2)
        }
        if lines.isEmpty { throw ValidationError("\(file) holds no reminder") }
        return lines.compactMap { try? $0.get() }
    }

    private func tellNext(_ reminders: [Reminder], _ zone: ZoneRules, _ clock: SystemClock) throws {
        let second: Int
        if let now {
            second = try LocalTime(now).second(in: zone)
        } else {
            second = Int(clock.now.wall.components.seconds)
        }
        for reminder in reminders {
            let rules = reminder.expression.zoneName.flatMap { ZoneRules($0) } ?? zone
            let next = reminder.expression.nextSecond(after: second, in: rules)
            let never = reminder.expression.isReboot ? "when the machine starts" : "never again"
            let time = next.map { LocalTime.iso8601($0, in: zone) } ?? never
            print("\(time)  \(reminder.text)")
            for warning in try CronExpression.warnings(of: reminder.source, in: rules, from: second) {
                print("  line \(reminder.line): \(warning)")
            }
        }
    }

    /// Runs a day on a clock that the program moves: with the same scheduler, but without waiting.
    private func run(_ reminders: [Reminder], through day: String, _ zone: ZoneRules) async throws {
        let midnight = try LocalTime(day)
        let (start, end) = (midnight.second(in: zone), midnight.nextDay.second(in: zone))
        let executor = ManualExecutor()
        // The clock starts one second before midnight, so that reminders at midnight ring too.
        let clock = ManualClock(wall: .seconds(start - 1), executor: executor)
        let scheduler = CronScheduler(clock: clock, executor: executor)
        let notifier = ConsoleNotifier(
            clock: clock,
            backlog: .max,
            sink: ConsoleNotifier.descriptorSink(1)
        )
        try await scheduler.add(reminders.map { $0.job(in: zone, notifier) })
        await clock.advance(by: .seconds(end - start))
        await notifier.flush()
    }

    /// Rings at the real times.
    private func run(_ reminders: [Reminder], _ zone: ZoneRules, _ clock: SystemClock) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let listening = Task { for await _ in interrupts { end.finish() } }
        let scheduler = CronScheduler(clock: clock)
        let notifier = ConsoleNotifier(clock: clock, sink: ConsoleNotifier.descriptorSink(1))
        try await scheduler.add(
            reminders.map { $0.job(in: zone, notifier) { if once { end.finish() } } }
        )
        for await _ in ends {}
        listening.cancel()
        await scheduler.shutDown()
        await notifier.flush()
    }
}
