public import PortcullisCore

/// The rules by which the app locks and unlocks. They are a pure value: ``handle(_:at:)`` computes the
/// effects from an event and its moment.
public struct LockRules: Sendable, Hashable {
    /// An event of a lock.
    public enum Event: Sendable, Hashable {
        /// The app started. The value holds the timeout and the stored ``LockMark``; `nil` if no passcode
        /// is set. If the app has started before, the event has the effect of ``armed(_:)``.
        case launched(Arming?)
        /// The app is now in this phase.
        case phase(AppPhase)
        /// The app has been in the background since this earlier moment. The app locks now if the absence has
        /// already reached the timeout.
        case left(since: Moment)
        /// The passcode's state is being read, because the app comes to the front and the store signals no
        /// changes. The content stays covered until ``lookEnded``.
        case lookBegan
        /// The read that ``lookBegan`` announced has ended. An event ``armed(_:)`` has already delivered its
        /// result.
        case lookEnded
        /// The person used the app.
        case activity
        /// The time of ``Effect/checkIdle(sinceBoot:)`` has come.
        case idleCheck
        /// The app or the person asks for a lock.
        case lock
        /// The passcode or biometrics were right, on a screen of this generation.
        case unlock(generation: UInt64)
        /// A passcode was set, changed, removed, or switched on or off, or its timeout changed. The value is
        /// the new state; `nil` if no passcode is set.
        case armed(Arming?)
        /// The ``LockMark`` could not be stored. After a relaunch, the app could not know how long it was
        /// in the background. So the app locks now.
        case markLost
        /// Signing out has begun.
        case signOutBegan
        /// Signing out has ended. The passcode is still set if its removal failed.
        case signOutEnded(Arming?)
    }

    /// An effect of the rules.
    public enum Effect: Sendable, Hashable {
        /// Store this mark before the process can be killed.
        case persist(LockMark)
        /// Send this state to the observers.
        case announce(LockState)
        /// Send ``Event/idleCheck`` when the boot clock shows this time.
        case checkIdle(sinceBoot: Duration)
    }

    /// The stored state of a passcode's lock.
    public struct Arming: Sendable, Hashable {
        /// The absence after which the app locks.
        public var timeout: LockTimeout
        /// The part of the lock's state that an earlier process stored.
        public var mark: LockMark
        /// Whether the passcode was switched off on another device or by an administrator. The app then no
        /// longer locks. A locked app stays locked until the person unlocks it, because an account's
        /// message must not unlock it.
        public var isDormant: Bool
        /// Whether the passcode's state could not be read; see ``unreadable``.
        public private(set) var isUnreadable = false

        /// Makes the state of a passcode that locks.
        public init(timeout: LockTimeout, mark: LockMark = LockMark(), isDormant: Bool = false) {
            self.timeout = timeout
            self.mark = mark
            self.isDormant = isDormant
        }

        /// The state of a passcode that cannot be read. The app is locked, even if the stored mark says that
        /// it was not locked.
        public static let unreadable = {
            var arming = Arming(timeout: .immediately, mark: LockMark(isLocked: true))
            // Without this flag, this state would equal that of a readable passcode with an immediate timeout
            // and a locked mark.
            arming.isUnreadable = true
            return arming
        }()
    }

    private let launchPolicy: PasscodeConfiguration.LaunchPolicy
    private let idleTimeout: Duration?
    private(set) var timeout: LockTimeout?
    private var isDormant = false
    private var phase = AppPhase.active
    private(set) var mark = LockMark()
    private var lastActivity: Moment?
    private var generation: UInt64 = 0
    private var isSigningOut = false
    private(set) var hasLaunched = false
    /// The lengths of the absences that ended before the passcode's state was known; `nil` for an unknown
    /// length. They are compared with the timeout once the state is known.
    private var unjudgedAbsences: [Duration?] = []
    private var wasLockedEarly = false
    /// Whether the host has reported a phase other than the background since this process began.
    private var hasBeenInFront = false
    private var isLooking = false
    private var revision: UInt64 = 0

    /// Makes the rules for an app that has not launched yet.
    public init(launch: PasscodeConfiguration.LaunchPolicy, idleTimeout: Duration?) {
        self.launchPolicy = launch
        self.idleTimeout = idleTimeout
    }

    /// The state that observers see.
    public var state: LockState {
        let cover: LockCover =
            if isSigningOut {
                .signingOut
            } else if mark.isLocked {
                .lockScreen
            } else if phase != .active || isLooking {
                .obscured
            } else { .none }
        return LockState(
            isLocked: mark.isLocked || isSigningOut,
            cover: cover,
            generation: generation,
            revision: revision
        )
    }

    var isArmed: Bool { timeout != nil }

