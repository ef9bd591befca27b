internal import ConsoleNotifier
internal import CronScheduler
internal import Foundation
internal import GcryptKeystore
internal import GoalLock
internal import PortcullisCore
internal import PortcullisTesting
internal import ProcessShield
internal import SystemClock

/// The goal lock, which judges today's steps.
struct StepLock {
    let backends: Backends
    let goal: Double
    private let end: @Sendable () async -> Void

    /// Makes a lock in memory, at noon of a date.
    init(inMemoryOn date: CivilDate, goal: Double) {
        let noon = DateComponents(
            calendar: Calendar(identifier: .gregorian),
            timeZone: .gmt,
            year: date.year,
            month: date.month,
            day: date.day,
            hour: 12
        )
        let clock = ManualClock(wall: .seconds(noon.date?.timeIntervalSince1970 ?? 0))
        backends = Backends(
            secrets: InMemorySecretStore(),
            shield: InMemoryShieldController(apps: [.init(AppToken("chess.desktop"), label: "Chess")]),
            scheduler: ManualActivityScheduler(clock: clock),
            notifier: ConsoleNotifier(clock: clock, sink: { _ in }),
            clock: clock
        )
        self.goal = goal
        end = {}
    }

    #if os(Linux)
    /// Makes a lock over real programs of this user. The lock's data is in a folder.
    ///
    /// Stopped programs stay stopped when this process ends, and go on when a later process finds the goal
    /// reached.
    ///
    /// - Parameter mustExist: whether an earlier process must have made the lock's data.
    init(realAppsIn folder: String, goal: Double, mustExist: Bool = false) async throws {
        let clock = SystemClock()
        let store = try await Self.openStore(in: folder, mustExist: mustExist)
        let scheduler = CronScheduler(clock: clock)
        let notifier = ConsoleNotifier(clock: clock)
        backends = Backends(
            secrets: store,
            shield: ProcessShield(
                store: store,
                configuration: .init(
                    catalogue: DesktopCatalogue(environment: ProcessInfo.processInfo.environment),
                    users: [getuid()]
                )
            ),
            scheduler: scheduler,
            notifier: notifier,
            clock: clock
        )
        self.goal = goal
        end = {
            // The notifier writes on a thread of its own, which would end with the process.
            await notifier.flush()
            await scheduler.shutDown()
            await store.close()
        }
    }

    private static func openStore(in folder: String, mustExist: Bool) async throws -> GcryptKeystore {
        let configuration = KeystoreConfiguration(
            path: "\(folder)/step-goal.keystore",
            credential: .keyFile("\(folder)/step-goal.key"),
            createsIfMissing: !mustExist
        )
        do throws(SecretStoreError) { return try await GcryptKeystore.open(configuration) } catch {
            throw error.code == .missingStore ? MissingLock(folder: folder) : error
        }
    }
    #else
    /// Processes are shielded on Linux only.
    init(realAppsIn folder: String, goal: Double, mustExist: Bool = false) async throws {
        throw ShieldError(code: .unavailable, message: "apps can be shut on Linux only")
    }
    #endif

    /// Chooses apps, and tells the lock the person's progress on a date.
    func judge(_ steps: Double, on date: CivilDate, apps: [String]) async throws -> GoalStatus {
        let lock = try service()
        try await lock.launch()
        try await lock.setGoal(goal)
        try await lock.select(ShieldSelection(apps: Set(apps.map(AppToken.init))))
        guard case .enabled = try await lock.enable() else {
            throw GoalError(code: .shield, message: "apps may not be shielded")
        }
        return try await lock.update(progress: steps, of: date)
    }

    /// Opens all apps, and switches the lock off.
    func release() async throws { try await service().release() }

    /// Completes the work that has begun. The shield stays as it is.
    func close() async { await end() }

    private func service() throws -> GoalLockService {
        try GoalLockService(backends: backends, configuration: GoalConfiguration(goal: goal, title: "Steps"))
    }
}

/// The error for a folder without the data of a lock.
struct MissingLock: Error, CustomStringConvertible {
    let folder: String

    var description: String { "there is no lock in \(folder); --home names the folder of one" }
}
