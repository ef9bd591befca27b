internal import AdapterKit
public import PortcullisCore

/// Keeps the chosen apps shut until the day's goal is reached.
///
/// The whole state is one item in the store, changed by compare-and-set. So any number of instances may work
/// at once, for example in an app and in its monitor process. Each instance carries out the decisions of the
/// others.
///
/// A call returns when the new state is durable and the shield follows it. Cancelling the task of a call does
/// not stop the call. If the shield, the daily activity or the notification fails, the call still sets the
/// state and does the rest. Then it throws the error. The failed work is repeated by the next call or by
/// ``launch()``, and by a launched lock after a minute. A notification is not repeated.
///
/// While the state cannot be read, calls throw ``GoalErrorCode/damagedRecord``, ``GoalErrorCode/newerRecord``
/// or ``GoalErrorCode/store``, and shields stay as they are. If a check by the lock itself or an event of the
/// scheduler finds a state that will not become readable by itself, the lock notifies the person.
/// ``release()`` lifts the shield even if the state cannot be read.
public actor GoalLockService {
    /// The initial settings and the texts.
    public nonisolated let configuration: GoalConfiguration

    nonisolated let records: GoalRecordStore
    let backends: Backends
    let entitlement: (any Entitlement)?
    let executor: (any TaskExecutor)?

    /// The last failure; `nil` after a success. The failures of the lock's own checks are included, because
    /// no caller receives them.
    public internal(set) var failure: GoalError?

    /// Whether the person was notified that the state cannot be read. `false` again after the next decision.
    var hasToldOfDamage = false
    let observers = Broadcaster<GoalStatus>()
    let eventStreams = Broadcaster<GoalEvent>()
    var lastStatus: GoalStatus?
    /// The number of decisions that this instance has carried out and announced.
    var settlements: UInt64 = 0
    /// The number of decisions. Only the latest decision informs the observers.
    var decisions: UInt64 = 0
    /// The number of the latest decision that informed the observers.
    var concluded: UInt64 = 0
    /// The error of a failed notification, if the error has not been reported in ``failure`` yet. It was not
    /// reported because another failure was reported instead, or because a later decision had begun. The next
    /// decision without another failure reports this error.
    var unsent: GoalError?
    /// The version of the state that the shield follows.
    var settled: GoalRecordStore.Version?
    var followers: [Task<Void, Never>] = []
    var dayTimer: Task<Void, Never>?
    /// The time at which ``dayTimer`` checks the lock.
    var nextLook: ClockDeadline?

    /// Makes a lock. The lock reads nothing before its first method is called.
    ///
    /// - Parameters:
    ///   - backends: the adapters. The lock uses the store, shield, scheduler, notifier and clock.
    ///   - entitlement: whether the feature is paid for; `nil`: it is free.
    ///   - configuration: the initial settings and the texts.
    ///   - executor: the executor on which a launched lock follows events and checks the time by itself;
    ///     `nil`: Swift's pool. A test can pass an executor that it runs itself. The work of calls runs on
    ///     Swift's pool.
    /// - Throws: ``GoalErrorCode/invalidGoal``, ``GoalErrorCode/invalidDayStart`` for a configuration that
    ///   breaks the rules.
    public init(
        backends: Backends,
        entitlement: (any Entitlement)? = nil,
        configuration: GoalConfiguration,
        executor: (any TaskExecutor)? = nil
    ) throws(GoalError) {
        try Self.check(goal: configuration.goal)
        try Self.check(dayStart: configuration.dayStart)
        self.backends = backends
        self.entitlement = entitlement
        self.configuration = configuration
        self.executor = executor
        self.records = GoalRecordStore(store: backends.secrets)
    }

    deinit {
        for follower in followers { follower.cancel() }
        dayTimer?.cancel()
    }

    // MARK: Reading the lock

    /// Reads the lock's present status. The call changes nothing.
    ///
    /// - Throws: ``GoalError`` when the state cannot be read.
    public func status() async throws(GoalError) -> GoalStatus {
        let circumstances = await circumstances()
        var record = try await records.read() ?? initialRecord
        let today = record.turnDay(at: Clocks(backends.clock))
        return GoalStatus(record, today: today, in: circumstances)
    }

    /// Returns the date of the lock's day to which a wall time belongs. The wall time is, for example, the
    /// time at which a file with the progress was written.
    ///
    /// - Parameter wall: the time since 1970-01-01 00:00 UTC.
    /// - Throws: ``GoalError`` when the state cannot be read.
    public func date(of wall: Duration) async throws(GoalError) -> CivilDate {
        let record = try await records.read() ?? initialRecord
        return record.date(of: wall, at: Clocks(backends.clock))
    }

    /// The apps and categories to choose from; `nil` if the system draws its own picker.
    public func catalogue() async -> ShieldCatalogue? { await backends.shield.catalogue() }

    // MARK: Changing the lock

    /// Switches the lock on, after asking for the permission to shield.
    ///
    /// - Returns: the outcome. Only ``EnableOutcome/enabled(_:)`` changes the lock.
    /// - Throws: ``GoalError``.
    public func enable() async throws(GoalError) -> EnableOutcome { try await enable(guardian: nil) }

    /// Does the same as ``enable()``. If the lock was off, this user becomes the guardian in the same write.
    func enable(guardian: UserID?) async throws(GoalError) -> EnableOutcome {
        guard await isEntitled else { return .notEntitled }
        var authorization = await backends.shield.authorization
        if authorization != .approved { authorization = await backends.shield.requestAuthorization() }
        switch authorization {
        case .approved: break
        case .denied(let howToAllow): return .notAuthorized(howToAllow: howToAllow)
        case .notDetermined: return .notAuthorized(howToAllow: nil)
        }
        // The person may have needed long to answer the permission dialogue, so the entitlement is read
        // again.
        guard await isEntitled else { return .notEntitled }
        return .enabled(try await take(.enable(title: configuration.title, guardian: guardian)))
    }

    /// Switches the lock off: the call lifts the shield, stops the activity and forgets that today's goal was
    /// reached. The selection stays for the next time that the lock is switched on.
    ///
    /// - Throws: ``GoalError``.
    @discardableResult
    public func disable() async throws(GoalError) -> GoalStatus {
        try await take(.disable)
    }

    /// Sets the selection of apps and categories.
    ///
    /// - Throws: ``GoalError``.
    @discardableResult
    public func select(_ selection: ShieldSelection) async throws(GoalError) -> GoalStatus {
        try await take(.selection(selection))
    }

    /// Sets another goal. If today's progress already reaches the new goal, the apps are unlocked at once. If
    /// today's goal was reached before, a higher goal does not lock the apps again until tomorrow.
    ///
    /// - Parameter goal: the goal, more than zero, in the host's unit.
    /// - Throws: ``GoalErrorCode/invalidGoal``, or another ``GoalError``.
    @discardableResult
    public func setGoal(_ goal: Double) async throws(GoalError) -> GoalStatus {
        try Self.check(goal: goal)
        return try await take(.goal(goal))
    }

    /// Sets the time at which days start.
    ///
    /// - Parameter dayStart: the time, from 00:00 to 06:00 inclusive.
    /// - Throws: ``GoalErrorCode/invalidDayStart``, or another ``GoalError``.
    @discardableResult
    public func setDayStart(_ dayStart: TimeOfDay) async throws(GoalError) -> GoalStatus {
        try Self.check(dayStart: dayStart)
        return try await take(.dayStart(dayStart))
    }

    /// Sets today's progress. The apps are unlocked when the progress reaches the goal.
    ///
    /// - Parameters:
    ///   - progress: the day's total so far, zero or more, in the host's unit; not an increment.
    ///   - date: the date on which the progress was measured, if the host knows it. Progress of another
    ///     date than today is ignored. `nil`: the date of this call.
    /// - Throws: ``GoalErrorCode/invalidProgress``, or another ``GoalError``.
    @discardableResult
    public func update(progress: Double, of date: CivilDate? = nil) async throws(GoalError) -> GoalStatus {
        try await update(progress: progress, of: date, arrived: nil)
    }

    /// Does the same as ``update(progress:of:)``, for progress that arrived at the time `arrived` since boot;
    /// `nil`: now.
    func update(
        progress: Double,
        of date: CivilDate?,
        arrived: Duration?
    ) async throws(GoalError) -> GoalStatus {
        guard GoalRules.isValid(progress: progress) else {
            throw GoalError(code: .invalidProgress, message: "progress is a number of zero or more")
        }
        return try await take(.progress(progress, of: date), asked: arrived)
    }

    /// Records that the progress cannot be read. Until the next ``update(progress:of:)``, every status
    /// reports this, so that the person learns of it. Today's last progress and the shield do not
    /// change.
    ///
    /// - Throws: ``GoalError``.
    @discardableResult
    public func noteUnreadableProgress() async throws(GoalError) -> GoalStatus {
        try await take(.unreadableProgress)
    }

    /// Brings the lock up to date: another day may have begun, a permission may have changed, or another
    /// process may have changed the state.
    ///
    /// - Throws: ``GoalError``.
    @discardableResult
    public func refresh() async throws(GoalError) -> GoalStatus {
        try await take(.look)
    }

    /// Carries out an event of the scheduler. The activity may have been started by another process.
    ///
    /// All work is done when the call returns, so a monitor process may end then. Events of other activities
    /// are ignored.
    ///
    /// - Throws: ``GoalError``.
    public func handle(_ event: ActivityEvent) async throws(GoalError) { try await handle(event, on: nil) }

    /// Does the same as ``handle(_:)``, but on the given executor; `nil`: Swift's pool.
    func handle(_ event: ActivityEvent, on executor: (any TaskExecutor)?) async throws(GoalError) {
        // Only the start of the interval matters. The end of the interval changes nothing, because a shield
        // that was lifted stays down until the next day starts.
        guard event.activity == GoalNames.activity, event.kind == .intervalDidStart else { return }
        do {
            _ = try await take(.look, on: executor)
        } catch {
            await tell(of: error)
            throw error
        }
    }

    /// Switches the lock off in an emergency. The call lifts the shield and stops the activity, even if the
    /// state cannot be read.
    ///
    /// If the state can be read, the call does the same as ``disable()``. A state that cannot be understood
    /// is replaced by a new state. The old state's list of the dates with a sent notification is then lost.
    /// So that the person gets no second notification, the lock sends none for today and yesterday. The host
    /// decides whether the person may call this method.
    ///
    /// - Throws: ``GoalErrorCode/shield`` when the shield could not be lifted; ``GoalErrorCode/store`` when
    ///   the shield was lifted but the store fails. In the second case the shield may come back when the
    ///   store works again.
    public func release() async throws(GoalError) {
        // In a cancelled task the shield might not be lifted. So the release runs in a task of its own, and a
        // cancellation of the caller's task does not stop the release.
        try await carryThrough { () throws(GoalError) in try await self.releaseAnyState() }
    }

    private func releaseAnyState() async throws(GoalError) {
        var isNew = false
        while true {
            do throws(GoalError) {
                _ = try await take(.disable)
                return
            } catch  where error.isAboutState {
                if let failed = await carryOut([.lift, .stopActivity]).first { throw failed }
                // Only a state that cannot be understood is replaced, and only once. If the store cannot be
                // reached, its state must be kept.
                guard error.isAboutDamage, !isNew else { throw error }
                var record = initialRecord
                record.startAnew(at: Clocks(backends.clock))
                isNew = try await records.replaceUnreadable(by: record)
            }
        }
    }

    private static func check(goal: Double) throws(GoalError) {
        guard !GoalRules.isValid(goal: goal) else { return }
        throw GoalError(code: .invalidGoal, message: "a goal is a number above zero")
    }

    private static func check(dayStart: TimeOfDay) throws(GoalError) {
        guard !GoalRules.isValid(dayStart: dayStart) else { return }
        throw GoalError(code: .invalidDayStart, message: "a day starts at 00:00 to 06:00")
    }
}

/// The outcome of switching the goal lock on.
public enum EnableOutcome: Sendable, Hashable {
    /// The lock is on.
    case enabled(GoalStatus)
    /// The feature is not paid for. The host should show the paywall.
    case notEntitled
    /// The app has no permission to shield apps, or its `Backends` have no shield controller. The text
    /// explains how to give the permission, if that is known.
    case notAuthorized(howToAllow: String?)
}
