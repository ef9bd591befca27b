internal import AdapterKit
public import LockScreens
public import PortcullisCore

/// Drives the lock of a session: the cover over the content, and the lock screen with its effects.
///
/// The driver belongs to the actor on which it is used. The host chooses that actor: the main actor for an
/// app (through ``AppLock``), an actor for each session on a server, or the loop of a terminal program.
///
/// The session handles each event in memory. The cover changes before the driver waits for the store. The
/// session may also lock by itself, for example when the idle time is over. So the host follows
/// ``LockSession/states()``, and calls ``update(isolation:)`` or ``updateAtOnce(isolation:)`` for each state.
public final class LockDriver {
    /// The host's decision after a right proof, before the cover is removed.
    public enum Admission: Sendable, Hashable {
        /// The cover may be removed.
        case admitted
        /// The cover stays. The lock screen asks again, and shows the message if there is one.
        case refused(message: String?)
    }

    /// The way in which a lock screen ended.
    public enum Ending: Sendable, Hashable {
        /// The session was unlocked with a proof from this driver.
        case unlocked
        /// The person signed out on the lock screen.
        case signedOut
        /// The passcode was removed by another part of the app, by another process, or because the limit of
        /// wrong passcodes was reached.
        case disarmed
    }

    /// The closures that the host provides. Each is called on the driver's actor.
    ///
    /// The types of the closures do not name that actor, so the compiler cannot check on which actor they
    /// run. An actor that owns the driver therefore passes closures such as
    /// `{ [unowned self] in assumeIsolated { $0.draw() } }`.
    public struct Host {
        /// Called when the cover, the lock screen or its content has changed.
        public var changed: () -> Void
        /// Does the work between a right proof and the removal of the cover, such as opening sealed data.
        public var prepare: (UnlockProof, _ generation: UInt64) async -> Admission
        /// Called after ``prepare`` has admitted a proof. `isUnlocked` is `false` if the session refused
        /// the proof, for instance because it had locked again.
        public var settled: (_ generation: UInt64, _ isUnlocked: Bool) -> Void
        /// Opens the reset screen after a code was sent. While that screen is open, the host sends it
        /// ``ResetPasscodeScreen/Event/relocked`` for each new ``LockDriver/generation`` of the lock.
        public var openReset: (AccountCodeRequest) -> Void
        /// Opens the screen that sets a new passcode with the recovery passphrase. The lock screen offers
        /// recovery only if this closure is set.
        public var openRecovery: (() -> Void)?

        /// Makes a host. By default each closure does nothing, and `prepare` returns `admitted`.
        public init(
            changed: @escaping () -> Void = {},
            prepare: @escaping (UnlockProof, _ generation: UInt64) async -> Admission = { _, _ in .admitted },
            settled: @escaping (_ generation: UInt64, _ isUnlocked: Bool) -> Void = { _, _ in },
            openReset: @escaping (AccountCodeRequest) -> Void = { _ in },
            openRecovery: (() -> Void)? = nil
        ) {
            (self.changed, self.prepare, self.settled) = (changed, prepare, settled)
            (self.openReset, self.openRecovery) = (openReset, openRecovery)
        }
    }

    /// The session that decides when the app locks and unlocks.
    public let session: LockSession
    /// The texts of the next lock screen.
    public var strings: PasscodeStrings
    /// The lock screen, while the session is locked.
    public private(set) var screen: ScreenDriver<LockScreen>?
    /// The way in which the last lock screen ended; `nil` before the first lock screen has ended. While a
    /// screen is shown, the value is `nil`, with two exceptions: ``Ending/signedOut`` once the person has
    /// signed out on that screen, and ``Ending/unlocked`` from the unlocking until the screen closes.
    ///
    /// The session may lock because the store cannot be read, before it has ever found a passcode. If the
    /// next read that succeeds finds no passcode, the lock screen closes and the value stays `nil`.
    ///
    /// The session may also lock, and lose its passcode, before a lock screen is shown. The value is then
    /// ``Ending/disarmed``.
    public internal(set) var ending: Ending?
    /// The closures that the host provides and the driver calls.
    public var host = Host()