    /// Applies an event.
    ///
    /// - Returns: the effects, in order. A state is announced only if it changed.
    public mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
        var before = (state: state, mark: mark)
        // At launch, the mark counts as changed only if it differs from the mark that an earlier process
        // stored. Without this rule, each launch of a locked app would store the mark again. If the stored
        // mark could not be read, it may say that the app was not locked. So the lock is stored then.
        if case .launched(let arming?) = event, !hasLaunched, !arming.isUnreadable {
            before.mark = arming.mark
        }
        let wasArmed = isArmed
        var effects: [Effect] = []
        switch event {
        // The lock can be launched again in the same process, for example by another window. A later launch
        // does not take over the stored mark, because the lock's state in memory is newer.
        case .launched(let arming): if hasLaunched { arm(arming, now) } else { launch(arming, now) }
        case .phase(let new): enter(new, now)
        case .left(let since):
            enter(.background, now, since: since)
            let absence = mark.backgroundSince.map { now.elapsed(since: $0) } ?? .zero
            if let timeout, timeout.isReached(by: absence) { lock() }
        case .lookBegan: if phase != .active { isLooking = true }
        case .lookEnded:
            isLooking = false
            unjudgedAbsences = []
        case .activity:
            // A key press after the deadline locks, even if the timer has not fired yet.
            if let due = idleDue, now.sinceBoot >= due { lock() } else { lastActivity = now }
        case .idleCheck: if let due = idleDue, now.sinceBoot >= due { lock() }
        case .lock: lock()
        case .unlock(let proven): unlock(proven, now)
        case .armed(let arming): arm(arming, now)
        case .markLost: lock()
        case .signOutBegan:
            isSigningOut = true
            generation += 1
        case .signOutEnded(let arming):
            isSigningOut = false
            arm(arming, now)
        }
        // If a passcode was set during an absence, its record does not hold the start of the absence yet. So
        // the mark is stored in that case too.
        let isAbsenceUnwritten = !wasArmed && mark.backgroundSince != nil && hasLaunched
        if isArmed, mark != before.mark || isAbsenceUnwritten { effects.append(.persist(mark)) }
        if state != before.state {
            revision += 1
            effects.append(.announce(state))
        }
        if let due = idleDue { effects.append(.checkIdle(sinceBoot: due)) }
        return effects
    }

    /// The boot-clock time at which the app locks for lack of activity; `nil` while the app cannot lock for
    /// that reason.
    ///
    /// An app in the phase ``AppPhase/inactive`` locks too. Without this rule, an app that has been in this
    /// phase for hours would show its content as soon as it is active again.
    private var idleDue: Duration? {
        guard let idleTimeout, isArmed, !isDormant, !mark.isLocked, phase != .background, let lastActivity
        else { return nil }
        return lastActivity.sinceBoot + idleTimeout
    }

    private mutating func launch(_ arming: Arming?, _ now: Moment) {
        lastActivity = now
        hasLaunched = true
        defer { unjudgedAbsences = [] }
        guard let arming else { return }
        let leftWhileStarting = mark.backgroundSince
        timeout = arming.timeout
        isDormant = arming.isDormant
        mark = arming.mark
        let wasAway =
            mark.backgroundSince.map { arming.timeout.isReached(by: now.elapsed(since: $0)) } ?? false
        // If the system has started the app in the background, the person has not returned yet. So the
        // absence that an earlier process stored goes on.
        let isStillAway = phase == .background && !hasBeenInFront
        mark.backgroundSince =
            (isStillAway ? arming.mark.backgroundSince : nil) ?? leftWhileStarting
        switch launchPolicy {
        case .never:
            // An absence that an earlier process stored does not count. An absence of this process goes on.
            (mark.isLocked, mark.backgroundSince) = (false, leftWhileStarting)
        case .always: lock()
        case .resume: if wasAway { lock() }
        }
        if arming.isUnreadable || wasLockedEarly || unjudgedAbsences.contains(where: arming.timeout.isReached)
        {
            lock()
        }
    }

    private mutating func enter(_ new: AppPhase, _ now: Moment, since: Moment? = nil) {
        // The timer of the deadline may be late. If the deadline has passed, the app locks here. Without this
        // check, the return from the background would start a new idle time.
        if let due = idleDue, now.sinceBoot >= due { lock() }
        let old = phase
        phase = new
        if new != .background { hasBeenInFront = true }
        switch new {
        case .inactive:
            // Some systems report this phase on the way back from the background. The idle time begins anew,
            // as it does on a direct return. Whether the absence locks the app depends on the timeout alone.
            if old == .background { lastActivity = now }
        case .background:
            // Only the first report counts, because a second one must not shorten the absence.
            if mark.backgroundSince == nil { mark.backgroundSince = since ?? now }
            // A biometric prompt or a passcode check of the lock screen may succeed while the person is away.
            // With the new generation, the proof of that prompt or check does not unlock.
            generation += 1
        case .active:
            guard let since = mark.backgroundSince else { break }
            mark.backgroundSince = nil
            lastActivity = now
            if !hasLaunched || isLooking { unjudgedAbsences.append(now.elapsed(since: since)) }
            if let timeout, timeout.isReached(by: now.elapsed(since: since)) { lock() }
        }
    }

    private mutating func lock() {
        if !hasLaunched { wasLockedEarly = true }
        guard isArmed, !isDormant, !mark.isLocked else { return }
        mark.isLocked = true
        generation += 1
    }

    private mutating func unlock(_ proven: UInt64, _ now: Moment) {
        guard mark.isLocked, !isSigningOut, proven == generation, phase != .background else { return }
        mark.isLocked = false
        lastActivity = now
        generation += 1
        // The person has just given a proof, so the earlier absences no longer count. In the phase `inactive`
        // the last absence has not been compared with the timeout yet.
        mark.backgroundSince = nil
        unjudgedAbsences = []
    }

    private mutating func arm(_ arming: Arming?, _ now: Moment) {
        // Setting a passcode counts as activity. Without this line, the idle time could be over when the
        // first passcode is set. The app would then lock at once.
        if !isArmed { lastActivity = now }
        timeout = arming?.timeout
        isDormant = arming?.isDormant ?? false
        // Without a passcode the app is never locked, because it could not be unlocked.
        if arming == nil { mark.isLocked = false }
        if arming?.isUnreadable == true { lock() }
        if hasLaunched, let timeout, unjudgedAbsences.contains(where: timeout.isReached) { lock() }
    }
}
