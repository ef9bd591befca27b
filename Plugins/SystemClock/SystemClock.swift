public import AdapterKit
public import PortcullisCore

/// The machine's clock: wall time, time since boot with suspended time counted, and named time zones.
///
/// On Linux sleepers wait on kernel timers that one thread of the clock's own serves, however many they are;
/// that thread starts with the first sleeper or taker of ``notices()`` and ends with the clock. The timers
/// count suspended time, and a wall clock that is set wakes the sleepers that are due by it at once.
/// Elsewhere sleepers wait in Swift's continuous clock; those on the wall clock look at it again each minute.
public final class SystemClock: LockClock {
    private let boot: BootID
    private let zones: ZoneReader
    private let sleepers: any SleepService

    /// A clock in the system's time zone, which it follows when the person travels.
    public convenience init() { self.init(zones: ZoneReader()) }

    /// A clock that stays in a zone.
    ///
    /// - Returns: `nil` when there is no zone of this IANA name.
    public convenience init?(zone: String) {
        do throws(ZoneFileError) { try self.init(inZone: zone) } catch { return nil }
    }

    /// A clock that stays in a zone, whose data it follows as it changes.
    ///
    /// - Throws: ``/AdapterKit/ZoneFileError``: ``/AdapterKit/ZoneFileErrorCode/unknownZone``,
    ///   ``/AdapterKit/ZoneFileErrorCode/noZoneFiles`` on a system without any, and for a file of no use what ails it.
    public convenience init(inZone zone: String) throws(ZoneFileError) {
        self.init(zones: try ZoneReader(fixed: zone))
    }

    init(zones: ZoneReader) {
        self.boot = SystemTime.bootID()
        self.zones = zones
        self.sleepers = makeSleepService()
    }

    deinit { sleepers.stop() }

    /// Starts its thread before the first sleeper, for a host whose sleepers must wake though none is to be had by then.
    ///
    /// - Throws: where the system has no thread left.
    package func start() throws(ThreadRefusal) { try sleepers.start() }

    /// The present moment.
    ///
    /// Where the system has no boot id to read, this process counts as a boot of its own: whatever an earlier
    /// process wrote then has an unknown age, which the lock takes as too old.
    public var now: Moment {
        let (wall, sinceBoot) = SystemTime.read()
        return Moment(wall: wall, sinceBoot: sinceBoot, boot: boot)
    }

    /// Whether the kernel says that its clock is disciplined by a time source.
    public var isSynchronised: Bool { SystemTime.isSynchronised }

    /// The present zone's IANA name.
    public var zone: String { zones.name }

    /// What `TZ` says when that is neither a zone's name nor a plain offset such as `EST5`; the clock then goes by
    /// UTC.
    public var unknownZoneSetting: String? { zones.unknownSetting }

    /// Why the clock goes by UTC, or by what the zone's file said before, where the system's setting names a zone that
    /// it cannot read now; `nil` while all is well.
    public var zoneProblem: ZoneFileError? { zones.problem }

    /// Waits until the deadline.
    public func sleep(until deadline: ClockDeadline) async throws(CancellationError) {
        try await sleepers.sleep(until: deadline)
    }

    /// The calendar day that holds a wall time, in the present zone.
    public func civilDate(at wall: Duration, dayStart: Duration) -> CivilDate {
        let zone = zones.current
        return CivilDay.date(at: wall, dayStart: dayStart) { zone.spans(in: $0) }
    }

    /// The wall time at which the day of a date begins, in the present zone.
    public func start(of date: CivilDate, dayStart: Duration) -> Duration {
        let zone = zones.current
        return CivilDay.start(of: date, dayStart: dayStart) { zone.spans(in: $0) }
    }

    /// The wall time at which the next day begins, in the present zone.
    public func nextDayStart(after wall: Duration, dayStart: Duration) -> Duration {
        let zone = zones.current
        return CivilDay.nextStart(after: wall, dayStart: dayStart) { zone.spans(in: $0) }
    }

    /// How far the present zone's clocks are ahead of UTC at a wall time; below zero west of Greenwich.
    package func offset(at wall: Duration) -> Duration {
        .seconds(zones.current.offset(at: wall.wholeSeconds))
    }

    /// A notice each time the wall clock was set or the system's zone changed.
    public func notices() -> AsyncStream<ClockNotice> { sleepers.notices() }
}
