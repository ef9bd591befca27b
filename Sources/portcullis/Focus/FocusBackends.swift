#if os(Linux)
internal import ConsoleNotifier
internal import CronScheduler
internal import GcryptKeystore
internal import GoalLock
internal import PortcullisCore
internal import ProcessShield
internal import ProgressSources
internal import SystemClock

/// The goal lock's ports on this machine: store, shield of processes, scheduler, notifier and clock.
struct FocusBackends: Sendable {
    let keystore: GcryptKeystore
    let shield: ProcessShield
    let scheduler: CronScheduler
    let notifier: ConsoleNotifier
    let clock: SystemClock
    private let sealer: any PasscodeSealer
    let person: SystemAccount

    /// Opens the store and makes the goal lock's other ports.
    ///
    /// - Parameters:
    ///   - options: the store, and the account whose programs are shut.
    ///   - credential: the store's credential, which the caller has read before any other input.
    ///   - createsIfMissing: whether a missing store is created.
    ///   - usesGate: whether the shield denies the start of apps, on systems that allow this; `false` for
    ///     commands that end soon.
    ///   - format: the format of a notification's line.
    ///   - notifications: called with each notification as a line.
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
        sealer = try options.store.sealer(on: keystore, chip: options.store.tpm?.address)
        clock = SystemClock()
        var configuration = Self.shieldConfiguration(of: person)
        configuration.usesGate = usesGate
        shield = ProcessShield(store: keystore, configuration: configuration)
        scheduler = CronScheduler(clock: clock)
        notifier = ConsoleNotifier(format: format, clock: clock, sink: notifications)
    }

    /// Opens a store that must exist, for a command that ends soon.
    init(ofExisting options: FocusOptions, credential: KeystoreCredential) async throws {
        try await self.init(options, credential: credential, createsIfMissing: false, usesGate: false)
    }

    /// The ports in the form that the library expects.
    var backends: Backends {
        Backends(
            secrets: keystore,
            shield: shield,
            scheduler: scheduler,
            notifier: notifier,
            sealer: sealer,
            clock: clock
        )
    }

    /// Makes the goal lock.
    ///
    /// - Parameter configuration: the title and the texts, and the settings for a lock that was never set.
    /// - Throws: `GoalError` if the goal or the start of the day is not valid.
    func service(_ configuration: GoalConfiguration) throws(GoalError) -> GoalLockService {
        try GoalLockService(backends: backends, configuration: configuration)
    }

    /// Makes the goal lock for a command that sets no goal. The stored goal applies.
    func service() throws(GoalError) -> GoalLockService { try service(Self.configuration) }

    /// Makes the goal lock for screens. The texts of the screens name the stored goal.
    func serviceForScreens() async throws(GoalError) -> GoalLockService {
        var configuration = Self.configuration
        // An error is ignored here, because the screens show it.
        if let title = (try? await ShieldContent.read(from: keystore, clock: clock))?.title,
            title != configuration.title
        {
            configuration.title = title
            configuration.strings = .english(goal: title)
        }
        return try service(configuration)
    }

    static let configuration = GoalConfiguration(goal: 10_000, title: "Steps")

    /// The shield's configuration for the programs of one account.
    static func shieldConfiguration(of person: SystemAccount) -> ProcessShieldConfiguration {
        ProcessShieldConfiguration(catalogue: catalogue(of: person), users: [person.id])
    }

    /// A shield without a store. The shield lists apps but cannot shut them.
    static func bareShield(of person: SystemAccount) -> ProcessShield {
        ProcessShield(store: Unavailable(), configuration: shieldConfiguration(of: person))
    }

    /// The apps of an account. If root acts for another account, `HOME` is set to that account's home
    /// folder and `XDG_DATA_HOME` is ignored. All other variables come from root's environment.
    static func catalogue(of person: SystemAccount) -> DesktopCatalogue {
        var environment = Arguments.environment
        if !person.isCurrent {
            environment["HOME"] = person.home
            environment["XDG_DATA_HOME"] = nil
        }
        return DesktopCatalogue(environment: environment)
    }
}
#endif
