public import LockScreens
public import Observation
public import PortcullisCore

/// A whole passcode lock for a user interface: what covers the content, and the lock screen while there is one.
///
/// Bind ``cover`` and ``lockScreen``, call ``start()`` before the content is shown, and tell it of scene phases
/// and activity. Everything else follows.
@MainActor
@Observable
public final class AppLock {
    /// What lies over the content; covered until the lock has been started.
    public private(set) var cover = LockCover.obscured
    /// The lock screen, while the app is locked.
    public private(set) var lockScreen: ScreenPresenter<LockScreen>?
    /// The reset screen over the lock screen, once a code was requested there.
    public private(set) var resetScreen: ScreenPresenter<ResetPasscodeScreen>?
    /// What the account told last; `nil` without an account, and before it answered.
    public private(set) var report: AccountReport?
    /// Why the account did not answer when it was last asked; `nil` after it did.
    public private(set) var accountFailure: PasscodeError?
    /// How a cover comes and goes.
    public let transition = CoverTransition.standard
    /// The lock beneath.
    @ObservationIgnored public let session: LockSession

    @ObservationIgnored private let driver: LockDriver
    @ObservationIgnored private let strings: PasscodeStrings
    @ObservationIgnored private var following: Task<Void, Never>?
    @ObservationIgnored private var shown: ScreenDriver<LockScreen>?
    @ObservationIgnored private var resetGeneration: UInt64?
    @ObservationIgnored private var asking: Task<Void, Never>?

    private var service: PasscodeService { session.service }

    /// A lock of a session.
    ///
    /// - Parameters:
    ///   - session: the lock beneath; each session has one app lock.
    ///   - strings: the texts.
    ///   - prepare: does what has to be done between a right proof and the uncovering; see
    ///     ``LockDriver/Host/prepare``.
    public init(
        session: LockSession,
        strings: PasscodeStrings = .english,
        prepare: (@MainActor (UnlockProof, _ generation: UInt64) async -> LockDriver.Admission)? = nil
    ) {
        self.session = session
        self.strings = strings
        driver = LockDriver(session: session, strings: strings)
        driver.host = LockDriver.Host(
            changed: { [weak self] in self?.show() },
            prepare: prepare ?? { _, _ in .admitted },
            openReset: { [weak self] request in self?.openReset(request) }
        )
    }

    // What waits for a prompt or for the account holds on to the lock, so that neither is under way any more.
    isolated deinit { following?.cancel() }

    /// Starts the lock; when it returns, ``cover`` is right for the first time.
    public func start() async {
        await session.launch()
        let states = await session.states()
        await driver.update()
        following = Task { [weak self] in
            for await _ in states { await self?.driver.update() }
        }
        askAccount()
    }

    /// The network is back, or the person signed in: asks the account how things stand.
    public func synchronise() async {
        do throws(PasscodeError) {
            report = try await session.synchronise()
            accountFailure = nil
        } catch {
            // A question that another one took the place of has not failed.
            if !Task.isCancelled { accountFailure = error }
        }
    }

    /// In the background: nothing that is shown waits for a network.
    private func askAccount() {
        asking?.cancel()
        asking = Task { [weak self] in await self?.synchronise() }
    }

    /// The app came to the front, went out of sight, or something between.
    public func phaseChanged(to phase: AppPhase) async {
        let isReturn = phase == .active && driver.phase == .background
        await driver.phaseChanged(to: phase)
        if isReturn { askAccount() }
    }

    /// Locks now, if a passcode is set.
    public func lock() async { await driver.lock() }

    private func show() {
        if cover != driver.cover { cover = driver.cover }
        guard shown !== driver.screen else { return }
        shown = driver.screen
        lockScreen = driver.screen.map { ScreenPresenter($0) }
        if shown == nil { closeReset() }
    }

    // MARK: Reset

    private func openReset(_ request: AccountCodeRequest) {
        guard resetScreen == nil, lockScreen != nil else { return }
        let effects = ScreenEffects(service: service, strings: strings)
        let driver = effects.resetPasscodeDriver(
            of: request,
            // A person may leave the app to read the mail. Only leaving it while the reset is sent voids the proof.
            resetting: { [weak self] in self?.resetGeneration = self?.driver.generation },
            finish: { [weak self] ending in await self?.resetEnded(ending) }
        )
        resetScreen = ScreenPresenter(driver)
    }

    private func resetEnded(_ ending: ResetPasscodeScreen.Ending) async {
        guard case .reset(let proof) = ending else { return closeReset() }
        if let resetGeneration { await driver.unlock(with: proof, generation: resetGeneration) }
        // Closed only now: the lock screen beneath has not been told of the new passcode.
        await driver.update()
        closeReset()
    }

    private func closeReset() {
        resetScreen?.dismiss()
        resetScreen = nil
    }
}
