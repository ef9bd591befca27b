internal import ArgumentParser
internal import GcryptKeystore
internal import PasscodeLock
internal import PortcullisCore
internal import SystemClock
internal import TPM
internal import TerminalHost

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

extension PasscodeConfiguration {
    /// The configuration of the commands that set, check, change or remove a passcode. Such a command cannot
    /// sign the person out of an app, and cannot erase the app's secrets.
    static func ofTool(throttle: ThrottlePolicy = .escalating) -> PasscodeConfiguration {
        PasscodeConfiguration(appName: "portcullis", throttle: throttle, carriesOutLimitAction: false)
    }
}

struct PasscodeOptions: ParsableArguments {
    @OptionGroup var store: StoreOptions
    @Option(help: "Whose passcode.")
    var user = UserID.device.rawValue
    @Flag(help: "Answer in JSON.")
    var json = false

    /// Runs the command's work, writes the outcome, and ends with the outcome's exit status.
    ///
    /// - Parameters:
    ///   - missing: the outcome if there is no store.
    ///   - createsIfMissing: whether the command makes a missing store.
    func perform(
        missing: PasscodeOutcome = .notSet,
        createsIfMissing: Bool = false,
        _ body: (PasscodeContext) async throws -> PasscodeOutcome
    ) async throws {
        guard let user = UserID(user) else {
            throw ToolFailure("a user is 1 to 256 bytes without control characters", .usage)
        }
        let context = PasscodeContext(
            options: store,
            credential: try await store.credential(createsIfMissing: createsIfMissing),
            user: user,
            input: SecretInput(),
            chip: store.tpm?.address
        )
        let outcome: PasscodeOutcome
        do {
            outcome = try await body(context)
        } catch let error as SecretStoreError where error.code == .missingStore {
            // The passcode is kept in the store. So without a store, no passcode is set.
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

/// The values that a passcode command works with.
struct PasscodeContext {
    let options: StoreOptions
    let credential: KeystoreCredential
    let user: UserID
    let input: SecretInput
    /// The TPM to use instead of the TPM that the passcode's record names; `nil` to use the TPM of the
    /// record.
    let chip: TPMAddress?
    /// The configuration for sealing a new passcode in the TPM; `nil` for sealing without a TPM.
    private(set) var newSeal: TPMConfiguration?

    /// Makes this context seal a new passcode in the TPM.
    mutating func sealInChip(_ new: NewSealOptions) async throws {
        newSeal = TPMConfiguration(
            scope: [],
            limit: new.tpmLimit ?? 100,
            recovery: try await new.recovery(options, input)
        )
    }

    /// Whether the passcode is sealed in a TPM; `true` also if there is no passcode that could be moved.
    func isInChip() async throws -> Bool {
        guard let status = try await status(), status.isSet else { return true }
        return status.algorithm == TPMPasscodeSealer.algorithm
    }

    /// Opens the store and makes the passcode service on it.
    func service() async throws -> PasscodeService { try service(on: try await open()) }

    /// Opens the store.
    func open(createsIfMissing: Bool = false) async throws -> GcryptKeystore {
        try await options.open(with: credential, createsIfMissing: createsIfMissing)
    }

    /// Makes the service on an open store.
    func service(on keystore: GcryptKeystore, throttle: ThrottlePolicy? = nil) throws -> PasscodeService {
        try PasscodeService(
            user: user,
            backends: Backends(
                secrets: keystore,
                sealer: try options.sealer(on: keystore, chip: chip, new: newSeal),
                clock: SystemClock()
            ),
            session: FixedSession(nil),
            configuration: .ofTool(throttle: throttle ?? .escalating)
        )
    }

    /// Reads the status of the passcode; `nil` if there is no store.
    func status() async throws -> PasscodeStatus? {
        do {
            return try await service().status()
        } catch let error as SecretStoreError where error.code == .missingStore {
            return nil
        }
    }

    /// The outcome of a command for the answer to a passcode. If the hardware refuses all passcodes, the text
    /// says whether a recovery passphrase helps.
    func outcome(of answer: PasscodeAnswer, done: String, result: String) async throws -> PasscodeOutcome {
        var isRecoverable: Bool?
        if case .triesExhausted = answer { isRecoverable = try await status()?.isRecoverable }
        return .answer(answer, done: done, result: result, isRecoverable: isRecoverable)
    }

    /// Returns the outcome of a command that must not ask for a passcode; `nil` if the command may ask. It
    /// must not ask if no passcode is set, or if a delay is running.
    func refusalToAsk() async throws -> PasscodeOutcome? {
        guard let status = try await status(), status.isSet else { return .notSet }
        guard status.retryAfter > .zero else { return nil }
        return .answer(.throttled(retryAfter: status.retryAfter), done: "", result: "")
    }
}
