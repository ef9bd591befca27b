internal import ArgumentParser
internal import Foundation
internal import GoalLock
internal import PortcullisCore
internal import ShieldLines
internal import SystemClock

/// Reads step counts, shows the week, and lets the goal lock judge today.
@main
struct StepGoalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "step-goal",
        abstract: "A goal lock fed by the steps of an Apple Health export, or of a CSV file."
    )

    @Argument(help: "export.xml, or CSV with the columns date and steps; - for standard input.")
    var file: String?

    @Option(help: "Steps to be walked each day.")
    var goal = 10_000.0

    @Option(
        help: "The last day to show, the lock's today, such as 2026-03-02. Default: today.",
        transform: Self.civilDate
    )
    var date: CivilDate?

    @Option(help: "Count the steps of this source only. Default: of each hour, the source with the most.")
    var source: String?

    @Option(help: "What bars are made of: unicode or ascii. Default: what the locale can show.")
    var bars: WeekPlot.Style?

    @Option(
        help:
            "Shut this app until the goal is reached: a desktop-file id or a program's path. May be repeated."
    )
    var app: [String] = []

    @Option(help: "The folder of what a lock over real apps keeps.")
    var home = "step-goal.data"

    @Flag(help: "Let all real apps go, and switch the lock off.")
    var release = false

    func validate() throws {
        guard release == (file == nil) else { throw ValidationError("Name a file, or --release.") }
        if !app.isEmpty, date != nil {
            throw ValidationError("Real apps are shut by the real date, without --date.")
        }
        guard goal > 0, goal.isFinite else { throw ValidationError("--goal takes a number above zero.") }
    }

    func run() async throws {
        guard let file else {
            // In a folder without a lock, nothing is known about stopped apps.
            let lock = try await StepLock(realAppsIn: home, goal: goal, mustExist: true)
            try await lock.release()
            await lock.close()
            print("Nothing is shut any more.")
            return
        }
        let clock = SystemClock()
        let today = date ?? clock.civilDate(at: clock.now.wall, dayStart: .zero)
        var week = StepWeek(until: today, source: source)
        // The file is read before anything is shown or shut, because half a file would give a wrong number of
        // steps.
        do { try read(file, into: &week) } catch { throw UnreadableFile(file, error) }
        try week.checkSource()
        show(week)
        let steps = week.steps(on: today)
        let lock =
            app.isEmpty
            ? StepLock(inMemoryOn: today, goal: goal) : try await StepLock(realAppsIn: home, goal: goal)
        let apps = app.isEmpty ? ["chess.desktop"] : app
        let status = try await lock.judge(steps, on: today, apps: apps)
        let coverage = await lock.backends.shield.coverage()
        await lock.close()
        print(Self.verdict(status, coverage, apps: apps))
    }

    private func read(_ path: String, into week: inout StepWeek) throws {
        let file = try StepFile(path: path)
        var line = ProgressLine(size: file.size, isShown: isatty(STDERR_FILENO) == 1)
        try file.read {
            line.show($0)
        } sample: {
            week.add($0)
        }
    }

    private func show(_ week: StepWeek) {
        let days = week.dates.map { WeekPlot.Day(label: StepWeek.label($0), steps: week.steps(on: $0)) }
        for line in WeekPlot(days: days, goal: goal, style: bars ?? .ofLocale).lines { print(line) }
        let sources = week.sources.filter { !$0.isEmpty }.sorted()
        if let source {
            print("Counted by \(source).")
        } else if sources.count > 1 {
            print("Counted by \(sources.joined(separator: " and ")); of each hour the one with the most.")
        }
    }

    private static func civilDate(_ text: String) throws -> CivilDate {
        guard let time = RecordTime(text), time.hour == nil else {
            throw ValidationError("\(text) is no date such as 2026-03-02")
        }
        return time.date
    }

    private static func verdict(_ status: GoalStatus, _ coverage: ShieldCoverage, apps: [String]) -> String {
        let (steps, goal) = (WeekPlot.number(status.progress), WeekPlot.number(status.goal.rounded(.up)))
        let reached = "\(status.date): \(steps) of \(goal) steps."
        return switch status.reason {
        case nil:
            reached + " "
                + coverage.lines(for: apps.map(AppToken.init), shut: "shut until the goal is reached.")
                .joined(separator: "\n")
        case .reached: "\(reached) \(apps.joined(separator: ", ")): open until the next day begins."
        default: "\(status.date): the lock is off."
        }
    }
}

extension WeekPlot.Style: ExpressibleByArgument {
    /// The style that the locale of the environment can show.
    static var ofLocale: Self {
        let environment = ProcessInfo.processInfo.environment
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        return ["utf-8", "utf8"].contains { locale.lowercased().contains($0) } ? .unicode : .ascii
    }
}
