#if os(Linux)
internal import ConsoleNotifier
internal import CronScheduler
internal import GcryptKeystore
internal import GoalLock
internal import PortcullisCore
internal import ProcessShield
internal import ProgressSources
internal import SystemClock

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The goal lock's parts on this machine: the store, the shield over processes, the scheduler, the notifier and the
/// clock.
struct FocusBackends: Sendable {
    let keystore: GcryptKeystore
    let shield: ProcessShield
    let scheduler: CronScheduler
    let notifier: ConsoleNotifier
    let clock: SystemClock
    /// Whose programs are shut.
    let person: SystemAccount

    /// Opens the store, and puts the rest together around it.
    ///
    /// - Parameters:
    ///   - options: which store, and whose programs.
    ///   - credential: what opens the store; read before, because it may come from standard input.
    ///   - createsIfMissing: whether a store is made where there is none.
    ///   - usesGate: whether starts are denied where that is possible; not for commands that only pass by.
    ///   - notifications: takes each notification as a line.
    /// - Throws: ``ToolFailure`` and `SecretStoreError`.
    init(
        _ options: FocusOptions,
        credential: KeystoreCredential,
        createsIfMissing: Bool,
        usesGate: Bool = true,
        format: LineFormat = .plain,
        notifications: @escaping @Sendable ([UInt8]) -> Void = ConsoleNotifier.descriptorSink(2)
    ) async throws {
        person = try options.person()
        keystore = try await options.store.open(with: credential, createsIfMissing: createsIfMissing)
        clock = SystemClock()
        var configuration = Self.shieldConfiguration(of: person)
        configuration.usesGate = usesGate
        shield = ProcessShield(store: keystore, configuration: configuration)
        scheduler = CronScheduler(clock: clock)
        notifier = ConsoleNotifier(format: format, clock: clock, sink: notifications)
    }

    /// All of it as the library takes it.
    var backends: Backends {
        Backends(
            secrets: keystore,
            shield: shield,
            scheduler: scheduler,
            notifier: notifier,
            sealer: GcryptPasscodeSealer(),
            clock: clock
        )
    }

    /// The goal lock.
    ///
    /// - Parameter configuration: how it begins where it was never set.
    /// - Throws: `GoalError` for a goal or a start of the day that breaks the rules.
    func service(_ configuration: GoalConfiguration) throws(GoalError) -> GoalLockService {
        try GoalLockService(backends: backends, configuration: configuration)
    }

    /// The goal lock for a command that sets no goal: the one that was set counts.
    func service() throws(GoalError) -> GoalLockService { try service(Self.configuration) }

    /// The goal lock for screens, which speak of the goal that was set.
    func serviceForScreens() async throws(GoalError) -> GoalLockService {
        var configuration = Self.configuration
        // What is wrong with the state the screens say themselves.
        if let title = (try? await ShieldContent.read(from: keystore, clock: clock))?.title,
            title != configuration.title
        {
            configuration.title = title
            configuration.strings = .english(goal: title)
        }
        return try service(configuration)
    }

    /// How a lock begins about which nothing was said.
    static let configuration = GoalConfiguration(goal: 10_000, title: "Steps")

    /// What the shield works on: the programs of one person.
    static func shieldConfiguration(of person: SystemAccount) -> ProcessShieldConfiguration {
        ProcessShieldConfiguration(catalogue: catalogue(of: person), users: [person.id])
    }

    /// A shield without a record: it knows what there is, and can shut nothing.
    static func bareShield(of person: SystemAccount) -> ProcessShield {
        ProcessShield(store: Unavailable(), configuration: shieldConfiguration(of: person))
    }

    /// The apps of a person: with root's environment, but not in root's folders.
    static func catalogue(of person: SystemAccount) -> DesktopCatalogue {
        var environment = ProcessInfo.processInfo.environment
        if !person.isCurrent {
            environment["HOME"] = person.home
            environment["XDG_DATA_HOME"] = nil
        }
        return DesktopCatalogue(environment: environment)
    }
}
#endif
