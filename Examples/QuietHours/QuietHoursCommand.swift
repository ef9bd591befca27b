internal import ArgumentParser
internal import CronScheduler
internal import Foundation
internal import GcryptKeystore
internal import PortcullisCore
internal import ProcessShield
internal import ShieldLines
internal import SystemClock
internal import UnixSignals

/// Keeps apps of this user shut in the evening, or simulates this.
@main
struct QuietHoursCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quiet-hours",
        abstract: "Keeps apps shut from one time of day to another.",
        discussion: "It runs until Ctrl-C, and then lets everything go on."
    )

    @Option(help: "When it becomes quiet.", transform: Self.timeOfDay)
    var from = TimeOfDay(hour: 21, minute: 0)!

    @Option(help: "When that ends, on the next day if it is earlier.", transform: Self.timeOfDay)
    var to = TimeOfDay(hour: 7, minute: 0)!

    @Option(help: "On which evenings, such as mon-thu,sun. Default: all.", transform: Self.list)
    var weekdays = Set(Weekday.allCases)

    @Option(help: "What to shut: a desktop-file id or a program's path. May be repeated.")
    var app: [String] = []

    @Option(help: "Show what would happen from noon of this date on, such as 2026-03-06, and stop nothing.")
    var simulate: String?

    @Option(help: "For how many days to show it.")
    var days = 7

    @Option(help: "The folder in which it remembers what it stopped.")
    var home = "quiet-hours.data"

    @Flag(help: "Only let everything go on that an earlier run left shut.")
    var release = false

    func validate() throws {
        guard release != !app.isEmpty else { throw ValidationError("Name apps with --app, or --release.") }
        guard (1...366).contains(days) else { throw ValidationError("--days takes 1 to 366.") }
    }

    func run() async throws {
        let times = QuietTimes(from: from, to: to, weekdays: weekdays)
        let apps = ShieldSelection(apps: Set(app.map(AppToken.init)))
        if let simulate {
            let simulation = try Simulation(from: simulate, apps: apps)
            for line in try await simulation.run(times, days: days) { print(line) }
        } else {
            try await shutReally(times, apps)
        }
    }

    #if os(Linux)
    private func shutReally(_ times: QuietTimes, _ apps: ShieldSelection) async throws {
        let clock = SystemClock()
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: "\(home)/shield.keystore", credential: .keyFile("\(home)/shield.key"))
        )
        let scheduler = CronScheduler(clock: clock)
        let backends = Backends(
            shield: ProcessShield(
                store: store,
                configuration: .init(
                    catalogue: DesktopCatalogue(environment: ProcessInfo.processInfo.environment),
                    users: [getuid()]
                )
            ),
            scheduler: scheduler,
            clock: clock
        )
        let quiet = QuietHours(backends, times, apps: apps) { [app] news in
            for line in news.lines(for: app) { Self.show("\(TimeStamp.now(of: clock))  \(line)") }
        }
        if release {
            try await quiet.end()
        } else {
            // From here on a signal ends the run in order. Before this point the program has stopped no app.
            let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
            try await quiet.run { for await _ in signals { return } }
        }
        await scheduler.shutDown()
        await store.close()
        Self.show("Nothing is shut any more.")
    }
    #else
    private func shutReally(_ times: QuietTimes, _ apps: ShieldSelection) async throws {
        throw ShieldError(code: .unavailable, message: "apps can be shut on Linux only")
    }
    #endif

    private static func show(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }

    private static func timeOfDay(_ text: String) throws -> TimeOfDay {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), let time = TimeOfDay(hour: hour, minute: minute)
        else { throw ValidationError("\(text) is no time of day such as 21:00") }
        return time
    }

    private static func list(_ text: String) throws -> Set<Weekday> {
        guard let list = Weekday.list(text) else {
            throw ValidationError("\(text) is no list of weekdays such as mon-thu,sun")
        }
        return list
    }
}

extension QuietHours.News {
    func lines(for apps: [String]) -> [String] {
        let names = apps.joined(separator: ", ")
        return switch self {
        case .quiet(let coverage): coverage.lines(for: apps.map(AppToken.init), shut: "shut")
        case .over: ["\(names): open"]
        case .failed(let error): ["\(names): tried again in a minute (\(error))"]
        }
    }
}
