#if HummingbirdLock
internal import AdapterKit
internal import LockScreens
public import PasscodeLock
public import PortcullisCore
internal import WebScreens

/// The lock of one signed-in session, for all of its tabs.
///
/// Each session is an actor, so sessions do not wait for each other. Requests read the gate in memory and do
/// not wait for the actor.
public actor WebSession {
    /// The user who is signed in.
    public nonisolated var user: UserID { service.user }
    /// The service of the user's passcode.
    public nonisolated let service: PasscodeService

    /// A value that the host keeps with the session, such as the role in which the person signed in.
    public nonisolated let attachment: (any Sendable)?

    nonisolated let prompts: WebPrompts?

    nonisolated let gate: SessionGate
    nonisolated let token: String
    /// The session's name in the messages to its pages.
    private let name = Token.random(byteCount: 16)
    nonisolated let began: Duration
    let shared: SharedConfiguration
    let clock: any LockClock
    let lockSession: LockSession
    let driver: LockDriver
    private let forget: @Sendable (WebSession) -> Void
    /// Ends all sessions of a user.
    private let endAll: @Sendable (UserID) -> Void
    var hasStarted = false
    /// Whether ``end()`` was called. The gate may be closed for good earlier, because closing it does not
    /// wait for this actor.
    private var hasEnded = false
    private var pages = PageTable()
    private var rate: RateRules
    var watching: Task<Void, Never>?
    var leaving: Task<Void, Never>?
    /// The task that tells the lock of an absence.
    var telling: Task<Void, Never>?
    /// The time since boot of the person's last activity, or of the last unlocking.
    var lastActive: Duration
    private var following: Task<Void, Never>?
    private var prompting: Task<Void, Never>?
    private var watchingTries: Task<Void, Never>?
    private var hasPasskeys = false
    private var messageCount = 0

    /// The drawn screen, and its name. The name is empty while the host's content is to be shown.
    private var screen: WebScreen?
    private var screenName = ""
    /// The reset screen over the lock screen.
    var reset: (screen: ScreenDriver<ResetPasscodeScreen>, sheet: WebSheet)?
    var resetGeneration: UInt64?
    /// The recovery screen over the lock screen.
    var recovery: (screen: ScreenDriver<RecoverPasscodeScreen>, sheet: WebSheet)?
    var recoveryGeneration: UInt64?
    /// The generation of the last lock that the reset or recovery screen knows of. Each screen knows of the
    /// lock during which it was opened.
    var clearedGeneration: UInt64?
    var sheets: [(number: UInt64, sheet: WebSheet)] = []
    var lastSheet: UInt64 = 0
    /// The task that switches passkeys on.
    private var enrolling: Task<Result<PasscodeAnswer, PasscodeError>, Never>?
    /// The security settings, while they are open.
    weak var security: ScreenDriver<SecuritySettingsScreen>?
    /// The name of the screen that was opened last.
    var opened = ""
    /// The number of the last opening of a screen.
    var lastOpening: UInt64 = 0
    /// The task of the last opening; `nil` after the screen's body has ended.
    var opening: Task<Void, Never>?
    /// The largest number of streams of a session. The script of the pages opens one stream for all tabs of a
    /// browser. The stream of a closed tab may end late, and a client may open any number of streams.
    private static let maximumStreams: UInt64 = 6
    private var lastStream: UInt64 = 0

    init(
        _ service: PasscodeService,
        attachment: (any Sendable)?,
        prompts: WebPrompts?,
        clock: any LockClock,
        shared: SharedConfiguration,
        forget: @escaping @Sendable (WebSession) -> Void,
        endAll: @escaping @Sendable (UserID) -> Void
    ) {
        self.service = service
        self.attachment = attachment
        self.prompts = prompts
        self.clock = clock
        self.shared = shared
        (self.forget, self.endAll) = (forget, endAll)
        token = Token.random(byteCount: 32)
        began = clock.now.sinceBoot
        lockSession = LockSession(service: service)
        driver = LockDriver(session: lockSession, strings: shared.value.strings)
        lastActive = began
        gate = SessionGate(heartbeat: shared.heartbeat, at: began)
        rate = RateRules(perSecond: shared.value.maximumPostsPerSecond)
    }

    deinit {
        watching?.cancel()
        leaving?.cancel()
        following?.cancel()
        prompting?.cancel()
        watchingTries?.cancel()
    }

    // MARK: The lock

    /// Starts the lock. The gate stays closed until the lock's state is known. After the call the gate is
    /// open while the session is not locked.
    func start() async {
        let (user, prepare, settled) = (user, shared.value.prepare, shared.value.settled)
        driver.host = LockDriver.Host(
            changed: { [weak self] in self?.assumeIsolated { $0.draw() } },
            // The lock does not know of the session's end, and may take a proof after that.
            prepare: { [gate] proof, _ in
                if gate.isOver { return .refused(message: nil) }
                return await prepare(user, proof)
            },
            settled: { [gate] _, isUnlocked in settled(user, isUnlocked && !gate.isOver) },
            openReset: { [weak self] request in self?.assumeIsolated { $0.openReset(request) } },
            openRecovery: { [weak self] in self?.assumeIsolated { $0.openRecovery() } ?? () }
        )
        let states = await lockSession.states()
        await driver.start()
        hasStarted = true
        draw()
        // The tasks are detached, because they live as long as the session and need no task-local values of
        // the request.
        following = Task.detached { [weak self] in
            for await _ in states { await self?.update() }
        }
        // After too many wrong passcodes the person is signed out, which removes the passcode. Then no
        // session of the user could be locked any more, so all are ended. If the action of the limit is left
        // to another process, the passcode stays, and this task is not needed. A try may go on after the end
        // of its session. So the task keeps no session, and `end()` does not cancel it.
        if service.configuration.carriesOutLimitAction {
            watchingTries = Task.detached { [user, endAll, events = service.events()] in
                for await event in events {
                    if case .limitReached = event.kind { endAll(user) }
                }
            }
        }
        if let changes = prompts?.source?.changes() {
            prompting = Task.detached { [gate] in
                for await _ in changes { gate.changes.send(()) }
            }
        }
        await heard(PresenceRules.visit, isVisible: true, isActive: true)
    }

    /// Shows the session's new state. The call does not wait for the store or the authenticator, because the
    /// next state may be a lock.
    private func update() async { await driver.updateAtOnce() }

    /// Locks the session now. Without a passcode the session stays open. If the session is locked already,
    /// the input on a reset or recovery screen is discarded.
    public func lock() async {
        clearEntries()
        await driver.lock()
    }

    func clearEntries() {
        reset?.screen.handle(.relocked)
        recovery?.screen.handle(.relocked)
    }

    /// Tells the lock that a passcode was set, changed or removed by other code than the lock's screens.
    public func passcodeChanged() async {
        await lockSession.passcodeChanged()
        await driver.update()
    }

    /// Switches passkeys on.
    ///
    /// If the session locks meanwhile, the task is cancelled and the browser is asked for no passkey. Another
    /// person may be at the page by then, who could add a passkey of their own.
    func enableBiometrics(_ passcode: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        let task = Task { [service] () async -> Result<PasscodeAnswer, PasscodeError> in
            do throws(PasscodeError) { return .success(try await service.enableBiometrics(passcode)) } catch {
                return .failure(error)
            }
        }
        // An earlier enrolment may still wait for a page that is closed by now.
        enrolling?.cancel()
        enrolling = task
        // A finished task keeps its result, which may hold the passcode's key. So the task is released.
        defer { if enrolling == task { enrolling = nil } }
        if isLocked { task.cancel() }
        return try await task.value.get()
    }

    /// Asks the account for its state.
    ///
    /// - Returns: the account's report; `nil` without an account.
    /// - Throws: the errors of `LockSession.synchronise()`.
    @discardableResult
    public func synchronise() async throws(PasscodeError) -> AccountReport? {
        let report = try await lockSession.synchronise()
        await driver.update()
        return report
    }

    /// Ends the session. Its pages show no content any more, and its cookie becomes invalid.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        gate.end()
        forget(self)
        watching?.cancel()
        leaving?.cancel()
        following?.cancel()
        prompting?.cancel()
        enrolling?.cancel()
        driver.stop()
        closeReset()
        closeRecovery()
        while let (_, sheet) = sheets.popLast() { sheet.close() }
        gate.changes.send(())
    }

    // MARK: The shown screen

    private var top: WebSheet? { isLocked ? reset?.sheet ?? recovery?.sheet : sheets.last?.sheet }

    var isLocked: Bool { driver.cover == .lockScreen || driver.cover == .signingOut }

    func draw() {
        // If the person signed out, or the passcode was removed during the lock, the session ends, and the
        // content is not shown.
        if !isLocked, let ending = driver.ending, ending != .unlocked {
            // Signing out removes the passcode, so no other session of the user could be locked any more.
            if ending == .signedOut { endAll(user) }
            return end()
        }
        // The gate and the generation are set before any waiting, because decisions about requests depend on
        // them.
        if gate.set(isOpen: hasStarted && !isLocked) { lastActive = clock.now.sinceBoot }
        prompts?.set(generation: driver.generation)
        if isLocked { enrolling?.cancel() }
        if !isLocked {
            closeReset()
            closeRecovery()
        } else if driver.generation != clearedGeneration {
            // After a new lock another person may be at the page. So the input on a reset or recovery screen
            // is discarded.
            clearedGeneration = driver.generation
            clearEntries()
        }
        let name = isLocked ? "lock" : sheets.isEmpty ? "" : "sheet"
        // A page of the previous screen now loads the next page by itself. The browser reports no input of
        // the person for this. Until the next page reports, the session would have no visible tab. So a visit
        // is recorded here if a visible page with a script has reported lately.
        if !screenName.isEmpty, name != screenName { gate.pageFollows(at: clock.now.sinceBoot) }
        let content = top?.content ?? (isLocked ? driver.screen?.content : nil)
        var isChanged = name != screenName
        if let content {
            if screenName == name, screen != nil {
                if screen?.show(content) == true { isChanged = true }
            } else {
                let next = (screen?.revision ?? 0) + 1
                screen = WebScreen(content, strings: shared.value.pageStrings, revision: next)
                isChanged = true
            }
        }
        screenName = name
        if isChanged { gate.changes.send(()) }
    }

    /// The screen to show; `nil` if no screen is to be shown. A screen over the content is shown only while
    /// the gate is open. After the session's end no screen is shown.
    private var shown: WebScreen? {
        guard !gate.isOver, !screenName.isEmpty, gate.isOpen || screenName == "lock" else { return nil }
        return screen
    }

    /// Returns the message for a page that has this revision.
    func message(since revision: Int) -> WebMessage {
        let isOver = gate.isOver
        defer { messageCount += 1 }
        return WebMessage(
            session: name,
            isLocked: isLocked || !hasStarted,
            isOver: isOver,
            screen: screenName,
            patch: shown?.patch(since: revision),
            prompt: isOver ? nil : prompts?.source?.current(),
            number: messageCount
        )
    }

    /// Returns a page of the screen to show; `nil` if no screen is to be shown. The paths are those of
    /// `WebPage`.
    func page(next: String, reload: String? = nil) -> String? {
        guard let shown else { return nil }
        return WebPage(
            base: shared.value.base,
            id: pages.add(of: screenName),
            next: next,
            reload: reload,
            screen: screenName
        )
        .html(shown)
    }

    // MARK: Input of the person

    /// The result of a post.
    enum Taken: Sendable { case taken, replayed, ofOtherScreen, tooMany }

    /// Applies the inputs of a page's post.
    func take(_ form: WebForm) -> Taken {
        // A post that is over the limit is not recorded as received, so the page can send it again.
        guard rate.take(at: clock.now.sinceBoot) else { return .tooMany }
        switch pages.take(form.page, form.count, showing: screenName) {
        case .new: break
        case .repeated: return .replayed
        case .ofOtherScreen: return .ofOtherScreen
        }
        for input in form.inputs {
            if let top { top.send(input) } else if isLocked { driver.screen?.send(input) }
        }
        return .taken
    }

    /// Processes a page's report on whether its browser can use passkeys. If the report differs from the
    /// previous report, the lock screen and the security settings are updated.
    func tellPasskeys(_ hasPasskeys: Bool) async {
        guard hasPasskeys != self.hasPasskeys, let source = prompts?.source else { return }
        self.hasPasskeys = hasPasskeys
        source.setAvailable(hasPasskeys)
        await driver.authenticatorChanged()
        security?.handle(.appeared)
    }

    /// Whether a screen over the content is shown.
    var showsSheet: Bool { !isLocked && !sheets.isEmpty }

    /// Opens a stream of events, and returns its number. If there are too many streams, the oldest stream
    /// ends.
    func openStream() -> UInt64 {
        lastStream += 1
        gate.changes.send(())
        return lastStream
    }

    /// Whether a stream may continue. A stream ends if too many newer streams were opened.
    func follows(_ stream: UInt64) -> Bool { lastStream - stream < Self.maximumStreams }

    /// Counts a heartbeat, a stream, an answer to a prompt, a screen over the content or a post that locks.
    /// Returns whether the limit allows it.
    func takeQuestion() -> Bool { rate.take(at: clock.now.sinceBoot) }
}
#endif
