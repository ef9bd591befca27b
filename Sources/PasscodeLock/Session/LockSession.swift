internal import AdapterKit
public import PortcullisCore

/// The lock of one user while the app runs: takes what happens, keeps what must outlive the process, and tells
/// observers.
///
/// Each event is decided the moment it arrives, in memory; writing it down follows, in the same order. So fast
/// flips between foreground and background leave no gap, however slow the store is. If the mark cannot be
/// written the app locks, because a relaunch would not know.
///
/// A passcode that is set, changed or removed while the app runs is noticed: by the store's signal, or, where the
/// store gives none, after each act of ``service`` and at each change of phase. What another process does to a store
/// without signals between two of them is noticed at the next, or when ``passcodeChanged()`` tells of it.
///
/// Reads may overlap. One that something was written or learned after, while it was under way, is made again: so an
/// old answer never takes the place of a newer one.
public actor LockSession {
    /// The passcode behind the lock.
    public nonisolated let service: PasscodeService
    /// Where all of it runs; `nil`: on Swift's pool.
    nonisolated let executor: (any SerialExecutor & TaskExecutor)?
    private let standIn = PoolActor()
    private let clock: any LockClock
    private var rules: LockRules
    private let observers = Broadcaster<LockState>()
    private var lastWrite: Task<Void, Never>?
    private var idleTimer: Task<Void, Never>?
    private var idleDue = Duration.zero
    private var throttleTimer: Task<Void, Never>?
    private var changeWatchers: [Task<Void, Never>] = []
    /// Whether the store tells of every change that this process has not made through ``service``.
    private var isTold = true
    /// How many reads were taken over; a read that began at another number may be older than the last of them.
    private var readsTaken: UInt64 = 0
    /// How many returns to the front wait for a read.
    private var looks = 0

    /// The format of the passcode, as it was last read; `nil` before one was found.
    private var format: PasscodeFormat?

    /// What went wrong last when the lock's mark was written or the passcode read; `nil` after it went well.
    public private(set) var failure: PasscodeError?

    /// The lock of a service's user; nothing is read before ``launch()``.
    ///
    /// - Parameters:
    ///   - service: the passcode behind the lock.
    ///   - executor: where it decides, waits and writes; `nil`: on Swift's pool. A host that must lock though the system
    ///     gives the pool no thread hands it one with a thread of its own.
    public init(service: PasscodeService, executor: (any SerialExecutor & TaskExecutor)? = nil) {
        self.service = service
        self.executor = executor
        self.clock = service.clock
        self.rules = LockRules(
            launch: service.configuration.launch,
            idleTimeout: service.configuration.idleTimeout
        )
    }

    /// Where the session's own code runs.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor?.asUnownedSerialExecutor() ?? standIn.unownedExecutor
    }

    deinit {
        idleTimer?.cancel()
        throttleTimer?.cancel()
        for watcher in changeWatchers { watcher.cancel() }
    }

    /// The present state.
    public var state: LockState { rules.state }

    /// The present state, and the format of the passcode as it was last read.
    var situation: (LockState, PasscodeFormat?) { (rules.state, format) }

    /// The present state and each that follows, in the same order for every observer.
    public func states() -> AsyncStream<LockState> { observers.stream(after: [rules.state]) }

    // MARK: Events

    /// The app started: locks where the launch policy and what was written down say so.
    ///
    /// Keep the content covered until it returns.
    public func launch() async {
        watchChanges()
        await look { .launched($0) }
    }

    /// The app came to the front, went out of sight, or something between; returns when that is written down.
    ///
    /// Where the store tells of no changes it is read as well, and a return uncovers the content only after that.
    public func phaseChanged(to phase: AppPhase) async {
        guard !isTold, rules.hasLaunched else { return await take(.phase(phase)) }
        let isReturn = phase == .active
        if isReturn {
            looks += 1
            _ = decide(.lookBegan)
        }
        await take(.phase(phase))
        await passcodeChanged()
        guard isReturn else { return }
        looks -= 1
        if looks == 0 { await take(.lookEnded) }
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
        let wasLocked = rules.state.isLocked
        let write = decide(.unlock(generation: generation))
        if wasLocked, !rules.state.isLocked { service.note(.unlocked(proof.method)) }
        await write?.value
        return !rules.state.isLocked
    }

    /// A passcode was set, changed or removed, or a setting of it changed, by this process or another.
    ///
    /// It need not be called for what a store signals, nor for what ``service`` did. Before ``launch()`` it does
    /// nothing that the launch would not do.
    public func passcodeChanged() async {
        guard rules.hasLaunched else {
            // A launch that is reading has read too early.
            readsTaken += 1
            return
        }
        await look { .armed($0) }
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
        await look { .signOutEnded($0) }
        try outcome.get()
    }

    // MARK: Reading

    /// Reads what there is to lock with, and takes the event that it is.
    ///
    /// A version says nothing about the order of two reads, and "nothing there" has none. So an answer counts only if
    /// nothing else was learned and nothing was written here since the question was asked. A read that failed counts
    /// whatever was written: it locks, and what it failed at may be the note that it writes on the way.
    private func look(_ event: (LockRules.Arming?) -> LockRules.Event) async {
        while true {
            let began = (readsTaken, service.records.changes.count)
            let found = await found()
            let isFailure = if case .failure = found { true } else { false }
            guard began.0 == readsTaken, isFailure || began.1 == service.records.changes.count else {
                continue
            }
            readsTaken += 1
            await decide(event(arming(found)))?.value
            return
        }
    }

    /// What the record says; one that only held what is not locked any more is removed on the way.
    private func found() async -> Result<PasscodeStatus, PasscodeError> {
        do throws(PasscodeError) {
            let status = try await service.status()
            if status.standing == .switchedOff, !rules.state.isLocked { try await service.dropSwitchedOff() }
            return .success(status)
        } catch {
            return .failure(error)
        }
    }

    /// What there is to lock with; what cannot be read is locked with all the same (P-5).
    private func arming(_ found: Result<PasscodeStatus, PasscodeError>) -> LockRules.Arming? {
        switch found {
        case .failure(let error):
            failure = error
            service.note(.failed(.lock, error.code))
            return .unreadable
        case .success(let status):
            failure = nil
            if status.isSet { format = status.format }
            watchThrottle(status.retryAfter)
            guard status.isSet || status.standing == .switchedOff else { return nil }
            let isDormant = status.standing == .switchedOff || !status.isEnabled
            return LockRules.Arming(timeout: status.timeout, mark: status.lock, isDormant: isDormant)
        }
    }

    private func watchChanges() {
        guard changeWatchers.isEmpty else { return }
        let capabilities = service.secrets.capabilities
        let others: SecretStoreCapabilities =
            capabilities.contains(.isShared) ? .signalsOtherProcesses : []
        isTold = capabilities.isSuperset(of: others.union(.signalsOwnChanges))
        follow(service.secrets.changes(to: PasscodeNames.record(of: service.user)), isStore: true)
        if !isTold { follow(service.records.changes.signals()) }
    }

    private func follow(_ changes: AsyncStream<Void>, isStore: Bool = false) {
        let watcher = Task(executorPreference: executor) { [weak self] in
            for await _ in changes { await self?.passcodeChanged() }
            if isStore { await self?.storeFellSilent() }
        }
        changeWatchers.append(watcher)
    }

    /// From now on the store is read where it would have told.
    private func storeFellSilent() {
        guard isTold else { return }
        isTold = false
        follow(service.records.changes.signals())
    }

    // MARK: Effects

    private func take(_ event: LockRules.Event) async { await decide(event)?.value }

    /// Takes an event at once, in memory.
    ///
    /// - Returns: the writing down, where there is something to write.
    @discardableResult
    func decide(_ event: LockRules.Event) -> Task<Void, Never>? {
        let before = rules.state.cover
        let effects = rules.handle(event, at: clock.now)
        if before != .lockScreen, before != .signingOut, rules.state.cover == .lockScreen {
            service.note(.locked)
        }
        var write: Task<Void, Never>?
        var nextIdleCheck: Duration?
        for effect in effects {
            switch effect {
            case .announce(let state):
                observers.send(state)
            case .persist(let mark):
                write = persist(mark)
            case .checkIdle(let due):
                nextIdleCheck = due
            }
        }
        watchIdle(nextIdleCheck)
        return write
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
            try await service.noting(.lock) { () throws(PasscodeError) in try await service.setLock(mark) }
            failure = nil
        } catch {
            failure = error
            // Not through `take`, which would try to write again what cannot be written.
            for case .announce(let state) in rules.handle(.markLost, at: clock.now) { observers.send(state) }
        }
    }

    private func watchIdle(_ due: Duration?) {
        // Activity moves the deadline many times a second: the sleeper looks when it wakes.
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

    /// - Returns: when to look again; `nil` when there is nothing left to watch.
    private func idleTimerFired(at wake: Duration) async -> Duration? {
        guard !Task.isCancelled else { return nil }
        if idleDue > wake { return idleDue }
        idleTimer = nil
        await take(.idleCheck)
        return nil
    }

    /// While a delay runs, writes the time served down about once a minute, so that a restart repeats only what
    /// was not served (P-7).
    private func watchThrottle(_ left: Duration) {
        guard left > .zero else { return }
        throttleTimer?.cancel()
        throttleTimer = Task(executorPreference: executor) { [weak self, clock, service] in
            while !Task.isCancelled {
                let wake = clock.now.sinceBoot + .seconds(60)
                do { try await clock.sleep(until: .sinceBoot(wake)) } catch { return }
                do throws(PasscodeError) {
                    guard try await service.status().retryAfter > .zero else { return }
                } catch {
                    // Without the note the lock is no weaker: more of the delay is repeated after a restart.
                    await self?.noteFailed(error)
                    return
                }
            }
        }
    }

    /// A passcode was tried on a screen of this lock: a delay that it led to is noted from now on, about once a minute.
    ///
    /// ``LockDriver`` tells it; a host that drives a ``LockScreen`` itself does the same with each answer.
    ///
    /// - Parameter answer: what became of the passcode.
    public func passcodeTried(_ answer: PasscodeAnswer) {
        switch answer {
        case .wrong(_, let retryAfter), .throttled(let retryAfter): watchThrottle(retryAfter)
        case .right, .limitReached, .triesExhausted, .notSet: throttleTimer?.cancel()
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

/// Lends an actor that names its executor the one that it would have if it named none.
private actor PoolActor {}
