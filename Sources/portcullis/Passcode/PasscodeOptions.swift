internal import ArgumentParser
internal import GcryptKeystore
internal import PasscodeLock
internal import PortcullisCore

/// The names of throttle policies on the command line.
enum ThrottleName: String, ExpressibleByArgument, CaseIterable {
    case escalating
    case unlimited

    var policy: ThrottlePolicy {
        switch self {
        case .escalating: .escalating
        case .unlimited: .unlimited
        }
    }
}

/// What every passcode command takes.
struct PasscodeOptions: ParsableArguments {
    @OptionGroup var store: StoreOptions
    @Option(help: "Whose passcode.")
    var user = UserID.device.rawValue
    @Flag(help: "Answer in JSON.")
    var json = false

    /// Opens the store, does the work, says what came of it, and leaves with its exit status.
    ///
    /// - Parameter missing: what to say where there is no store.
    func perform(
        missing: PasscodeOutcome = .notSet,
        _ body: (PasscodeContext) async throws -> PasscodeOutcome
    ) async throws {
        guard let user = UserID(user) else {
            throw ToolFailure("a user is 1 to 256 bytes without control characters", .usage)
        }
        let context = PasscodeContext(
            options: store,
            credential: try await store.credential(),
            user: user,
            input: SecretInput()
        )
        let outcome: PasscodeOutcome
        do {
            outcome = try await body(context)
        } catch let error as SecretStoreError where error.code == .missingStore {
            // Only setting a passcode makes a store; without one there is none to ask for.
            outcome = missing
        }
        if json {
            try StandardOutput.write(json: outcome.report)
        } else {
            try StandardOutput.write(line: outcome.text)
        }
        if outcome.exit != .yes { throw outcome.exit }
    }
}

/// What a passcode command works with.
struct PasscodeContext {
    let options: StoreOptions
    let credential: KeystoreCredential
    let user: UserID
    let input: SecretInput

    /// The service on the opened store; the passcode was read before, so that a bad one opens nothing.
    ///
    /// - Parameter throttle: the policy of a new passcode, for which a store is made where there is none.
    func service(throttle: ThrottlePolicy? = nil) async throws -> PasscodeService {
        try service(on: try await open(createsIfMissing: throttle != nil), throttle: throttle)
    }

    /// The store, opened.
    func open(createsIfMissing: Bool = false) async throws -> GcryptKeystore {
        try await options.open(with: credential, createsIfMissing: createsIfMissing)
    }

    /// The service on a store that is open.
    func service(on keystore: GcryptKeystore, throttle: ThrottlePolicy? = nil) throws -> PasscodeService {
        try PasscodeService(
            user: user,
            backends: options.backends(on: keystore),
            session: NoSignedInSession(),
            configuration: PasscodeConfiguration(appName: "portcullis", throttle: throttle ?? .escalating)
        )
    }

    /// What is known of the passcode; `nil` where there is no store.
    func status() async throws -> PasscodeStatus? {
        do {
            return try await service().status()
        } catch let error as SecretStoreError where error.code == .missingStore {
            return nil
        }
    }

    /// What to say instead of asking for a passcode that will not be looked at; `nil` when it will.
    func refusalToAsk() async throws -> PasscodeOutcome? {
        guard let status = try await status(), status.isSet else { return .notSet }
        guard status.retryAfter > .zero else { return nil }
        return .answer(.throttled(retryAfter: status.retryAfter), done: "", result: "")
    }
}

/// The session of the passcode commands, which know no accounts.
struct NoSignedInSession: SignedInSession {
    var current: UserID? { nil }
    func restore() async -> UserID? { nil }
    func signOut() async {}
}
