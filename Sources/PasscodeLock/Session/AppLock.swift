public import LockScreens
public import Observation
public import PortcullisCore

/// A whole passcode lock for a user interface: the cover over the content, and the lock screen while the app
/// is locked.
///
/// Bind ``cover`` and ``lockScreen``, and call ``start()`` before the content is shown. Then report every
/// scene phase and all activity.
@MainActor
@Observable
public final class AppLock {
    /// The cover over the content. The content is obscured until the lock has started.
    public private(set) var cover = LockCover.obscured
    /// The lock screen, while the app is locked.
    public private(set) var lockScreen: ScreenPresenter<LockScreen>?
    /// The reset screen. It lies over the lock screen after the person requested a code on the lock screen.
    public private(set) var resetScreen: ScreenPresenter<ResetPasscodeScreen>?
    /// The recovery screen. It lies over the lock screen after the person opened it from the lock screen.
    public private(set) var recoveryScreen: ScreenPresenter<RecoverPasscodeScreen>?
    /// The way in which the last lock screen ended; `nil` before the first lock screen has ended. While the
    /// app is locked, the value is `nil`, or ``LockDriver/Ending/signedOut`` once the person has signed out.
    ///
    /// ``LockDriver/Ending/disarmed`` means that the passcode was removed, perhaps by another process. The
    /// lock then removes the cover, although it received no proof. A host with windows in several processes
    /// can show its sign-in instead of the content. The content is never visible before the sign-in, because
    /// this value changes together with ``cover``.
    ///
    /// The app may lock because the store cannot be read, before a passcode was ever found. If the next read
    /// that succeeds finds no passcode, the lock ends and the value stays `nil`.
    public private(set) var ending: LockDriver.Ending?
    /// The account's last report; `nil` without an account, and before the account answered.
    public private(set) var report: AccountReport?
    /// The error of the last request to the account; `nil` after the account answered.
    public private(set) var accountFailure: PasscodeError?
    /// The transition with which a cover appears and disappears.
    public let transition = CoverTransition.standard
    /// The session that decides when the app locks and unlocks, and stores the lock's state.
    @ObservationIgnored public let session: LockSession

    @ObservationIgnored private let driver: LockDriver
    @ObservationIgnored private let strings: PasscodeStrings
    @ObservationIgnored private var following: Task<Void, Never>?
    @ObservationIgnored private var shown: ScreenDriver<LockScreen>?
    @ObservationIgnored private var resetGeneration: UInt64?
    @ObservationIgnored private var recoveryGeneration: UInt64?
    /// The lock's generation when the reset or recovery screen was opened, or when the entries of these
    /// screens were last cleared. When the lock gets another generation, the entries are cleared.
    @ObservationIgnored private var clearedGeneration: UInt64?
    @ObservationIgnored private var asking: Task<Void, Never>?
    /// Whether the app has been in the background since it was last active.
    @ObservationIgnored private var wasAway = false

    private var service: PasscodeService { session.service }

    /// Makes a lock that uses a session.
    ///
    /// - Parameters:
    ///   - session: the session that decides when the app locks. Make only one app lock for each session.
    ///   - strings: the texts.
    ///   - settled: called after `prepare` has admitted a proof; see ``LockDriver/Host/settled``. If the
    ///     session refused the proof, the host undoes the work of `prepare`, because the app is still
    ///     locked.
    ///   - prepare: does the work between a right proof and the removal of the cover; see
    ///     ``LockDriver/Host/prepare``.
    public init(
        session: LockSession,
        strings: PasscodeStrings = .english,
        settled: @escaping @MainActor (_ generation: UInt64, _ isUnlocked: Bool) -> Void = { _, _ in },
        prepare: (@MainActor (UnlockProof, _ generation: UInt64) async -> LockDriver.Admission)? = nil
    ) {
        self.session = session
        self.strings = strings
        driver = LockDriver(session: session, strings: strings)
        driver.host = LockDriver.Host(
            changed: { [weak self] in self?.show() },
            prepare: prepare ?? { _, _ in .admitted },
            settled: { generation, isUnlocked in
                // The driver belongs to the main actor.
                MainActor.assumeIsolated { settled(generation, isUnlocked) }
            },
            openReset: { [weak self] request in self?.openReset(request) },
            openRecovery: { [weak self] in self?.openRecovery() }
        )
    }

    // Only `following` has to be cancelled. The task in `asking` retains the lock while the task waits for
    // the account. So `deinit` never runs during that wait. An open prompt retains only the driver, and runs
    // to its end.
    isolated deinit { following?.cancel() }

