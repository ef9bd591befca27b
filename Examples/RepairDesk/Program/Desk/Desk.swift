internal import Foundation
internal import HTTPPasscodeAccount
internal import LockScreens
internal import Observation
internal import PasscodeLock
internal import PortcullisCore
internal import RepairShop

/// The app as a model: who is signed in, what they see, and the lock over it.
///
/// `DeskRules` decides what is shown. This class carries out the effects of the rules. It draws nothing.
@MainActor
@Observable
final class Desk {
    /// What is shown now.
    enum Shown: Sendable, Hashable {
        /// No content, because the app is not in front or is being locked.
        case cover
        /// A page of the app.
        case page(PageContent)
        /// A screen of the lock.
        case screen(ScreenContent)
    }

    var rules = DeskRules()
    var lock: AppLock?
    var login: ScreenPresenter<LoginScreen>?
    var sheets: [Sheet] = []
    var dashboard = Dashboard()
    var isSigningOut = false
    /// Whether the person is signing out everywhere. Meanwhile only the screen that asked handles the
    /// session's end.
    @ObservationIgnored var isEndingSessions = false
    var isAway = false

    @ObservationIgnored let backends: Backends
    @ObservationIgnored let server: URL
    @ObservationIgnored let transport: any HTTPTransport
    @ObservationIgnored let session: DeskSession
    @ObservationIgnored let book: RepairBook
    @ObservationIgnored let client: SignInClient
    @ObservationIgnored private let hint: String?
    @ObservationIgnored private let idleTimeout: Duration?
    @ObservationIgnored private let choices: DeskChoices
    @ObservationIgnored var role: DeskRole?
    /// The message at the start of the next login.
    @ObservationIgnored var farewell: ScreenMessage?

    /// Makes a desk that has not started.
    ///
    /// - Parameters:
    ///   - backends: the desk uses the store, sealer and clock.
    ///   - server: the account server.
    ///   - transport: sends the requests. The caller still owns it.
    ///   - idleTimeout: the time without a key after which the desk locks; `nil` for never.
    ///   - hint: a line for the first page.
    init(
        backends: Backends,
        server: URL,
        transport: any HTTPTransport,
        idleTimeout: Duration?,
        hint: String? = nil
    ) throws {
        self.hint = hint
        self.backends = backends
        self.server = server
        self.transport = transport
        self.idleTimeout = idleTimeout
        let clock = backends.clock
        session = try DeskSession(store: backends.secrets) { token in
            // Without a connection the session still ends on this device. At the server the token stays valid
            // until it expires.
            try? await HTTPPasscodeAccount(
                server: server,
                transport: transport,
                clock: clock,
                token: { token }
            )
            .logOut()
        }
        // An address that is not safe is refused before a person signs in.
        _ = try HTTPPasscodeAccount(server: server, transport: transport, clock: clock, token: { nil })
        book = try RepairBook(store: backends.secrets)
        choices = try DeskChoices(store: backends.secrets)
        client = SignInClient(server: server, transport: transport)
    }

    // MARK: What is seen

    var shown: Shown {
        if isSigningOut || hasLostLock { return .cover }
        if let lock, lock.cover != .none {
            let content = lock.resetScreen?.content ?? lock.lockScreen?.content
            return lock.cover == .lockScreen ? content.map { .screen($0) } ?? .cover : .cover
        }
        // Customers have no lock, but their pages are covered while the window is away.
        if isAway, rules.session != nil { return .cover }
        if let sheet = sheets.last { return .screen(sheet.content) }
        return .page(page)
    }

    private var page: PageContent {
        switch rules.state {
        case .loading: return PageContent(title: "RepairDesk", text: ["One moment."])
        case .roleSelection: return roles
        case .staffLogin, .customerLogin: return login?.content ?? PageContent(title: "RepairDesk")
        case .passcodeSetUp: return PageContent(title: "RepairDesk")
        case .staffDashboard: return dashboard.content(person)
        case .customerPortal: return dashboard.portal(person, rules.session?.user.rawValue ?? "")
        case .quarantine(let reason):
            return PageContent(
                title: "Your account was put aside",
                person: person,
                text: [reason],
                actions: PageContent.waysOut
            )
        }
    }

    private var person: String { rules.session?.user.rawValue ?? "" }

    private var roles: PageContent {
        PageContent(
            title: "RepairDesk",
            text: [hint, "Who are you?"].compactMap(\.self),
            actions: [.init(.staff, "I work here"), .init(.customer, "I brought something to be repaired")]
        )
    }

    // MARK: What happens

    /// Starts the app, and looks after the session once a minute, until the call is cancelled.
    func launch() async {
        await session.whenEnded { [weak self] in await self?.sessionEnded($0) }
        let watching = Task { [session, weak self] in
            await session.watch { await self?.sessionEndedInAnotherProcess() }
        }
        defer { watching.cancel() }
        await take(.launched)
        while !Task.isCancelled {
            let next = backends.clock.now.sinceBoot + .seconds(60)
            do { try await backends.clock.sleep(until: .sinceBoot(next)) } catch { return }
            await session.removeEnded()
            if !isAway { await lookAtSession() }
        }
    }

