public import LockScreens
public import PortcullisCore

/// Drives the lock of a session: what lies over the content, the lock screen while there is one, and all that the
/// screen asks for.
///
/// It belongs to the actor on which it is used, which the host chooses: the main actor for an app (``AppLock`` is its
/// observable face there), an actor for each session on a server, the loop of a program on a terminal.
///
/// The session decides each event in memory, and the cover follows before anything waits for the store.
public final class LockDriver {
    /// What the host says when a right proof has come and the content is about to be uncovered.
    public enum Admission: Sendable, Hashable {
        /// The content may be uncovered.
        case admitted
        /// It may not: the lock screen asks again, and shows the message where there is one.
        case refused(message: String?)
    }

    /// How a lock screen ended.
    public enum Ending: Sendable, Hashable {
        /// With a proof of this driver.
        case unlocked
        /// The person signed out here.
        case signedOut
        /// There is nothing to lock with any more: the passcode was removed from elsewhere, or the limit of wrong ones
        /// has removed it.
        case disarmed
    }

    /// What the host does itself; each closure is called on the driver's actor.
    ///
    /// An actor that owns the driver hands in closures like `{ [unowned self] in assumeIsolated { $0.draw() } }`: they are
    /// called on that actor, which the compiler cannot know.
    public struct Host {
        /// The cover, the lock screen, or what that shows has changed.
        public var changed: () -> Void
        /// Does what has to be done between a right proof and the uncovering, such as opening what is sealed.
        public var prepare: (UnlockProof, _ generation: UInt64) async -> Admission
        /// The session was unlocked after ``prepare``, or refused the proof because it had locked again.
        public var settled: (_ generation: UInt64, _ isUnlocked: Bool) -> Void
        /// Opens the reset screen, for a code that was sent.
        public var openReset: (AccountCodeRequest) -> Void

        /// A host; what is not given does nothing, and admits.
        public init(
            changed: @escaping () -> Void = {},
            prepare: @escaping (UnlockProof, _ generation: UInt64) async -> Admission = { _, _ in .admitted },
            settled: @escaping (_ generation: UInt64, _ isUnlocked: Bool) -> Void = { _, _ in },
            openReset: @escaping (AccountCodeRequest) -> Void = { _ in }
        ) {
            (self.changed, self.prepare, self.settled) = (changed, prepare, settled)
            self.openReset = openReset
        }
    }

    /// The lock beneath.
    public let session: LockSession
    /// The texts of the next lock screen.
    public var strings: PasscodeStrings
    /// The lock screen, while it is locked.
    public private(set) var screen: ScreenDriver<LockScreen>?
    /// How the last lock screen ended; `nil` before the first one, and while there is one that signing out has not ended.
    public internal(set) var ending: Ending?
    /// What the host does itself.
    public var host = Host()

    /// Where the app is, as the driver was told last.
    public private(set) var phase = AppPhase.active
    private var state: LockState?
    var prompt: Task<Result<BiometricAnswer, PasscodeError>, Never>?
    /// The lock that the screen was told last that it is for.
    private var toldGeneration: UInt64 = 0
    /// How many proofs are on their way to the session: how the screen ends is not known before it answers.
    var proofsOnTheWay = 0
    var isSigningOut = false

    var service: PasscodeService { session.service }

    /// A driver of a session, before it has launched.
    public init(session: LockSession, strings: PasscodeStrings = .english) {
        self.session = session
        self.strings = strings
    }

    /// What lies over the content: ``LockCover/obscured`` before ``start(isolation:)``.
    public var cover: LockCover {
        guard let state else { return .obscured }
        // The session may not have heard yet that the app went out of sight.
        return phase != .active && state.cover == .none ? .obscured : state.cover
    }

    /// Of the lock that is shown; a proof for another one is void.
    public var generation: UInt64 { state?.generation ?? 0 }

    // MARK: Events

    /// Launches the session and shows what it says; the cover is right when it returns.
    public func start(isolation: isolated any Actor = #isolation) async {
        await session.launch()
        await update()
    }

    /// The app came to the front, went out of sight, or something between.
    public func phaseChanged(to phase: AppPhase, isolation: isolated any Actor = #isolation) async {
        let isReturn = phase == .active && self.phase == .background
        leave(for: phase)
        let before = screen
        await session.phaseChanged(to: phase)
        if let screen = await refresh(isReturn ? before : nil) { await appear(screen) }
    }

    /// Locks now, if a passcode is set.
    public func lock(isolation: isolated any Actor = #isolation) async {
        await session.lock()
        await update()
    }

