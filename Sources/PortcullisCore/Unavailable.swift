/// An adapter for all ports that the host app does not use. Calls that need a back end throw the port's
/// error. All other calls return an empty result or do nothing.
public struct Unavailable: Sendable {
    /// Makes the adapter.
    public init() {}
}

extension Unavailable: SecretStore {
    private var refusal: SecretStoreError {
        SecretStoreError(code: .unavailable, message: "no secret store was configured")
    }

    /// The empty set: there are no optional capabilities.
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

    /// Returns a stream that ends at once.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { .ended }
}

extension Unavailable: BiometricAuthenticator {
    /// Returns ``BiometricAvailability/none``.
    public func availability(for user: UserID) async -> BiometricAvailability { .none }

    /// Throws ``BiometricErrorCode/notAvailable``.
    public func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        throw BiometricError(code: .notAvailable, message: "there are no biometrics")
    }

    /// Returns ``BiometricOutcome/notAvailable``.
    public func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        .notAvailable
    }

    /// Does nothing, because no key is kept.
    public func forget(_ user: UserID) async throws(BiometricError) {}
}

extension Unavailable: ShieldController {
    private var denial: ShieldAuthorization { .denied(howToAllow: nil) }

    /// Always denied. The denial has no text, because such a text tells a person how to give the permission.
    public var authorization: ShieldAuthorization { get async { denial } }

    /// Returns the denial without asking.
    public func requestAuthorization() async -> ShieldAuthorization { denial }

    /// Throws ``ShieldErrorCode/unavailable``.
    public func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        throw ShieldError(code: .unavailable, message: "no shield controller was configured")
    }

    /// Does nothing, because no shield is up.
    public func clear(_ shield: ShieldName) async throws(ShieldError) {}

    /// Returns an empty coverage.
    public func coverage() async -> ShieldCoverage { ShieldCoverage() }

    /// Returns `nil`: there is no catalogue.
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

    /// Does nothing, because no activity is monitored.
    public func stop(_ activities: Set<ActivityName>) async {}

    /// Returns no activities.
    public func monitored() async -> [ActivityName: MonitoredActivity] { [:] }

    /// Returns a stream that ends at once.
    public func events() -> AsyncStream<ActivityEvent> { .ended }
}

extension Unavailable: Notifier {
    /// Returns `false`.
    public func requestAuthorization() async -> Bool { false }

    /// Throws ``NotifierErrorCode/unavailable``.
    public func deliver(_ notification: LockNotification) async throws(NotifierError) {
        throw NotifierError(code: .unavailable, message: "no notifier was configured")
    }

    /// Does nothing, because no notification was delivered.
    public func withdraw(_ ids: Set<String>) async {}
}

extension Unavailable: PasscodeSealer {
    private var refusalToSeal: PasscodeSealerError {
        PasscodeSealerError(code: .unavailable, message: "no passcode sealer was configured")
    }

    /// OWASP's minimum parameters. They have no effect, because this adapter seals no key.
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

    /// Throws ``PasscodeSealerErrorCode/unavailable``.
    public func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool { throw refusalToSeal }
}

extension AsyncStream {
    /// A stream that has ended.
    fileprivate static var ended: Self { Self { $0.finish() } }
}