    /// Starts the lock. When the call returns, ``cover`` shows the real state for the first time. A later
    /// call, such as that of a second window, reads the passcode's state again.
    public func start() async {
        await session.launch()
        let states = await session.states()
        await driver.update()
        following?.cancel()
        following = Task { [weak self] in
            // The loop must not wait for the store or the authenticator: the next state may be a lock.
            for await _ in states { await self?.driver.updateAtOnce() }
        }
        askAccount()
    }

    /// Asks the account for its status. The app calls this when the network is back or the person has signed
    /// in.
    public func synchronise() async {
        do throws(PasscodeError) {
            report = try await session.synchronise()
            accountFailure = nil
        } catch {
            // A request that was cancelled by a newer one has not failed, so its error is not stored.
            if !Task.isCancelled { accountFailure = error }
        }
    }

    /// Asks the account in the background, so that no screen waits for the network.
    private func askAccount() {
        asking?.cancel()
        asking = Task { [weak self] in await self?.synchronise() }
    }

    /// Reports the app's new phase to the lock.
    public func phaseChanged(to phase: AppPhase) async {
        // Some systems report `inactive` between background and front. So `wasAway` notes the absence.
        if phase == .background { wasAway = true }
        let isReturn = phase == .active && wasAway
        if isReturn { wasAway = false }
        await driver.phaseChanged(to: phase)
        if isReturn { askAccount() }
    }

    /// Locks now, if a passcode is set. An open reset or recovery screen drops all entries, even if the app
    /// is locked already.
    public func lock() async {
        clearEntries()
        await driver.lock()
    }

    private func clearEntries() {
        resetScreen?.handle(.relocked)
        recoveryScreen?.handle(.relocked)
    }

    private func show() {
        if cover != driver.cover { cover = driver.cover }
        // The driver's value is `unlocked` from the unlocking on. Here it changes together with the cover,
        // when the screen closes.
        let isClosing = driver.screen != nil && driver.ending == .unlocked
        if !isClosing, ending != driver.ending { ending = driver.ending }
        if driver.screen != nil, driver.generation != clearedGeneration {
            clearedGeneration = driver.generation
            clearEntries()
        }
        guard shown !== driver.screen else { return }
        shown = driver.screen
        lockScreen = driver.screen.map { ScreenPresenter($0) }
        guard shown == nil else { return }
        closeReset()
        closeRecovery()
    }

    // MARK: Reset

    private func openReset(_ request: AccountCodeRequest) {
        guard resetScreen == nil, lockScreen != nil else { return }
        let effects = ScreenEffects(service: service, strings: strings)
        let driver = effects.resetPasscodeDriver(
            of: request,
            // The generation is recorded when the reset is sent, not when the screen opens. So the person may
            // leave the app to read the mail before entering the code. If the person leaves the app after the
            // reset was sent, the proof does not unlock.
            resetting: { [weak self] in self?.resetGeneration = self?.driver.generation },
            finish: { [weak self] ending in await self?.resetEnded(ending) }
        )
        clearedGeneration = self.driver.generation
        resetScreen = ScreenPresenter(driver)
    }

    private func resetEnded(_ ending: ResetPasscodeScreen.Ending) async {
        guard case .reset(let proof) = ending else { return closeReset() }
        // The reset screen closes last, because the lock screen under it must first get the new state.
        if let resetGeneration { await driver.unlock(with: proof, generation: resetGeneration) }
        closeReset()
    }

    private func closeReset() {
        resetScreen?.dismiss()
        resetScreen = nil
    }

    // MARK: Recovery

    private func openRecovery() {
        guard recoveryScreen == nil, lockScreen != nil else { return }
        let driver = ScreenEffects(service: service, strings: strings).recoverPasscodeDriver(
            recovering: { [weak self] in self?.recoveryGeneration = self?.driver.generation },
            finish: { [weak self] ending in await self?.recoveryEnded(ending) }
        )
        clearedGeneration = self.driver.generation
        recoveryScreen = ScreenPresenter(driver)
    }

    private func recoveryEnded(_ ending: RecoverPasscodeScreen.Ending) async {
        if case .recovered(let proof) = ending, let recoveryGeneration {
            await driver.unlock(with: proof, generation: recoveryGeneration)
        }
        if case .over = ending { await session.passcodeChanged() }
        // The recovery screen closes last, because the lock screen under it must first get the new state.
        await driver.update()
        closeRecovery()
    }

    private func closeRecovery() {
        recoveryScreen?.dismiss()
        recoveryScreen = nil
    }
}
