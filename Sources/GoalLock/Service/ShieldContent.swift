public import PortcullisCore

/// The content of a shield screen, which another process may draw.
public struct ShieldContent: Sendable, Hashable {
    /// The goal's name.
    public var title: String
    /// Today's progress, in the host's unit.
    public var progress: Double
    /// The goal, in the host's unit.
    public var goal: Double

    /// Makes the content from these parts.
    public init(title: String, progress: Double, goal: Double) {
        self.title = title
        self.progress = progress
        self.goal = goal
    }

    /// The progress as a fraction of the goal, 0 to 1.
    public var fraction: Double { min(1, progress / goal) }

    /// Reads the content. The call needs only the store and a clock, and changes nothing.
    ///
    /// - Parameters:
    ///   - store: the store that the goal lock uses.
    ///   - clock: the clock that decides whether the stored progress is today's.
    /// - Returns: the content; `nil` when the store holds no state of a goal lock.
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
