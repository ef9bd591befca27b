import PasscodeLock
import PortcullisCore
import PortcullisTesting

/// A passcode service on adapters that a test holds in its hands.
struct Bench {
    let storage = InMemorySecretStore.Storage()
    let clock = ManualClock()
    var sealer = FastPasscodeSealer()
    let host = Host()
    let biometrics = ScriptedBiometrics()
    var configuration = PasscodeConfiguration(appName: "Ledger")

    /// A service as a new process would have it, on the same storage.
    func service(_ user: UserID = .ada, store: (any SecretStore)? = nil) throws(PasscodeError)
        -> PasscodeService
    {
        try PasscodeService(
            user: user,
            backends: Backends(
                secrets: store ?? InMemorySecretStore(storage),
                biometrics: biometrics,
                sealer: sealer,
                clock: clock
            ),
            session: host,
            configuration: configuration
        )
    }

    /// What the store holds of a user's record.
    func record(_ user: UserID = .ada) async throws -> StoredSecret? {
        try await InMemorySecretStore(storage).read(PasscodeNames.record(of: user))
    }

    /// Puts bytes in place of a user's record.
    func overwriteRecord(_ text: String, of user: UserID = .ada) async throws {
        try await InMemorySecretStore(storage).write(
            SecretBytes(text),
            to: PasscodeNames.record(of: user),
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
    }
}

/// A host with somebody signed in, who signs out when asked.
actor Host: SignedInSession {
    private(set) var current: UserID? = .ada
    private(set) var signedOut: [UserID?] = []
    private var whileSigningOut: (@Sendable () async -> Void)?

    func restore() async -> UserID? { current }

    func signIn(_ user: UserID?) { current = user }

    func onSignOut(_ body: @escaping @Sendable () async -> Void) { whileSigningOut = body }

    func signOut() async {
        await whileSigningOut?()
        signedOut.append(current)
        current = nil
    }
}

/// Biometrics whose every answer the test writes down beforehand.
actor ScriptedBiometrics: BiometricAuthenticator {
    var available = BiometricAvailability(
        kind: .faceID,
        state: .available,
        enrolmentDigest: [1],
        binding: .key
    )
    private(set) var key: SecretBytes?
    private(set) var prompts: [(reason: String, fallback: String)] = []
    private var next: [BiometricOutcome] = []
    private var waiting: CheckedContinuation<BiometricOutcome, Never>?
    private var isHeld = false
    private var whileAsked: (@Sendable () async -> Void)?
    private var whileEnrolling: (@Sendable () async -> Void)?
    private var whileForgetting: (@Sendable () async -> Void)?
    private var isForgetful = true

    /// From now on no key is forgotten, or it is again.
    func failForgetting(_ fails: Bool = true) { isForgetful = !fails }

    func set(_ change: @Sendable (inout BiometricAvailability) -> Void) { change(&available) }

    func answer(_ outcome: BiometricOutcome) { next.append(outcome) }

    /// The next prompt stays until `release`, whatever becomes of the task that asked.
    func hold() { isHeld = true }

    func release(_ outcome: BiometricOutcome) {
        waiting?.resume(returning: outcome)
        waiting = nil
    }

    var isPrompting: Bool { waiting != nil }

    /// Does something while it is next asked what is available.
    func onNextLook(_ body: @escaping @Sendable () async -> Void) { whileAsked = body }

    func availability(for user: UserID) async -> BiometricAvailability {
        if let body = whileAsked {
            whileAsked = nil
            await body()
        }
        return available
    }

    /// Does something while the next key waits for its touch.
    func onNextEnrolment(_ body: @escaping @Sendable () async -> Void) { whileEnrolling = body }

    func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        if let body = whileEnrolling {
            whileEnrolling = nil
            await body()
        }
        self.key = key
    }

    func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        prompts.append((reason, fallbackTitle))
        if isHeld { return await withCheckedContinuation { waiting = $0 } }
        if !next.isEmpty { return next.removeFirst() }
        return .success(key: key)
    }

    /// Does something while a key is next forgotten.
    func onNextForgetting(_ body: @escaping @Sendable () async -> Void) { whileForgetting = body }

    func forget(_ user: UserID) async throws(BiometricError) {
        if let body = whileForgetting {
            whileForgetting = nil
            await body()
        }
        guard isForgetful else {
            throw BiometricError(code: .systemFailure, message: "the key cannot be removed")
        }
        key = nil
    }
}
