public import PortcullisCore

/// When the app locks and unlocks: pure state, an event at a moment, and what is to be done.
public struct LockRules: Sendable, Hashable {
    /// What happens to a lock.
    public enum Event: Sendable, Hashable {
        /// The app started, with what was found: an armed lock's timeout and mark, or nothing to lock with.
        case launched(Arming?)
        /// The app came to the front, went out of sight, or something between.
        case phase(AppPhase)
        /// What there is to lock with is being read, because the app is about to be in front and the store tells of no
        /// change: the content stays covered until ``lookEnded``.
        case lookBegan
        /// It was read, and told as ``armed(_:)``.
        case lookEnded
        /// The person did something.
        case activity
        /// The time an idle lock asked for has come.
        case idleCheck
        /// The app or the person wants it locked.
        case lock
        /// The passcode or biometrics were right, on a screen of this generation.
        case unlock(generation: UInt64)
        /// A passcode was set, changed, switched on or off or removed, or its timeout changed.
        case armed(Arming?)
        /// The mark could not be written: what would be forgotten is made up for by locking.
        case markLost
        /// Signing out has begun.
        case signOutBegan
        /// Signing out has ended; it may have failed to remove the passcode.
        case signOutEnded(Arming?)
    }

    /// What is to be done.
    public enum Effect: Sendable, Hashable {
        /// Write this down before the process can be killed.
        case persist(LockMark)
        /// Tell observers.
        case announce(LockState)
        /// Come back with ``Event/idleCheck`` when the boot clock shows this.
        case checkIdle(sinceBoot: Duration)
    }

    /// What there is to lock with.
    public struct Arming: Sendable, Hashable {
        /// After how long an absence.
        public var timeout: LockTimeout
        /// What an earlier process left.
        public var mark: LockMark
        /// Whether it was switched off on another device or by an administrator: nothing locks any more, but
        /// what is locked stays so until it is opened, because an account's message must not open it.
        public var isDormant: Bool
        /// Whether it is not known what there is to lock with; see ``unreadable``.
        public private(set) var isUnreadable = false

        /// An armed lock.
        public init(timeout: LockTimeout, mark: LockMark = LockMark(), isDormant: Bool = false) {
            self.timeout = timeout
            self.mark = mark
            self.isDormant = isDormant
        }

        /// For a passcode that cannot be read: locked, whatever the mark says.
        public static let unreadable = {
            var arming = Arming(timeout: .immediately, mark: LockMark(isLocked: true))
            // Its other parts are those of a passcode that locks on every return, too.
            arming.isUnreadable = true
            return arming
        }()
    }

    private let launchPolicy: PasscodeConfiguration.LaunchPolicy
    private let idleTimeout: Duration?
    private var timeout: LockTimeout?
    private var isDormant = false
    private var phase = AppPhase.active
    private var mark = LockMark()
    private var lastActivity: Moment?
    private var generation: UInt64 = 0
    private var isSigningOut = false
    private(set) var hasLaunched = false
    /// Absences that ended before it was known whether there is a passcode; they count once that is known.
    private var unjudgedAbsences: [Duration?] = []
    private var wasLockedEarly = false
    private var isLooking = false
    private var revision: UInt64 = 0

    /// The rules of a configuration, before the app has launched.
    public init(launch: PasscodeConfiguration.LaunchPolicy, idleTimeout: Duration?) {
        self.launchPolicy = launch
        self.idleTimeout = idleTimeout
    }

    /// What observers see.
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

    private var isArmed: Bool { timeout != nil }

    /// Takes an event.
    ///
    /// - Returns: what is to be done, in order; announcements only where something changed.
    public mutating func handle(_ event: Event, at now: Moment) -> [Effect] {
        var before = (state: state, mark: mark)
        // What is written down is what an earlier process left, until this one writes.
        if case .launched(let arming?) = event { before.mark = arming.mark }
        let wasArmed = isArmed
        var effects: [Effect] = []
        switch event {
        case .launched(let arming): launch(arming, now)
        case .phase(let new): enter(new, now)
        case .lookBegan: if phase != .active { isLooking = true }
        case .lookEnded:
            isLooking = false
            unjudgedAbsences = []
        case .activity:
            // A key press after the deadline locks, also where the timer has not fired yet.
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
        // The record of a passcode that came while the app was away knows nothing of the absence.
        let isAbsenceUnwritten = !wasArmed && mark.backgroundSince != nil && hasLaunched
        if isArmed, mark != before.mark || isAbsenceUnwritten { effects.append(.persist(mark)) }
        if state != before.state {
            revision += 1
            effects.append(.announce(state))
        }
        if let due = idleDue { effects.append(.checkIdle(sinceBoot: due)) }
        return effects
    }

    /// When the idle lock is due, while it could be.
    private var idleDue: Duration? {
        guard let idleTimeout, isArmed, !isDormant, !mark.isLocked, phase == .active, let lastActivity else {
            return nil
        }
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
        mark.backgroundSince = leftWhileStarting
        switch launchPolicy {
        case .never: mark.isLocked = false
        case .always: lock()
        case .resume: if wasAway { lock() }
        }
        if arming.isUnreadable || wasLockedEarly || unjudgedAbsences.contains(where: arming.timeout.isReached)
        {
            lock()
        }
    }

    private mutating func enter(_ new: AppPhase, _ now: Moment) {
        phase = new
        switch new {
        case .inactive:
            break
        case .background:
            // The first of several counts: a second notice must not shorten the absence.
            if mark.backgroundSince == nil { mark.backgroundSince = now }
            // A prompt or a check that outlives this screen must not unlock behind the person's back.
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
        // The person who was away has come back.
        unjudgedAbsences = []
    }

    private mutating func arm(_ arming: Arming?, _ now: Moment) {
        // Setting a passcode is activity: a person who took long to set the first one is not locked at once.
        if !isArmed { lastActivity = now }
        timeout = arming?.timeout
        isDormant = arming?.isDormant ?? false
        // Without a passcode nothing locks, and nothing could unlock what is locked.
        if arming == nil { mark.isLocked = false }
        if arming?.isUnreadable == true { lock() }
        if hasLaunched, let timeout, unjudgedAbsences.contains(where: timeout.isReached) { lock() }
    }
}