    /// The phase of the app that the host reported last.
    public private(set) var phase = AppPhase.active
    private var state: LockState?
    var prompt: Task<Result<BiometricAnswer, PasscodeError>, Never>?
    /// The generation that the screen was given last, at its start or by ``LockScreen/Event/generation(_:)``.
    private(set) var toldGeneration: UInt64 = 0
    /// The format that the screen was given last, at its start or by ``LockScreen/Event/format(_:)``.
    private var toldFormat: PasscodeFormat?
    /// Whether the lock screen still has to appear. The value becomes `true` in these cases:
    /// - The screen is opened.
    /// - The lock gets a new generation.
    /// - The app goes into the background.
    /// - An appearance has to wait until the app is active.
    private var isAppearanceDue = false
    /// The number of reported phases that the session has not handled yet. Until it is zero, no lock screen
    /// appears, because each phase may give the lock another generation.
    private var phasesOnTheWay = 0
    /// The number of reported phases other than `active` whose state was not taken from the session yet.
    /// Until it is zero the content is obscured, also if the app has returned to the front meanwhile.
    private var departuresOnTheWay = 0
    /// The number of the latest appearance. If another appearance begins, the earlier ones have no effect.
    private var appearances: UInt64 = 0
    /// Lets one proof at a time be prepared, given to the session and settled. Otherwise the host could undo
    /// the work for a proof that was accepted meanwhile.
    let provingTurn = SerialTurn()
    /// The number of proofs that the session has not answered yet. While a proof waits for the answer, it is
    /// unknown how the screen ends.
    var proofsOnTheWay = 0
    /// Whether an unlocked state was put off until it is known how the screen ends.
    private var hasHeldBack = false
    /// The session's `lostGenerations` at the time when the driver last saw the session unlocked.
    private var knownLosses: Set<UInt64> = []
    var isSigningOut = false
    /// Whether ``stop()`` was called. After that call the driver opens no lock screen, because the host
    /// would never dismiss it.
    private var isStopped = false

    var service: PasscodeService { session.service }

    /// Makes a driver of a session that has not launched yet.
    public init(session: LockSession, strings: PasscodeStrings = .english) {
        self.session = session
        self.strings = strings
    }

    /// The cover over the content: ``LockCover/obscured`` before ``start(isolation:)``.
    public var cover: LockCover {
        guard let state else { return .obscured }
        // If the app has left the front, the content is obscured at once. The session may not have the new
        // phase yet.
        let isLeaving = phase != .active || departuresOnTheWay > 0
        return isLeaving && state.cover == .none ? .obscured : state.cover
    }

    /// The generation of the lock that is shown. A proof of another generation does not unlock.
    public var generation: UInt64 { state?.generation ?? 0 }

    // MARK: Events

    /// Launches the session and shows its state. When the call returns, ``cover`` is up to date.
    public func start(isolation: isolated any Actor = #isolation) async {
        await session.launch()
        await update()
    }

    /// Reports the app's new phase to the session.
    public func phaseChanged(to phase: AppPhase, isolation: isolated any Actor = #isolation) async {
        leave(for: phase)
        let storing = await session.phaseBegan(phase)
        await arrived(phase)
        if let due = takeDueScreen() { await appear(due) }
        guard let storing else { return }
        await storing.value
        await update()
    }

    /// Locks now, if a passcode is set.
    public func lock(isolation: isolated any Actor = #isolation) async {
        _ = await session.lockAtOnce()
        await update()
        await session.lock()
        await update()
    }

    /// Shows the session's present state. A host calls this after an event that did not come through this
    /// driver.
    public func update(isolation: isolated any Actor = #isolation) async {
        await refresh()
        if let due = takeDueScreen() { await appear(due) }
    }

