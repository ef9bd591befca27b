import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// A small app behind a passcode lock, as a host would wire it, with the device it runs on.
///
/// The device (store, clock, biometrics, who is signed in) outlives ``relaunch()``; all else is a process's.
@MainActor
final class App {
    let clock = ManualClock()
    let storage = InMemorySecretStore.Storage()
    let biometrics: any BiometricAuthenticator
    let host = Host()
    var configuration = PasscodeConfiguration(appName: "Ledger")

    private(set) var service: PasscodeService
    private(set) var lock: AppLock
    /// Every cover the person has seen since the launch, in order.
    private(set) var covers: [LockCover] = []
    private var watcher: Task<Void, Never>?

    init(
        biometrics: any BiometricAuthenticator = Unavailable(),
        configure: (inout PasscodeConfiguration) -> Void = { _ in }
    ) throws {
        self.biometrics = biometrics
        configure(&configuration)
        (service, lock) = try Self.process(clock, storage, biometrics, host, configuration)
    }

    private static func process(
        _ clock: ManualClock,
        _ storage: InMemorySecretStore.Storage,
        _ biometrics: any BiometricAuthenticator,
        _ host: Host,
        _ configuration: PasscodeConfiguration
    ) throws -> (PasscodeService, AppLock) {
        let service = try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: InMemorySecretStore(storage),
                biometrics: biometrics,
                sealer: FastPasscodeSealer(),
                clock: clock
            ),
            session: host,
            configuration: configuration
        )
        return (service, AppLock(session: LockSession(service: service)))
    }

    /// Starts the process and shows its content or its lock screen.
    func launch() async {
        covers = []
        let states = await lock.session.states()
        watcher = Task { [weak self] in
            for await state in states { self?.covers.append(state.cover) }
        }
        await lock.start()
    }

    /// The process is killed, without a word, and started again.
    func relaunch() async throws {
        watcher?.cancel()
        (service, lock) = try Self.process(clock, storage, biometrics, host, configuration)
        await launch()
    }

    /// Goes to the background for a while and comes back.
    func leave(for duration: Duration) async {
        await lock.phaseChanged(to: .inactive)
        await lock.phaseChanged(to: .background)
        await clock.advance(by: duration)
        await lock.phaseChanged(to: .active)
    }

    var isLocked: Bool { lock.cover == .lockScreen || lock.cover == .signingOut }

    var content: ScreenContent? { lock.lockScreen?.content }

    /// Types on the lock screen's pad.
    func type(_ digits: String) {
        for digit in digits { lock.lockScreen?.send(.digit(digit.wholeNumberValue!)) }
    }

    func activate(_ id: ControlID) { lock.lockScreen?.send(.activate(id)) }

    /// Types a whole passcode and waits for what becomes of it.
    func enter(_ digits: String) async throws {
        type(digits)
        try await settle("the passcode was looked at") { self.lock.lockScreen?.content.isBusy != true }
    }

    /// Waits for what tasks of this process do by themselves; no time passes on the device.
    ///
    /// The bound is one of real time, because how often a busy machine has to yield says nothing.
    func settle(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(240)
        while !condition(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(2)) }
        try #require(condition(), "\(what)")
    }
}

/// Who is signed in on the device.
actor Host: SignedInSession {
    private(set) var current: UserID? = .ada
    private(set) var signedOut: [UserID?] = []
    private var isHeld = false
    private var held: CheckedContinuation<Void, Never>?

    func restore() async -> UserID? { current }

    /// The next sign-out hangs, as one does offline, until ``release()``.
    func hold() { isHeld = true }

    func release() {
        isHeld = false
        held?.resume()
        held = nil
    }

    func signOut() async {
        if isHeld { await withCheckedContinuation { held = $0 } }
        signedOut.append(current)
        current = nil
    }
}

extension UserID {
    static let ada = UserID("ada")!
}

extension SecretBytes {
    /// A passcode that a test made up.
    convenience init(_ text: String) { self.init(copying: text.utf8) }
}
