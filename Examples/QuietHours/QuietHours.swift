internal import PortcullisCore

/// Keeps apps shut during quiet times, with any shield and scheduler.
///
/// An event of the scheduler only says that it is time to look. The clock then decides what to do. So a look
/// too many, a late look, or a look after a restart does no harm.
actor QuietHours {
    /// A report of the run.
    enum News: Sendable {
        /// It is quiet. The coverage tells which apps are shut.
        case quiet(ShieldCoverage)
        case over
        /// The shield failed. It is tried again in a minute.
        case failed(ShieldError)
    }

    static let activity: ActivityName = "quiet-hours"
    static let shield = ShieldName("quiet-hours")

    private let backends: Backends
    private let times: QuietTimes
    private let apps: ShieldSelection
    private let tell: @Sendable (News) -> Void
    private var isQuiet: Bool?

    init(
        _ backends: Backends,
        _ times: QuietTimes,
        apps: ShieldSelection,
        tell: @escaping @Sendable (News) -> Void = { _ in }
    ) {
        self.backends = backends
        self.times = times
        self.apps = apps
        self.tell = tell
    }

    /// Corrects what an earlier run left, and then follows the times until the task is cancelled.
    func run() async throws {
        // The events are requested first, so that none is missed.
        let events = backends.scheduler.events()
        try await look()
        try await backends.scheduler.start(
            Self.activity,
            schedule: ActivitySchedule(start: times.from, end: times.to, repeats: true)
        )
        for await event in events where event.activity == Self.activity { try await lookPatiently() }
    }

    /// Follows the times until `isOver` returns. Then it leaves nothing shut, even after an error.
    ///
    /// - Throws: the error of the run; ``StillShut`` if the apps could not be opened either.
    func run(until isOver: @escaping @Sendable () async -> Void) async throws {
        do {
            try await withThrowingTaskGroup { group in
                group.addTask { try await self.run() }
                group.addTask { await isOver() }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            let first = error
            do { try await end() } catch { throw StillShut(first: first, end: error) }
            throw first
        }
        try await end()
    }

    /// Stops the activity, and opens all apps.
    func end() async throws(ShieldError) {
        await backends.scheduler.stop([Self.activity])
        try await backends.shield.clear(Self.shield)
    }

    private func look() async throws(ShieldError) {
        let clock = backends.clock
        let isQuiet = times.areQuiet(at: clock.now.wall, by: clock)
        if isQuiet {
            try await backends.shield.apply(apps, as: Self.shield)
        } else {
            try await backends.shield.clear(Self.shield)
        }
        if isQuiet != self.isQuiet { tell(isQuiet ? .quiet(await backends.shield.coverage()) : .over) }
        self.isQuiet = isQuiet
    }

    /// Looks until it succeeds. Otherwise an app that could not be opened in the morning would be shut until
    /// the next morning.
    private func lookPatiently() async throws(CancellationError) {
        while true {
            do throws(ShieldError) {
                return try await look()
            } catch {
                tell(.failed(error))
            }
            try await backends.clock.sleep(until: .sinceBoot(backends.clock.now.sinceBoot + .seconds(60)))
        }
    }
}

/// The error that ended the quiet times, and the error for which apps are still shut.
struct StillShut: Error, CustomStringConvertible {
    var first: any Error
    var end: ShieldError

    var description: String { "\(first); and what is shut stays so until --release: \(end)" }
}