    /// Updates the biometrics on the lock screen. If biometrics are usable now, the screen shows the
    /// biometric prompt, in the same way as when the screen appears.
    ///
    /// A host calls this method when the authenticator becomes available or unavailable, for example after a
    /// web page has reported the abilities of its browser.
    public func authenticatorChanged(isolation: isolated any Actor = #isolation) async {
        guard let screen else { return }
        if mayAppear { await appear(screen) } else { isAppearanceDue = true }
    }

    private func leave(for phase: AppPhase) {
        self.phase = phase
        phasesOnTheWay += 1
        if phase != .active { departuresOnTheWay += 1 }
        if phase == .background {
            prompt?.cancel()
            isAppearanceDue = true
        }
        host.changed()
    }

    /// Takes the state of a session that has handled a reported phase.
    private func arrived(_ phase: AppPhase, isolation: isolated any Actor = #isolation) async {
        phasesOnTheWay -= 1
        await refresh()
        guard phase != .active else { return }
        departuresOnTheWay -= 1
        if departuresOnTheWay == 0 { host.changed() }
    }

    /// Closes the lock screen and its prompt. The session continues. The driver opens no other lock screen.
    public func stop() {
        isStopped = true
        prompt?.cancel()
        screen?.dismiss()
    }

    // MARK: Calls for a host that must not wait for the store

    /// Does the same as ``phaseChanged(to:isolation:)``, but does not wait for the store.
    public func phaseChangedAtOnce(to phase: AppPhase, isolation: isolated any Actor = #isolation) async {
        leave(for: phase)
        await session.phaseChangedAtOnce(to: phase)
        await arrived(phase)
        showDueScreen()
    }

    /// Reports to the session that the app went into the background at an earlier moment; see
    /// ``LockSession/leftAtOnce(since:)``. The call does not wait for the store.
    public func leftAtOnce(since moment: Moment, isolation: isolated any Actor = #isolation) async {
        leave(for: .background)
        await session.leftAtOnce(since: moment)
        await arrived(.background)
        showDueScreen()
    }

    /// Does the same as ``update(isolation:)``, but does not wait for the store. A screen that appears gets
    /// the passcode's state later.
    public func updateAtOnce(isolation: isolated any Actor = #isolation) async {
        await refresh()
        showDueScreen()
    }

    private func showDueScreen(isolation: isolated any Actor = #isolation) {
        guard let due = takeDueScreen() else { return }
        Task {
            _ = isolation
            await appear(due)
        }
    }

    // MARK: The lock screen

    /// Shows the session's state on the lock screen, or opens or closes that screen.
    private func refresh(isolation: isolated any Actor = #isolation) async {
        let (state, format, lost) = await session.situation
        take(state, format, lost: lost)
    }

    private func take(
        _ new: LockState,
        _ format: PasscodeFormat?,
        lost: Set<UInt64>,
        isolation: isolated any Actor = #isolation
    ) {
        // A state that is older than the shown one is ignored.
        if let state, new.revision < state.revision { return }
        if !new.isLocked, isProving {
            hasHeldBack = true
            return
        }
        if let screen, let format, format != toldFormat {
            toldFormat = format
            screen.handle(.format(format))
        }
        if new == state { return }
        let old = state
        state = new
        defer { host.changed() }
        guard new.isLocked else { return close(lost: lost) }
        guard let screen else { return open(new.generation, format) }
        if new.cover == .signingOut {
            prompt?.cancel()
            return
        }
        // The generation is compared with the one that the screen received last. A comparison with the old
        // state would be wrong: during a sign-out the state may get a new generation that is not passed to
        // the screen.
        guard new.generation != toldGeneration else { return }
        toldGeneration = new.generation
        ending = nil
        screen.handle(.generation(new.generation))
        // If the old state is `signingOut` and the new one is locked, the sign-out has failed. The screen is
        // still open and shows the error, so it does not appear anew. An appearance would replace the error
        // if the record cannot be read. A sign-out by this driver may end before the driver takes the state
        // `signingOut`.
        if old?.cover != .signingOut, !isSigningOut { isAppearanceDue = true }
    }

