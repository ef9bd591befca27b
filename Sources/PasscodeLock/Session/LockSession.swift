internal import AdapterKit
public import PortcullisCore

/// The lock of one user while the app runs. It handles events, stores the part of its state that must
/// outlive the process (the ``LockMark``), and sends each state to the observers.
///
/// The session handles each event in memory as soon as the event arrives. The writes to the store follow in
/// the same order. So no fast change between foreground and background is missed, even with a slow store.
/// If the ``LockMark`` cannot be written, a relaunched app could not know how long it was in the
/// background. So the session locks at once. It writes the mark again after one second, two, four and so on,
/// at most a minute apart, until the store has the mark.
///
/// The session notices when a passcode is set, changed or removed while the app runs. A store may signal such
/// a change. If the store gives no signals, the session reads the store after each act of ``service`` and at
/// each change of phase. In that case it notices a change by another process at the next of these reads, or
/// when ``passcodeChanged()`` is called.
///
/// Reads may overlap. If another read ends, or the record is written, during a read, the session reads again.
/// So an old result never replaces a newer one.
public actor LockSession {
    /// The service of the passcode that unlocks the session.
    public nonisolated let service: PasscodeService
    /// The executor of the session and its tasks; `nil`: Swift's pool.
    nonisolated let executor: (any SerialExecutor & TaskExecutor)?
    private let standIn = PoolActor()
    let clock: any LockClock
    var rules: LockRules
    let observers = Broadcaster<LockState>()
    private let timeoutObservers = Broadcaster<LockTimeout?>()
    var lastWrite: Task<Void, Never>?
    /// Whether the store lacks the present mark, because the last write failed.
    var isUnwritten = false
    var rewriting: Task<Void, Never>?
    private var idleTimer: Task<Void, Never>?
    private var idleDue = Duration.zero
    private var throttleTimer: Task<Void, Never>?
    var changeWatchers: [Task<Void, Never>] = []
    /// Whether the store's stream of signals has ended.
    var hasFallenSilent = false
    /// Whether the session follows the changes that the service itself makes.
    var isFollowingOwnChanges = false
    /// The number of reads whose result was used. If the number rises while a read runs, the result of this
    /// read may be out of date.
    var readsTaken: UInt64 = 0
    /// The number of running reads of the store that began when the app returned to the front.
    var looks = 0

    /// The format of the passcode in the last read; `nil` until a passcode was found.
    var format: PasscodeFormat?
    /// Whether a read or a try has found the record of a passcode, even one that cannot be understood. A read
    /// without a record resets the value.
    package internal(set) var hasFoundPasscode = false
    /// The generations of the locks that reads have ended without a proof, because the record of a found
    /// passcode was gone. Only a proof for a lock removes its generation.
    var lostGenerations: Set<UInt64> = []
    /// Whether a read has ended a lock without a proof, because the record of a found passcode was gone. Only
    /// a proof for that lock resets the value.
    package var hasLostPasscode: Bool { !lostGenerations.isEmpty }

    /// The last error of storing the lock's state, reading the passcode's state or sending a passcode. The
    /// value becomes `nil` when the lock's state is stored or the passcode's state is read without an error.
    public internal(set) var failure: PasscodeError?

    /// Makes a session for the user of a service. The session reads nothing before ``launch()``.
    ///
    /// - Parameters:
    ///   - service: the service of the passcode that unlocks the session.
    ///   - executor: the executor of the session and its tasks; `nil`: Swift's pool. A host that must lock
    ///     even when the pool has no free thread passes an executor with a thread of its own.
    public init(service: PasscodeService, executor: (any SerialExecutor & TaskExecutor)? = nil) {
        self.service = service
        self.executor = executor
        self.clock = service.clock
        self.rules = LockRules(
            launch: service.configuration.launch,
            idleTimeout: service.configuration.idleTimeout
        )
    }

    /// The executor of the session's own code.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor?.asUnownedSerialExecutor() ?? standIn.unownedExecutor
    }

    deinit {
        idleTimer?.cancel()
        throttleTimer?.cancel()
        rewriting?.cancel()
        for watcher in changeWatchers { watcher.cancel() }
    }

    /// The current state.
    public var state: LockState { rules.state }

    /// The current state, the format of the passcode in the last read, and ``lostGenerations``.
    var situation: (LockState, PasscodeFormat?, lost: Set<UInt64>) { (rules.state, format, lostGenerations) }

    /// A stream of the current state and all later states, in the same order for every observer.
    public func states() -> AsyncStream<LockState> { observers.stream(after: [rules.state]) }

    /// The absence after which the app locks, as it was in the last read of the record; `nil` while no
    /// passcode is set.
    public var timeout: LockTimeout? { rules.timeout }

    /// A stream of the current ``timeout`` and all later ones.
    ///
    /// A host that measures absences by itself follows this stream, because another process may store another
    /// timeout at any time.
    public func timeouts() -> AsyncStream<LockTimeout?> { timeoutObservers.stream(after: [rules.timeout]) }

    // MARK: Events

    /// Starts the lock. The app is locked if the launch policy and the stored mark require it.
    ///
    /// The caller has to keep the content covered until the call returns.
    public func launch() async {
        watchChanges()
        await look { .launched($0) }
    }

    /// Reports the app's new phase to the session. When the call returns, the result is stored.
    ///
    /// If the store does not signal changes, the session also reads the store. When the app returns to the
    /// front, its content is uncovered only after that read.
    public func phaseChanged(to phase: AppPhase) async { await phaseBegan(phase)?.value }

    /// Handles the app's new phase in memory.
    ///
    /// - Returns: the task that stores the result and, if the store does not signal changes, reads the store;
    ///   `nil` if there is nothing to store and to read.
    func phaseBegan(_ phase: AppPhase) -> Task<Void, Never>? {
        guard !isTold, rules.hasLaunched else { return decide(.phase(phase)) }
        followOwnChanges()
        let isReturn = phase == .active
        if isReturn {
            looks += 1
            _ = decide(.lookBegan)
        }
        let write = decide(.phase(phase))
        return Task(executorPreference: executor) { await self.readAgain(after: write, isReturn: isReturn) }
    }

    private func readAgain(after write: Task<Void, Never>?, isReturn: Bool) async {
        await write?.value
        await passcodeChanged()
        guard isReturn else { return }
        looks -= 1
        if looks == 0 { await take(.lookEnded) }
    }

    /// Reports to the session that the person used the app. The call is cheap enough for every key press.
    public func personWasActive() async {
        await take(.activity)
    }

    /// Locks now, if a passcode is set.
    ///
    /// When the call returns, the result is stored. If a passcode was set just before the call, the app locks
    /// too, even if the store's signal has not arrived yet.
    public func lock() async {
        await take(.lock)
        if rules.hasLaunched, !rules.state.isLocked {
            await passcodeChanged()
            await take(.lock)
        }
        // An earlier call may have locked. Its write of the mark may not have ended yet.
        await lastWrite?.value
    }

    /// Unlocks, if the lock still has the generation of the screen that asked for the proof.
    ///
    /// - Parameters:
    ///   - proof: a proof of the service, for this user.
    ///   - generation: the ``LockState/generation`` of the screen that asked for the proof.
    /// - Returns: whether the session is unlocked now.
    @discardableResult
    public func unlock(with proof: UnlockProof, generation: UInt64) async -> Bool {
        guard proof.user == service.user else { return false }
        // A read may have ended the lock before the proof came. The proof counts for that lock all the same.
        lostGenerations.remove(generation)
        let wasLocked = rules.state.isLocked
        let write = decide(.unlock(generation: generation))
        if wasLocked, !rules.state.isLocked {
            hasFoundPasscode = true
            service.note(.unlocked(proof.method))
        }
        await write?.value
        return !rules.state.isLocked
    }

    /// Reports to the session that a passcode or one of its settings has changed, in this process or another.
    ///
    /// Changes that a store signals, and those of ``service``, need no call. Before ``launch()`` the call
    /// reads nothing, because ``launch()`` reads the passcode's state itself.
    public func passcodeChanged() async {
        guard rules.hasLaunched else {
            // If a launch is reading now, its result may be too old. The higher count makes the launch read
            // again.
            readsTaken += 1
            return
        }
        await look { .armed($0) }
    }

    /// Signs out and removes the passcode. The cover stays until signing out has ended.
    ///
    /// - Throws: the errors of ``PasscodeService/logOut()``. If the record was not removed, a locked session
    ///   stays locked. With ``PasscodeErrorCode/biometrics`` the passcode is removed, and the session
    ///   is unlocked.
    public func logOut() async throws(PasscodeError) {
        await take(.signOutBegan)
        let outcome: Result<Void, PasscodeError>
        do {
            try await service.logOut()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await look { .signOutEnded($0) }
        try outcome.get()
    }

    // MARK: Effects

    private func take(_ event: LockRules.Event) async { await decide(event)?.value }

    /// Applies the rules to an event at once, in memory.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - persists: whether the session stores a mark that the rules give.
    /// - Returns: the task that stores the mark, if there is a mark to store.
    @discardableResult
    func decide(_ event: LockRules.Event, persists: Bool = true) -> Task<Void, Never>? {
        let (before, timeout) = (rules.state.cover, rules.timeout)
        let effects = rules.handle(event, at: clock.now)
        if before != .lockScreen, before != .signingOut, rules.state.cover == .lockScreen {
            service.note(.locked)
        }
        if rules.timeout != timeout { timeoutObservers.send(rules.timeout) }
        var write: Task<Void, Never>?
        var nextIdleCheck: Duration?
        for effect in effects {
            switch effect {
            case .announce(let state):
                observers.send(state)
            case .persist(let mark):
                if persists { write = persist(mark) }
            case .checkIdle(let due):
                nextIdleCheck = due
            }
        }
        watchIdle(nextIdleCheck)
        return write
    }

    private func watchIdle(_ due: Duration?) {
        // Activity may move the deadline many times a second, so the task is not restarted each time. When
        // the task wakes, it compares its wake-up time with the present deadline.
        guard let due else {
            idleTimer?.cancel()
            idleTimer = nil
            return
        }
        idleDue = due
        guard idleTimer == nil else { return }
        idleTimer = Task(executorPreference: executor) { [weak self, clock] in
            var wake = due
            while true {
                do { try await clock.sleep(until: .sinceBoot(wake)) } catch { return }
                guard let next = await self?.idleTimerFired(at: wake) else { return }
                wake = next
            }
        }
    }

    /// Checks whether the idle lock is due.
    ///
    /// - Returns: the next time to check; `nil` when there is nothing left to watch.
    private func idleTimerFired(at wake: Duration) async -> Duration? {
        guard !Task.isCancelled else { return nil }
        if idleDue > wake { return idleDue }
        idleTimer = nil
        await take(.idleCheck)
        return nil
    }

    /// During a delay, stores the remaining time about once a minute. After a restart, only the time that was
    /// stored last has to pass (P-7).
    func watchThrottle(_ left: Duration) {
        guard left > .zero else { return }
        throttleTimer?.cancel()
        throttleTimer = Task(executorPreference: executor) { [weak self, clock, service] in
            var hasFailed = false
            while !Task.isCancelled {
                let wake = clock.now.sinceBoot + .seconds(60)
                do { try await clock.sleep(until: .sinceBoot(wake)) } catch { return }
                do throws(PasscodeError) {
                    let left = try await service.status().retryAfter
                    // `passcodeChanged()` reads the passcode's state, which clears ``failure``.
                    if hasFailed { await self?.passcodeChanged() }
                    hasFailed = false
                    guard left > .zero else { return }
                } catch {
                    // This failure does not weaken the lock. The store keeps an earlier remaining time, which
                    // is longer than the true one. So after a restart the person only waits longer. The next
                    // minute's write may succeed.
                    await self?.noteFailed(error)
                    hasFailed = true
                }
            }
        }
    }

    /// Reports to the session that a passcode was tried on a screen of this lock. If a delay follows, the
    /// rest of the delay is stored about once a minute from now on.
    ///
    /// ``LockDriver`` calls this. A host that drives a ``LockScreen`` itself calls it with each answer.
    ///
    /// - Parameter answer: the result of the try.
    public func passcodeTried(_ answer: PasscodeAnswer) {
        let isSet = if case .notSet = answer { false } else { true }
        // If the session is not locked, a read may have found meanwhile that the record is gone.
        if isSet, rules.state.isLocked { hasFoundPasscode = true }
        switch answer {
        case .wrong(_, let retryAfter), .throttled(let retryAfter): watchThrottle(retryAfter)
        case .right, .limitReached, .triesExhausted, .notSet: throttleTimer?.cancel()
        }
    }

    // MARK: The account

    /// Asks the account for its status; see ``PasscodeService/synchronise()``.
    ///
    /// - Throws: the errors of ``PasscodeService/synchronise()``.
    @discardableResult
    public func synchronise() async throws(PasscodeError) -> AccountReport? {
        let report = try await service.synchronise()
        if report != nil { await passcodeChanged() }
        return report
    }

    /// Sends a passcode to the account if its upload is pending. The person has just entered the passcode. If
    /// the upload fails, it stays pending.
    func push(_ passcode: SecretBytes) async {
        do throws(PasscodeError) {
            try await service.push(passcode)
        } catch {
            failure = error
        }
    }

    private func noteFailed(_ error: PasscodeError) { failure = error }
}

/// An actor that runs on Swift's pool. ``LockSession/unownedExecutor`` is the executor of this actor if the
/// host passed no executor.
private actor PoolActor {}