    /// Shows what the session says, after it was told of something by others.
    public func update(isolation: isolated any Actor = #isolation) async {
        if let new = await refresh() { await appear(new) }
    }

    private func leave(for phase: AppPhase) {
        self.phase = phase
        if phase == .background { prompt?.cancel() }
        host.changed()
    }

    /// Ends what belongs to the lock screen; the session goes on.
    public func stop() {
        prompt?.cancel()
        screen?.dismiss()
    }

    // MARK: The same, for a host that must not wait for the store

    /// As ``phaseChanged(to:isolation:)``; waits for the session's memory alone.
    public func phaseChangedAtOnce(to phase: AppPhase, isolation: isolated any Actor = #isolation) async {
        let isReturn = phase == .active && self.phase == .background
        leave(for: phase)
        let before = screen
        await session.phaseChangedAtOnce(to: phase)
        if let screen = await refresh(isReturn ? before : nil) { appearAtOnce(screen) }
    }

    /// As ``update(isolation:)``; what there is to know for a screen that appears comes later.
    public func updateAtOnce(isolation: isolated any Actor = #isolation) async {
        if let new = await refresh() { appearAtOnce(new) }
    }

    private func appearAtOnce(
        _ screen: ScreenDriver<LockScreen>,
        isolation: isolated any Actor = #isolation
    ) {
        Task {
            _ = isolation
            await appear(screen)
        }
    }

    // MARK: The lock screen

    /// Makes the screen what the session says.
    ///
    /// - Parameter returning: a screen that comes back to the front with it.
    /// - Returns: the screen that appears: a new one, one for another lock, or the one that comes back.
    private func refresh(
        _ returning: ScreenDriver<LockScreen>? = nil,
        isolation: isolated any Actor = #isolation
    ) async -> ScreenDriver<LockScreen>? {
        let (state, format) = await session.situation
        return take(state, format) ?? (screen === returning ? returning : nil)
    }

    private func take(
        _ new: LockState,
        _ format: PasscodeFormat?,
        isolation: isolated any Actor = #isolation
    ) -> ScreenDriver<LockScreen>? {
        // A state that a later one has overtaken is ignored.
        if let state, new.revision < state.revision { return nil }
        if proofsOnTheWay > 0 && !new.isLocked || new == state { return nil }
        let old = state
        state = new
        defer { host.changed() }
        guard new.isLocked else {
            close()
            return nil
        }
        guard let screen else { return open(new.generation, format) }
        if new.cover == .signingOut { return nil }
        // While signing out the screen was told of no other lock.
        guard new.generation != toldGeneration else { return nil }
        toldGeneration = new.generation
        ending = nil
        screen.handle(.generation(new.generation))
        // Signing out has failed, and the screen says so.
        return old?.cover == .signingOut || phase == .background ? nil : screen
    }

    private func open(
        _ generation: UInt64,
        _ format: PasscodeFormat?,
        isolation: isolated any Actor = #isolation
    ) -> ScreenDriver<LockScreen>? {
        let model = LockScreen(
            format: format ?? service.configuration.format,
            hasAccount: service.hasAccount,
            generation: generation,
            strings: strings
        )
        let new = ScreenDriver(model, clock: service.clock) { [weak self] effect in
            await self?.perform(effect, isolation: isolation)
        }
        new.changed = { [weak self] in self?.host.changed() }
        screen = new
        toldGeneration = generation
        ending = nil
        return phase == .background ? nil : new
    }

    private func close() {
        guard let screen else { return }
        prompt?.cancel()
        screen.dismiss()
        self.screen = nil
        ending = ending ?? (isSigningOut ? .signedOut : .disarmed)
    }

    /// Reads what there is to know for a screen that appears.
    private func appear(_ screen: ScreenDriver<LockScreen>, isolation: isolated any Actor = #isolation) async
    {
        do throws(PasscodeError) {
            let status = try await service.status()
            let offer = try await service.biometrics()
            let format = status.isSet ? status.format : nil
            screen.handle(.appeared(retryAfter: status.retryAfter, offer, format: format))
        } catch {
            screen.handle(.appeared(retryAfter: .zero, nil))
            screen.handle(.failed(.reading, message: strings.text(error)))
        }
    }
}

@available(*, unavailable, message: "a driver belongs to one actor")
extension LockDriver: Sendable {}

@available(*, unavailable, message: "a driver belongs to one actor")
extension LockDriver.Host: Sendable {}