    private func open(
        _ generation: UInt64,
        _ format: PasscodeFormat?,
        isolation: isolated any Actor = #isolation
    ) {
        if isStopped { return }
        let shown = format ?? service.configuration.format
        toldFormat = shown
        let model = LockScreen(
            format: shown,
            hasAccount: service.hasAccount,
            generation: generation,
            strings: strings
        )
        let new = ScreenDriver(model, clock: service.clock) { [weak self] effect in
            await self?.perform(effect, isolation: isolation)
        }
        new.changed = { [weak self] in self?.screenChanged(isolation: isolation) }
        screen = new
        toldGeneration = generation
        ending = nil
        isAppearanceDue = true
    }

    /// Whether a check or a proof of the lock screen may still decide how the screen ends. The check of a
    /// right passcode that was switched off elsewhere removes the passcode. The session may read the removal
    /// before the check returns.
    private var isProving: Bool {
        if proofsOnTheWay > 0 { return true }
        // A screen's proof unlocks only the generation that the screen was given. If the host signs the
        // person out, the lock gets another generation, and the proof no longer counts.
        guard ending == nil, !isSigningOut, !isStopped, toldGeneration == generation else { return false }
        return screen?.screen.isProving == true
    }

    private func screenChanged(isolation: isolated any Actor) {
        host.changed()
        guard hasHeldBack, !isProving else { return }
        hasHeldBack = false
        Task {
            _ = isolation
            await update()
        }
    }

    private func close(lost: Set<UInt64>) {
        let isLost = !lost.isSubset(of: knownLosses)
        knownLosses = lost
        if let screen {
            prompt?.cancel()
            screen.dismiss()
            self.screen = nil
            if isSigningOut { ending = ending ?? .signedOut }
        }
        // The session reports a loss only if it had found a passcode. Without a loss no passcode was removed,
        // so the ending is not `disarmed`.
        if isLost, !isSigningOut, ending != .signedOut { ending = .disarmed }
    }

    /// Whether a lock screen may appear, and show a prompt: the app is active, and no sign-out is under way.
    private var mayAppear: Bool { phase == .active && state?.cover != .signingOut }

    /// Returns the lock screen if it has to appear now. The caller passes it to `appear`.
    ///
    /// Several calls of the host may overlap and find the same screen due. The first call takes the screen
    /// before it waits, and the later calls get `nil`. If the screen appeared twice, the second appearance
    /// would end the biometric prompt of the first one.
    private func takeDueScreen() -> ScreenDriver<LockScreen>? {
        // `mayAppear` is `false` in the phase `inactive`. In that phase a prompt would be refused, or its
        // proof would come before the app is active.
        guard let screen, isAppearanceDue, mayAppear, phasesOnTheWay == 0 else { return nil }
        isAppearanceDue = false
        return screen
    }

    /// Reads the state of the passcode for a screen that appears.
    ///
    /// If the app leaves the front meanwhile, the screen appears after the return. A prompt in the background
    /// could be answered while the content is out of sight.
    private func appear(_ screen: ScreenDriver<LockScreen>, isolation: isolated any Actor = #isolation) async
    {
        appearances += 1
        let number = appearances
        var events: [LockScreen.Event]
        do throws(PasscodeError) {
            let offer = try await service.biometrics()
            // The status is read last. A wrong passcode may begin a delay during the other read. A status
            // from before that delay would make the screen end the delay.
            let status = try await service.status()
            events = [
                .recoverable(status.isRecoverable && host.openRecovery != nil),
                .appeared(
                    retryAfter: status.retryAfter,
                    offer,
                    format: status.unlocks ? status.format : nil
                ),
            ]
        } catch {
            events = [
                .appeared(retryAfter: nil, nil),
                .failed(.reading, message: strings.text(error)),
            ]
        }
        guard number == appearances, !isAppearanceDue else { return }
        guard mayAppear else {
            isAppearanceDue = true
            return
        }
        for event in events { screen.handle(event) }
    }
}

@available(*, unavailable, message: "a driver belongs to one actor")
extension LockDriver: Sendable {}

@available(*, unavailable, message: "a driver belongs to one actor")
extension LockDriver.Host: Sendable {}
