public import AdapterKit
public import PortcullisCore

/// The machine's clock: wall time, time since boot including suspended time, and named time zones.
///
/// On Linux sleepers wait on kernel timers. One thread of the clock serves all sleepers. The thread starts
/// with the first sleeper or stream of ``notices()``, and ends with the clock. The timers count suspended
/// time. If the wall clock is changed, the sleepers whose deadline has then passed wake at once. On other
/// systems sleepers wait on Swift's continuous clock. There, sleepers with a wall time check that time each
/// minute.
///
/// The timers take up to four descriptors. While the process has no descriptor left for them, or the system
/// refuses them, sleepers wake up to 50 milliseconds late. Changes of the clock and the zone are not noticed
/// in this time. So ``notices()`` yields each notice once as soon as there are timers.
public final class SystemClock: LockClock {
    private let boot: BootID
    private let zones: ZoneReader
    private let sleepers: any SleepService

    /// Makes a clock in the zone that the environment variable `TZ` names. If `TZ` is not set or empty, the
    /// clock uses the system's zone, and follows each change of the system's zone.
    public convenience init() { self.init(zones: ZoneReader()) }

    /// Makes a clock that stays in one zone.
    ///
    /// - Returns: `nil` if the zone cannot be read, for instance because no zone has this IANA name.
    public convenience init?(zone: String) {
        do throws(ZoneFileError) { try self.init(inZone: zone) } catch { return nil }
    }

    /// Makes a clock that stays in one zone, and follows changes of the zone's data.
    ///
    /// - Throws: ``/AdapterKit/ZoneFileError``: ``/AdapterKit/ZoneFileErrorCode/unknownZone``,
    ///   ``/AdapterKit/ZoneFileErrorCode/noZoneFiles`` on a system without zone files, and the other codes
    ///   for a file that cannot be used.
    public convenience init(inZone zone: String) throws(ZoneFileError) {
        self.init(zones: try ZoneReader(fixed: zone))
    }

    init(zones: ZoneReader) {
        self.boot = SystemTime.bootID()
        self.zones = zones
        self.sleepers = makeSleepService()
    }

    deinit { sleepers.stop() }

    /// Starts the clock's thread early, for a host whose sleepers must wake even if the system has no thread
    /// left later.
    ///
    /// - Throws: `ThreadRefusal` if the system has no thread left.
    package func start() throws(ThreadRefusal) { try sleepers.start() }

    /// The present moment.
    ///
    /// If the system has no readable boot id, the clock uses a random id. The age of the times that another
    /// process wrote is then unknown, and the lock treats an unknown age as too old.
    public var now: Moment {
        let (wall, sinceBoot) = SystemTime.read()
        return Moment(wall: wall, sinceBoot: sinceBoot, boot: boot)
    }

    /// Whether the kernel reports that its clock is synchronised with a time source.
    public var isSynchronised: Bool { SystemTime.isSynchronised }

    /// The IANA name of the present zone.
    public var zone: String { zones.name }

    /// The value of `TZ` if it is neither a zone's name nor a plain offset such as `EST5`. For such a value
    /// the clock uses UTC. In all other cases this property is `nil`.
    public var unknownZoneSetting: String? { zones.unknownSetting }

    /// The error if the clock's zone cannot be read now; otherwise `nil`. After an error the clock uses the
    /// earlier data of that zone, or UTC.
    public var zoneProblem: ZoneFileError? { zones.problem }

    /// Waits until the deadline.
    public func sleep(until deadline: ClockDeadline) async throws(CancellationError) {
        try await sleepers.sleep(until: deadline)
    }

    /// The calendar day that contains a wall time, in the present zone.
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

    /// The present zone's offset from UTC at a wall time, negative west of Greenwich.
    package func offset(at wall: Duration) -> Duration {
        .seconds(zones.current.offset(at: wall.wholeSeconds))
    }

    /// Returns a stream with a notice for each change of the wall clock's setting or of the system's zone.
    public func notices() -> AsyncStream<ClockNotice> { sleepers.notices() }
}
