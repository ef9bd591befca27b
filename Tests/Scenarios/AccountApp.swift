import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// A small app for staff whose passcode an account keeps, as a host would wire it, with the device it runs on.
///
/// The device (store, clock, sessions, the line to the server) outlives ``relaunch()``; all else is a process's.
@MainActor
final class AccountApp {
    enum Tab: CaseIterable { case jobs, calendar, customers }

    /// What the app shows beneath the lock.
    enum Page { case loading, staffLogin, passcodeSetUp, staffDashboard }

    let clock = ManualClock()
    let storage = InMemorySecretStore.Storage()
    let sessions = InMemorySession()
    let server: InMemoryAccountServer
    let line: InMemoryPasscodeAccount

    private(set) var page = Page.loading
    private(set) var service: PasscodeService?
    private(set) var lock: AppLock?
    private(set) var setUp: ScreenPresenter<FirstSetUpScreen>?
    var tab = Tab.jobs

    init() {
        server = InMemoryAccountServer(clock: clock)
        line = InMemoryPasscodeAccount(server)
    }

    /// What a person sees: the lock's cover, or what the app shows beneath.
    var sees: String {
        switch lock?.cover {
        case .lockScreen, .signingOut: "lock screen"
        case .obscured: "cover"
        case nil, .some(.none): page == .staffDashboard ? "\(tab)" : "\(page)"
        }
    }

    func launch() async throws {
        guard let user = await sessions.restore() else { return page = .staffLogin }
        try await look(user)
    }

    /// The process is killed, without a word, and started again.
    func relaunch() async throws {
        page = .loading
        (service, lock, setUp) = (nil, nil, nil)
        try await launch()
    }

    func logIn(_ user: UserID = .ada) async throws {
        sessions.signIn(user)
        page = .loading
        try await look(user)
    }

    private func look(_ user: UserID) async throws {
        let service = try PasscodeService(
            user: user,
            backends: Backends(
                secrets: InMemorySecretStore(storage),
                sealer: FastPasscodeSealer(),
                clock: clock
            ),
            session: sessions,
            configuration: PasscodeConfiguration(appName: "Ledger", timeout: .accountPreset),
            account: line
        )
        let lock = AppLock(session: LockSession(service: service))
        (self.service, self.lock) = (service, lock)
        await lock.start()
        await lock.synchronise()
        guard try await service.offersSetUp(isEnabled: lock.report?.isEnabled ?? true) else {
            return page = .staffDashboard
        }
        page = .passcodeSetUp
        setUp = ScreenEffects(service: service).firstSetUp { [weak self] _ in
            self?.setUp = nil
            self?.page = .staffDashboard
        }
    }

    /// Goes to the background for a while and comes back.
    func leave(for duration: Duration) async {
        await lock?.phaseChanged(to: .background)
        await clock.advance(by: duration)
        await lock?.phaseChanged(to: .active)
    }

    /// The host notices that nobody is signed in any more, once the lock has let go.
    func noticeSignOut() async throws {
        try await settle("signed out") { self.lock?.cover == LockCover.none }
        if await sessions.current == nil { page = .staffLogin }
    }

    /// Waits for what tasks of this process do by themselves; no time passes on the device.
    func settle(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(240)
        while !condition(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(2)) }
        try #require(condition(), "\(what)")
    }
}

extension ScreenPresenter where Screen: ContentScreen {
    /// Types digits on the pad.
    func type(_ digits: String) {
        for digit in digits { send(.digit(digit.wholeNumberValue!)) }
    }
}
