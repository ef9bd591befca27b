import ConsoleNotifier
import CronScheduler
import GcryptKeystore
import GoalLock
import PasscodeLock
import PortcullisCore
import ProcessShield
import ProgressSources
import SystemClock
import Testing

#if os(Linux)
/// The code of the guides about the goal lock and its shields. It is compiled and not run: it would stop programs.
struct GoalGuide {
    let store: GcryptKeystore
    let environment: [String: String]

    func embed(
        in folder: String,
        passcodes: PasscodeService,
        askForPasscode: @escaping @Sendable () async throws -> SecretBytes
    ) async throws {
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: "\(folder)/app.keystore", credential: .keyFile("\(folder)/app.key"))
        )
        let clock = SystemClock()
        let backends = Backends(
            secrets: store,
            shield: ProcessShield(
                store: store,
                configuration: .init(catalogue: DesktopCatalogue(environment: environment), users: [1000])
            ),
            scheduler: CronScheduler(clock: clock, journal: SecretStoreRunJournal(store)),
            notifier: ConsoleNotifier(clock: clock),
            clock: clock
        )
        let goal = try GoalLockService(
            backends: backends,
            configuration: GoalConfiguration(goal: 10_000, title: "Steps")
        )
        try await goal.launch()
        try await goal.select(ShieldSelection(apps: [AppToken("org.gnome.Chess.desktop")]))
        let outcome = try await goal.enable()
        print(outcome)
        try await goal.update(progress: 7_450)
        if try await goal.status().reason == .reached { print("open until the next day") }
        let (events, continuation) = AsyncStream<GoalRun.Event>.makeStream()
        let file = try FileProgress("\(folder)/steps.txt", every: .seconds(30)) { written in
            try await goal.date(of: written)
        }
        let run = GoalRun(of: goal, progress: file.readings, events: events)
        let ending = await run.run { message in print(message) }
        continuation.finish()
        print(ending)
        let gate = GoalGate(goal) { _, _ in
            switch try await passcodes.verify(try await askForPasscode()) {
            case .right, .notSet: return
            default: throw CancellationError()
            }
        }
        _ = try await gate.enable()
        try await gate.pass(GoalRequest(goal: 5_000))
        try await goal.setGoal(5_000)
        try await gate.release()
        for await event in backends.scheduler.events() {
            do { try await goal.handle(event) } catch { print("the shield does not follow: \(error)") }
        }
    }

    func compose(
        shield: any ShieldController,
        scheduler: any ActivityScheduler,
        notifier: any Notifier,
        clock: any LockClock,
        subscription: any Entitlement,
        chat: AppToken
    ) async throws {
        let lock = try GoalLockService(
            backends: Backends(
                secrets: store,
                shield: shield,
                scheduler: scheduler,
                notifier: notifier,
                clock: clock
            ),
            entitlement: subscription,
            configuration: GoalConfiguration(goal: 10_000, title: "Steps")
        )
        try await lock.launch()
        try await lock.select(ShieldSelection(apps: [chat]))
        _ = try await lock.enable()
        try await lock.update(progress: 10_400)
    }

    func shield() async throws {
        let shield = ProcessShield(
            store: store,
            configuration: .init(catalogue: DesktopCatalogue(environment: environment), users: [1000])
        )
        try await shield.apply(
            ShieldSelection(apps: [AppToken("org.gnome.Chess.desktop")]),
            as: ShieldName("daily")
        )
    }
}
#endif
