internal import AdapterKit
public import PortcullisCore

/// Keeps the chosen apps shut until the day's goal is reached.
///
/// All of its state is one item in the store, changed by compare-and-set. So an app and its monitor, or any number
/// of instances, may work at once: what one of them decides, the others carry out as well.
///
/// A call returns when the new state is durable and the shields follow it; cancelling its task does not stop it. When
/// a shield, the daily activity or the notification fails, the rest is still carried out, the state is as it was asked
/// for, and the error is thrown; the next call or ``launch()`` tries again, except for the notification, and a lock that
/// was launched does by itself after a minute.
///
/// While the state cannot be read, calls throw ``GoalErrorCode/damagedRecord``,
/// ``GoalErrorCode/newerRecord`` or ``GoalErrorCode/store`` and shields stay as they are. Where a launched
/// lock finds that by itself, or at an event of the scheduler, a notification tells the person. ``release()``
/// is the way out.
public actor GoalLockService {
    /// How the lock begins.
    public nonisolated let configuration: GoalConfiguration

    nonisolated let records: GoalRecordStore
    let backends: Backends
    let entitlement: (any Entitlement)?
    let executor: (any TaskExecutor)?

    /// What went wrong last, also where no caller received the error, such as when a launched lock looked by
    /// itself; `nil` after it went well.
    public internal(set) var failure: GoalError?

    /// Whether the person was told that the state cannot be understood.
    var hasToldOfDamage = false
    let observers = Broadcaster<GoalStatus>()
    let eventStreams = Broadcaster<GoalEvent>()
    var lastStatus: GoalStatus?
    /// How often shields came to follow the state.
    var settlements: UInt64 = 0
    /// How many decisions were made: the latest tells the observers.
    var decisions: UInt64 = 0
    /// The latest decision that was told.
    var concluded: UInt64 = 0
    /// A notification that failed for a decision which a later one overtook, or beside another failure: the next
    /// decision that fails in nothing else tells of it.
    var unsent: GoalError?
    /// The state that shields follow.
    var settled: GoalRecordStore.Version?
    var followers: [Task<Void, Never>] = []
    var dayTimer: Task<Void, Never>?
    /// When ``dayTimer`` looks.
    var nextLook: ClockDeadline?

    /// A lock; nothing is read before its first call.
    ///
    /// - Parameters:
    ///   - backends: the store, shield, scheduler, notifier and clock are used.
    ///   - entitlement: whether the feature is paid for; `nil`: it costs nothing.
    ///   - configuration: how the lock begins.
    ///   - executor: where a launched lock follows what is told, and looks again by itself; `nil`: Swift's pool. A test
    ///     hands in one that it runs itself. What calls ask for is carried out on Swift's pool.
    /// - Throws: ``GoalErrorCode/invalidGoal``, ``GoalErrorCode/invalidDayStart`` for a configuration that breaks
    ///   the rules.
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

    // MARK: Asking

    /// The lock as it is now; changes nothing.
    ///
    /// - Throws: ``GoalError`` when the state cannot be read.
    public func status() async throws(GoalError) -> GoalStatus {
        let circumstances = await circumstances()
        var record = try await records.read() ?? initialRecord
        let today = record.turnDay(at: Clocks(backends.clock))
        return GoalStatus(record, today: today, in: circumstances)
    }

    /// The apps and categories to choose from; `nil` where the system draws its own picker.
    public func catalogue() async -> ShieldCatalogue? { await backends.shield.catalogue() }

    // MARK: Changing

    /// Switches the lock on, after asking for the right to shield.
    ///
    /// - Returns: how that went; nothing changes unless it is ``EnableOutcome/enabled(_:)``.
    /// - Throws: ``GoalError``.
    public func enable() async throws(GoalError) -> EnableOutcome {
        guard await isEntitled else { return .notEntitled }
        var authorization = await backends.shield.authorization
        if authorization != .approved { authorization = await backends.shield.requestAuthorization() }
        switch authorization {
        case .approved: break
        case .denied(let howToAllow): return .notAuthorized(howToAllow: howToAllow)
        case .notDetermined: return .notAuthorized(howToAllow: nil)
        }
        // The person may have taken a long time to answer.
        guard await isEntitled else { return .notEntitled }
        return .enabled(try await take(.enable(title: configuration.title)))
    }

    /// Switches the lock off: lifts shields, ends monitoring and takes back that today's goal was reached. What is
    /// chosen stays for the next time.
    ///
    /// - Throws: ``GoalError``.
    @discardableResult
    public func disable() async throws(GoalError) -> GoalStatus {
        try await take(.disable)
    }

    /// Chooses apps and categories.
    ///
    /// - Throws: ``GoalError``.
    @discardableResult
    public func select(_ selection: ShieldSelection) async throws(GoalError) -> GoalStatus {
        try await take(.selection(selection))
    }

    /// Sets another goal; one that is reached already unlocks at once, and a higher one locks again tomorrow.
    ///
    /// - Parameter goal: more than zero, in the host's unit.
    /// - Throws: ``GoalErrorCode/invalidGoal``, or another ``GoalError``.
    @discardableResult
    public func setGoal(_ goal: Double) async throws(GoalError) -> GoalStatus {
        try Self.check(goal: goal)
        return try await take(.goal(goal))
    }

    /// Sets when days start.
    ///
    /// - Parameter dayStart: 00:00 to 06:00.
    /// - Throws: ``GoalErrorCode/invalidDayStart``, or another ``GoalError``.
    @discardableResult
    public func setDayStart(_ dayStart: TimeOfDay) async throws(GoalError) -> GoalStatus {
        try Self.check(dayStart: dayStart)
        return try await take(.dayStart(dayStart))
    }

    /// Notes how far the person got today; unlocks when that reaches the goal.
    ///
    /// - Parameters:
    ///   - progress: zero or more, in the host's unit: the day's total, not what was added.
    ///   - date: the date on which it was measured, where the host knows it; what belongs to another date than today
    ///     is not noted. `nil`: the date of this call.
    /// - Throws: ``GoalErrorCode/invalidProgress``, or another ``GoalError``.
    @discardableResult
    public func update(progress: Double, of date: CivilDate? = nil) async throws(GoalError) -> GoalStatus {
        guard GoalRules.isValid(progress: progress) else {
            throw GoalError(code: .invalidProgress, message: "progress is a number of zero or more")
        }
        return try await take(.progress(progress, of: date))
    }

    /// Notes that the progress cannot be read, so that the person is told wherever the status is shown, until
    /// the next ``update(progress:of:)``. What was known of today stays, and so do shields.
    ///
    /// - Throws: ``GoalError``.
    @discardableResult
    public func noteUnreadableProgress() async throws(GoalError) -> GoalStatus {
        try await take(.unreadableProgress)
    }

    /// Looks anew: whether another day began, a right was given or taken away, or another process changed something.
    ///
    /// - Throws: ``GoalError``.
    @discardableResult
    public func refresh() async throws(GoalError) -> GoalStatus {
        try await take(.look)
    }

    /// Does what an event of the scheduler asks for; also in another process than the one that started the activity.
    ///
    /// It returns when all is done, so that a monitor may be ended then. Events of other activities are passed by.
    ///
    /// - Throws: ``GoalError``.
    public func handle(_ event: ActivityEvent) async throws(GoalError) { try await handle(event, on: nil) }

    /// As ``handle(_:)``, carried out on an executor.
    func handle(_ event: ActivityEvent, on executor: (any TaskExecutor)?) async throws(GoalError) {
        // The end changes nothing: shields that are down stay down until the next day starts.
        guard event.activity == GoalNames.activity, event.kind == .intervalDidStart else { return }
        do {
            _ = try await take(.look, on: executor)
        } catch {
            await tell(of: error)
            throw error
        }
    }

    /// The way out: lifts shields and ends monitoring also when the state cannot be read.
    ///
    /// A state that can be read is only switched off, so that what was granted stays known; one that cannot
    /// be understood is replaced by a new one. It is then not known any more of which dates the person was
    /// notified, so no notification is sent for today and yesterday. Whether the person may do this is for
    /// the host to ask.
    ///
    /// - Throws: ``GoalErrorCode/shield`` when shields could not be lifted; ``GoalErrorCode/store`` when they were,
    ///   but the store fails: they may come back with it.
    public func release() async throws(GoalError) {
        var isNew = false
        while true {
            do throws(GoalError) {
                _ = try await take(.disable)
                return
            } catch  where [.damagedRecord, .newerRecord, .store].contains(error.code) {
                if let failed = await carryOut([.lift, .stopActivity]).first { throw failed }
                // A store that is only out of reach still has a state worth keeping.
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

/// How switching the goal lock on went.
public enum EnableOutcome: Sendable, Hashable {
    /// It is on.
    case enabled(GoalStatus)
    /// The feature is not paid for: show the paywall.
    case notEntitled
    /// Apps may not be shielded; the text tells how to allow it, where that is known.
    case notAuthorized(howToAllow: String?)
}
