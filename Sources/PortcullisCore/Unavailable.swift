/// The adapter of a port that a host does not use: it refuses what can be refused and has nothing to show.
public struct Unavailable: Sendable {
    /// An adapter that does nothing.
    public init() {}
}

extension Unavailable: SecretStore {
    private var refusal: SecretStoreError {
        SecretStoreError(code: .unavailable, message: "no secret store was configured")
    }

    /// Nothing beyond the required.
    public var capabilities: SecretStoreCapabilities { [] }

    /// Throws ``SecretStoreErrorCode/unavailable``.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? { throw refusal }

    /// Throws ``SecretStoreErrorCode/unavailable``.
    public func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome { throw refusal }

    /// Throws ``SecretStoreErrorCode/unavailable``.
    public func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome { throw refusal }

    /// Throws ``SecretStoreErrorCode/unavailable``.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        throw refusal
    }

    /// Ends at once.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { .ended }
}

extension Unavailable: BiometricAuthenticator {
    /// ``BiometricAvailability/none``.
    public func availability(for user: UserID) async -> BiometricAvailability { .none }

    /// Throws ``BiometricErrorCode/notAvailable``.
    public func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        throw BiometricError(code: .notAvailable, message: "there are no biometrics")
    }

    /// ``BiometricOutcome/notAvailable``.
    public func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        .notAvailable
    }

    /// Does nothing: nothing was kept.
    public func forget(_ user: UserID) async throws(BiometricError) {}
}

extension Unavailable: ShieldController {
    private var denial: ShieldAuthorization { .denied(howToAllow: nil) }

    /// Denied.
    public var authorization: ShieldAuthorization { get async { denial } }

    /// Denied.
    public func requestAuthorization() async -> ShieldAuthorization { denial }

    /// Throws ``ShieldErrorCode/unavailable``.
    public func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        throw ShieldError(code: .unavailable, message: "no shield controller was configured")
    }

    /// Does nothing: nothing is applied.
    public func clear(_ shield: ShieldName) async throws(ShieldError) {}

    /// Nothing.
    public func coverage() async -> ShieldCoverage { ShieldCoverage() }

    /// None.
    public func catalogue() async -> ShieldCatalogue? { nil }
}

extension Unavailable: ActivityScheduler {
    /// Throws ``ActivitySchedulerErrorCode/unavailable``.
    public func start(
        _ activity: ActivityName,
        schedule: ActivitySchedule
    ) async throws(ActivitySchedulerError) {
        throw ActivitySchedulerError(code: .unavailable, message: "no scheduler was configured")
    }

    /// Does nothing: nothing is watched over.
    public func stop(_ activities: Set<ActivityName>) async {}

    /// Nothing.
    public func monitored() async -> [ActivityName: MonitoredActivity] { [:] }

    /// Ends at once.
    public func events() -> AsyncStream<ActivityEvent> { .ended }
}

extension Unavailable: Notifier {
    /// No.
    public func requestAuthorization() async -> Bool { false }

    /// Throws ``NotifierErrorCode/unavailable``.
    public func deliver(_ notification: LockNotification) async throws(NotifierError) {
        throw NotifierError(code: .unavailable, message: "no notifier was configured")
    }

    /// Does nothing: nothing was delivered.
    public func withdraw(_ ids: Set<String>) async {}
}

extension Unavailable: PasscodeSealer {
    private var refusalToSeal: PasscodeSealerError {
        PasscodeSealerError(code: .unavailable, message: "no passcode sealer was configured")
    }

    /// The least that new seals should have; nothing is ever sealed with it.
    public var parameters: Argon2Parameters { .owaspMinimum }

    /// Throws ``PasscodeSealerErrorCode/unavailable``.
    public func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey { throw refusalToSeal }

    /// Throws ``PasscodeSealerErrorCode/unavailable``.
    public func readiness(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> SealReadiness { throw refusalToSeal }

    /// Throws ``PasscodeSealerErrorCode/unavailable``.
    public func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening { throw refusalToSeal }
}

extension AsyncStream {
    /// A stream that has ended.
    fileprivate static var ended: Self { Self { $0.finish() } }
}
