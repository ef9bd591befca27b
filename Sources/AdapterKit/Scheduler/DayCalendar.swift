public import PortcullisCore

/// The start and end of days in the present zone, for the rules of activities.
///
/// The day of a date begins at the first instant whose local time is `dayStart` on that date or later.
public struct DayCalendar: Sendable {
    /// The date whose day contains a wall time.
    public let civilDate: @Sendable (_ wall: Duration, _ dayStart: Duration) -> CivilDate
    /// The wall time at which the day of a date begins.
    public let start: @Sendable (_ date: CivilDate, _ dayStart: Duration) -> Duration
    /// The wall time at which the day after the day of `wall` begins.
    public let nextDayStart: @Sendable (_ wall: Duration, _ dayStart: Duration) -> Duration

    /// Makes a calendar of these functions.
    public init(
        civilDate: @escaping @Sendable (_ wall: Duration, _ dayStart: Duration) -> CivilDate,
        start: @escaping @Sendable (_ date: CivilDate, _ dayStart: Duration) -> Duration,
        nextDayStart: @escaping @Sendable (_ wall: Duration, _ dayStart: Duration) -> Duration
    ) {
        self.civilDate = civilDate
        self.start = start
        self.nextDayStart = nextDayStart
    }

    /// Makes a calendar from a clock. The calendar follows the clock's zone.
    public init(_ clock: any LockClock) {
        self.init(
            civilDate: { clock.civilDate(at: $0, dayStart: $1) },
            start: { clock.start(of: $0, dayStart: $1) },
            nextDayStart: { clock.nextDayStart(after: $0, dayStart: $1) }
        )
    }

    /// The date whose day contains a wall time.
    public func civilDate(at wall: Duration, dayStart: Duration) -> CivilDate { civilDate(wall, dayStart) }

    /// The wall time at which the day after the day of `wall` begins.
    public func nextDayStart(after wall: Duration, dayStart: Duration) -> Duration {
        nextDayStart(wall, dayStart)
    }

    /// The start of the day that contains a wall time, as a wall time.
    public func dayStart(at wall: Duration, dayStart: Duration) -> Duration {
        start(civilDate(wall, dayStart), dayStart)
    }
}
