internal import PasscodeLock
internal import PortcullisCore
internal import PortcullisTesting

/// What all sessions of the server share.
struct SharedBackends: Sendable {
    private let storage = InMemorySecretStore.Storage()
    private let clock = ManualClock()
    private let sealer = FastPasscodeSealer()

    /// The passcode service of a user.
    func service(_ number: Int) throws -> PasscodeService {
        guard let user = UserID("user-\(number)") else { preconditionFailure("no user has this number") }
        return try PasscodeService(
            user: user,
            backends: Backends(secrets: InMemorySecretStore(storage), sealer: sealer, clock: clock),
            session: InMemorySession(user),
            configuration: PasscodeConfiguration(appName: "Benchmark")
        )
    }
}

/// One session of the server: an actor with a driver of its own.
actor ServerSession {
    static let right = "834912"
    static let wrong = "270954"

    private let driver: LockDriver
    private var wanted: LockCover?
    private var waiting: CheckedContinuation<Void, Never>?

    init(_ service: PasscodeService) { driver = LockDriver(session: LockSession(service: service)) }

    func start() async {
        driver.host.changed = { [weak self] in self?.assumeIsolated { $0.look() } }
        await driver.start()
    }

    func lock() async { await driver.lock() }

    func enter(_ phase: AppPhase) async { await driver.phaseChanged(to: phase) }

    /// Types a passcode, and waits until the answer is shown.
    func type(_ digits: String, until cover: LockCover) async {
        await withCheckedContinuation { continuation in
            for digit in digits.compactMap(\.wholeNumberValue) {
                driver.screen?.handle(.input(.digit(digit)))
            }
            (wanted, waiting) = (cover, continuation)
            look()
        }
    }

    private func look() {
        guard let waiting, driver.cover == wanted else { return }
        if let screen = driver.screen {
            // The answer to a wrong passcode is a message over an empty entry.
            guard !screen.content.isBusy, screen.content.message != nil else { return }
        }
        self.waiting = nil
        waiting.resume()
    }
}
