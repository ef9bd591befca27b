internal import PortcullisCore

/// Keeps apps shut during quiet times, with whatever shield and scheduler it is given.
///
/// An event of the scheduler says only that it is time to look. What to do is read from the clock, so that a look too many,
/// a late one, or one after a restart does no harm.
actor QuietHours {
    /// What becomes known while it runs.
    enum News: Sendable {
        /// The apps are shut, as far as this tells.
        case quiet(ShieldCoverage)
        case over
        /// It is tried again in a minute.
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

    /// Puts right what an earlier run left, and then follows the times until the task is cancelled.
    func run() async throws {
        // Taken first, so that no event is missed.
        let events = backends.scheduler.events()
        try await look()
        try await backends.scheduler.start(
            Self.activity,
            schedule: ActivitySchedule(start: times.from, end: times.to, repeats: true)
        )
        for await event in events where event.activity == Self.activity { try await lookPatiently() }
    }

    /// Follows the times until something else has come, and leaves nothing shut, also when that fails.
    ///
    /// - Throws: what it failed with; ``StillShut`` where it could leave nothing open either.
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

    /// Leaves nothing shut.
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

    /// An app that could not be let go on in the morning would be shut until the next one.
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

/// Why quiet times came to an end, and why apps are shut all the same.
struct StillShut: Error, CustomStringConvertible {
    var first: any Error
    var end: ShieldError

    var description: String { "\(first); and what is shut stays so until --release: \(end)" }
}
