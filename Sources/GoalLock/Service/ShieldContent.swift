public import PortcullisCore

/// What a shield screen shows, also one that another process draws.
public struct ShieldContent: Sendable, Hashable {
    /// What the goal is called.
    public var title: String
    /// How far the person got today, in the host's unit.
    public var progress: Double
    /// How far to get, in the same unit.
    public var goal: Double

    /// A content of these parts.
    public init(title: String, progress: Double, goal: Double) {
        self.title = title
        self.progress = progress
        self.goal = goal
    }

    /// The part of the goal that is reached, 0 to 1.
    public var fraction: Double { min(1, progress / goal) }

    /// Reads what is to be shown; needs the store and a clock only, and changes nothing.
    ///
    /// - Parameters:
    ///   - store: the store that the goal lock uses.
    ///   - clock: tells whether the progress is today's.
    /// - Returns: `nil` when the lock was never set.
    /// - Throws: ``GoalErrorCode/damagedRecord``, ``GoalErrorCode/newerRecord``, ``GoalErrorCode/store``.
    public static func read(
        from store: any SecretStore,
        clock: any LockClock
    ) async throws(GoalError) -> ShieldContent? {
        guard var record = try await GoalRecordStore(store: store).read() else { return nil }
        _ = record.turnDay(at: Clocks(clock))
        return ShieldContent(title: record.title, progress: record.progress, goal: record.goal)
    }
}
