internal import PortcullisCore

/// The lock of one user while the app runs: takes what happens, keeps what must outlive the process, and tells
/// observers.
///
/// Each event is decided the moment it arrives, in memory; writing it down follows, in the same order. So fast
/// flips between foreground and background leave no gap, however slow the store is. If the mark cannot be
/// written the app locks, because a relaunch would not know.
///
/// A passcode that is set, changed or removed while the app runs is noticed where the store signals changes;
/// elsewhere tell it with ``passcodeChanged()``.
public actor LockSession {
    /// The passcode behind the lock.
    public nonisolated let service: PasscodeService
    private let clock: any LockClock
    private var rules: LockRules
    private var observers: [UInt64: AsyncStream<LockState>.Continuation] = [:]
    private var nextObserver: UInt64 = 0
    private var lastWrite: Task<Void, Never>?
    private var idleTimer: Task<Void, Never>?
    private var idleDue: Duration?
    private var throttleTimer: Task<Void, Never>?
    private var changeWatcher: Task<Void, Never>?

    /// What went wrong last when the lock's mark was written or the passcode read; `nil` after it went well.
    public private(set) var failure: PasscodeError?

    /// The lock of a service's user; nothing is read before ``launch()``.
    public init(service: PasscodeService) {
        self.service = service
        self.clock = service.clock
        self.rules = LockRules(
            launch: service.configuration.launch,
            idleTimeout: service.configuration.idleTimeout
        )
    }

    deinit {
        idleTimer?.cancel()
        throttleTimer?.cancel()
        changeWatcher?.cancel()
        for observer in observers.values { observer.finish() }
    }

    /// The present state.
    public var state: LockState { rules.state }

    /// The present state and each that follows, in the same order for every observer.
    public func states() -> AsyncStream<LockState> {
        let (stream, continuation) = AsyncStream<LockState>.makeStream()
        let id = nextObserver
        nextObserver += 1
        observers[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.forget(id) }
        }
        continuation.yield(rules.state)
        return stream
    }

    private func forget(_ id: UInt64) { observers[id] = nil }

    // MARK: Events

    /// The app started: locks where the launch policy and what was written down say so.
    ///
    /// Keep the content covered until it returns.
    public func launch() async {
        watchChanges()
        await take(.launched(await arming()))
    }

    /// The app came to the front, went out of sight, or something between; returns when that is written down.
    public func phaseChanged(to phase: ScenePhase) async {
        await take(.phase(phase))
    }

    /// The person did something; cheap enough for every key.
    public func personWasActive() async {
        await take(.activity)
    }

    /// Locks now, if a passcode is set.
    ///
    /// Returns when that is written down. A passcode that was set just before counts, also where the store's signal of it
    /// is still on its way.
    public func lock() async {
        await take(.lock)
        guard rules.hasLaunched, !rules.state.isLocked else { return }
        await passcodeChanged()
        await take(.lock)
    }

    /// Unlocks, if the proof was made on the screen that is still shown.
    ///
    /// - Parameters:
    ///   - proof: from the service, about this user.
    ///   - generation: ``LockState/generation`` when the screen that asked was shown.
    /// - Returns: whether it is unlocked now.
    @discardableResult
    public func unlock(with proof: UnlockProof, generation: UInt64) async -> Bool {
        guard proof.user == service.user else { return false }
        await take(.unlock(generation: generation))
        return !rules.state.isLocked
    }

    /// A passcode was set, changed or removed, or a setting of it changed, by this process or another.
    public func passcodeChanged() async {
        await take(.armed(await arming()))
    }

    /// Signs out and removes the passcode; the cover stays until that has ended.
    ///
    /// - Throws: as ``PasscodeService/logOut()`` does; it stays locked then.
    public func logOut() async throws(PasscodeError) {
        await take(.signOutBegan)
        let outcome: Result<Void, PasscodeError>
        do {
            try await service.logOut()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await take(.signOutEnded(await arming()))
        try outcome.get()
    }

    /// What there is to lock with; what cannot be read is locked with all the same (P-5).
    private func arming() async -> LockRules.Arming? {
        do {
            let status = try await service.status()
            failure = nil
            watchThrottle(status.retryAfter)
            if status.standing == .retired {
                if !rules.state.isLocked, try await service.dropRetired() { return nil }
            } else if !status.isSet {
                return nil
            }
            let isDormant = status.standing == .retired || !status.isEnabled
            return LockRules.Arming(timeout: status.timeout, mark: status.lock, isDormant: isDormant)
        } catch {
            failure = error
            return .unreadable
        }
    }

    private func watchChanges() {
        guard changeWatcher == nil else { return }
        let changes = service.secrets.changes(in: PasscodeNames.records)
        changeWatcher = Task { [weak self] in
            for await _ in changes { await self?.passcodeChanged() }
        }
    }

    // MARK: Effects

    private func take(_ event: LockRules.Event) async {
        let effects = rules.handle(event, at: clock.now)
        var write: Task<Void, Never>?
        var nextIdleCheck: Duration?
        for effect in effects {
            switch effect {
            case .announce(let state):
                for observer in observers.values { observer.yield(state) }
            case .persist(let mark):
                write = persist(mark)
            case .checkIdle(let due):
                nextIdleCheck = due
            }
        }
        watchIdle(nextIdleCheck)
        await write?.value
    }

    private func persist(_ mark: LockMark) -> Task<Void, Never> {
        let previous = lastWrite
        let task = Task {
            await previous?.value
            await write(mark)
        }
        lastWrite = task
        return task
    }

    private func write(_ mark: LockMark) async {
        do {
            try await service.setLock(mark)
            failure = nil
        } catch {
            failure = error
            // Not through `take`, which would try to write again what cannot be written.
            for case .announce(let state) in rules.handle(.markLost, at: clock.now) {
                for observer in observers.values { observer.yield(state) }
            }
        }
    }

    private func watchIdle(_ due: Duration?) {
        // Activity moves the deadline many times a second: the sleeper looks when it wakes.
        guard let due else {
            idleDue = nil
            idleTimer?.cancel()
            idleTimer = nil
            return
        }
        idleDue = due
        guard idleTimer == nil else { return }
        idleTimer = Task { [weak self, clock] in
            var wake = due
            while true {
                do { try await clock.sleep(until: .sinceBoot(wake)) } catch { return }
                guard let next = await self?.idleTimerFired(at: wake) else { return }
                wake = next
            }
        }
    }

    /// - Returns: when to look again; `nil` when there is nothing left to watch.
    private func idleTimerFired(at wake: Duration) async -> Duration? {
        guard !Task.isCancelled, let due = idleDue else { return nil }
        if due > wake { return due }
        idleTimer = nil
        await take(.idleCheck)
        return nil
    }

    /// While a delay runs, writes the time served down about once a minute, so that a restart repeats only what
    /// was not served (P-7).
    private func watchThrottle(_ left: Duration) {
        guard left > .zero else { return }
        throttleTimer?.cancel()
        throttleTimer = Task { [weak self, clock, service] in
            while !Task.isCancelled {
                let wake = clock.now.sinceBoot + .seconds(60)
                do { try await clock.sleep(until: .sinceBoot(wake)) } catch { return }
                do throws(PasscodeError) {
                    guard try await service.status().retryAfter > .zero else { return }
                } catch {
                    // The note is a courtesy to who waits: without it, more is repeated after a restart.
                    await self?.noteFailed(error)
                    return
                }
            }
        }
    }

    /// A passcode was tried on a screen of this lock: a delay that it led to is noted from now on.
    func passcodeTried(_ answer: PasscodeAnswer) {
        switch answer {
        case .wrong(_, let retryAfter), .throttled(let retryAfter): watchThrottle(retryAfter)
        case .right, .limitReached, .notSet: throttleTimer?.cancel()
        }
    }

    // MARK: The account

    /// Asks the account how things stand; see ``PasscodeService/synchronise()``.
    ///
    /// - Throws: as that does.
    @discardableResult
    public func synchronise() async throws(PasscodeError) -> AccountReport? {
        let report = try await service.synchronise()
        if report != nil { await passcodeChanged() }
        return report
    }

    /// Sends a passcode that was set offline, now that it is at hand; what fails is tried again the next time.
    func push(_ passcode: SecretBytes) async {
        do throws(PasscodeError) {
            try await service.push(passcode)
        } catch {
            failure = error
        }
    }

    private func noteFailed(_ error: PasscodeError) { failure = error }
}