    /// Handles an input of the person.
    func send(_ input: ScreenInput) {
        if hasLostLock { return }
        if let lock, lock.cover != .none {
            if let reset = lock.resetScreen { return reset.send(input) }
            lock.lockScreen?.send(input)
        } else if let sheet = sheets.last {
            sheet.send(input)
        } else {
            act(input)
        }
    }

    /// Passes an event to the rules, and carries out their effects.
    func take(_ event: DeskRules.Event) async {
        let before = rules.state
        let effects = rules.handle(event)
        if rules.state != before { await enter() }
        for effect in effects {
            switch effect {
            case .restore:
                role = await choices.role()
                let restored = await session.restoreSession()
                if restored != nil { Task { await self.lookAtSession() } }
                await take(.restored(restored, role: role))
            case .remember(let role):
                self.role = role
                await choices.remember(role)
            case .lookAtPasscode(let user):
                await lookAtPasscode(user)
            }
        }
    }

    /// Prepares what a new state shows.
    private func enter() async {
        switch rules.state {
        case .staffLogin: showLogin(.staff)
        case .customerLogin: showLogin(.customer)
        case .passcodeSetUp:
            // A question may still be open over the quarantine page that has just ended.
            closeSheets()
            await offerPasscode()
        case .staffDashboard, .customerPortal: await load()
        case .quarantine: closeSheets()
        case .loading, .roleSelection: break
        }
    }

    private func load() async {
        do {
            dashboard.repairs = try await book.repairs()
        } catch {
            dashboard.message = ScreenMessage(.error, "The repairs cannot be read: \(error)")
        }
    }

    private func closeSheets() { while let sheet = sheets.popLast() { sheet.close() } }

    /// Makes the service and the lock of a user who signed in as staff.
    private func lookAtPasscode(_ user: UserID) async {
        do {
            let service = try PasscodeService(
                user: user,
                backends: backends,
                session: session,
                configuration: PasscodeConfiguration(
                    appName: "RepairDesk",
                    timeout: .accountPreset,
                    idleTimeout: idleTimeout
                ),
                account: try account(of: user)
            )
            let lock = AppLock(session: LockSession(service: service))
            self.lock = lock
            followEnding(of: lock)
            if isAway { await lock.phaseChanged(to: .background) }
            await lock.start()
            var isSet = try await service.status().isSet
            if !isSet {
                // Only the account knows whether there is a passcode. If the account cannot be reached, a
                // passcode can be set and is sent later.
                await lock.synchronise()
                isSet = try await service.status().isSet
            }
            let wasAsked = try await service.wasAsked()
            let isEnabled = lock.report?.isEnabled ?? true
            await take(.found(user, isSet: isSet, isEnabled: isEnabled, wasAsked: wasAsked))
        } catch {
            // A passcode that cannot be read counts as set, because the lock screen then offers a way out.
            await take(.found(user, isSet: true, wasAsked: true))
        }
    }

    /// Makes the account of one person. Its requests are never sent with another person's token.
    func account(of user: UserID) throws(PasscodeAccountError) -> HTTPPasscodeAccount {
        try HTTPPasscodeAccount(
            server: server,
            transport: transport,
            clock: backends.clock,
            token: { [session] in await session.token(of: user) }
        )
    }

    /// Asks the server whether the session is still open, and whether the account was put aside.
    func lookAtSession() async {
        guard let token = await session.token else { return }
        do throws(SignInError) {
            let found = try await client.session(token)
            guard await session.keep(found.quarantine, of: token),
                // Another person may have signed in since that check.
                rules.session?.user == found.user
            else { return }
            await take(.quarantined(reason: found.quarantine))
        } catch {
            guard case .notSignedIn = error, !isSigningOut, !isEndingSessions, lock?.cover != .signingOut
            else { return }
            await sessionIsOver(token, saying: error.text)
        }
    }

    /// Forgets a session that the server has ended.
    func sessionIsOver(_ token: SecretBytes, saying text: String) async {
        farewell = ScreenMessage(.error, text)
        if await session.forget(token) { lock = nil } else { farewell = nil }
    }

    /// Handles a sign-out in another window of this device, which has also removed the passcode.
    private func sessionEndedInAnotherProcess() async {
        farewell = ScreenMessage(.notice, "You have signed out in another window.")
        await sessionEnded(nil)
        lock = nil
    }

    /// Handles the end of the session. After a log-out the lock stays until it ends by itself.
    private func sessionEnded(_ failure: SecretStoreError?) async {
        closeSheets()
        login = nil
        if let failure {
            farewell = ScreenMessage(
                .error,
                "Your session could not be removed from this device: \(failure.message)"
            )
        }
        await take(.signedOut)
    }
}
