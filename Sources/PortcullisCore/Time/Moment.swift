/// One boot of one machine: times since boot can be compared only within it.
public struct BootID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The system's text for this boot.
    public let rawValue: String
    /// A boot with the system's text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// The system's text.
    public var description: String { rawValue }
}

/// A point in time as far as it can be known: what the clock on the wall says, and how long this boot has run.
///
/// The wall clock tells dates, but the person can set it. The time since boot cannot be set, but means
/// nothing after a restart. Every time that is persisted is kept as both.
public struct Moment: Hashable, Sendable, Codable {
    /// Time since 1970-01-01T00:00:00Z by the wall clock, leap seconds not counted.
    public var wall: Duration
    /// Time since the machine was booted, time asleep included.
    public var sinceBoot: Duration
    /// The boot that ``sinceBoot`` counts from.
    public var boot: BootID

    /// A moment with these readings.
    public init(wall: Duration, sinceBoot: Duration, boot: BootID) {
        self.wall = wall
        self.sinceBoot = sinceBoot
        self.boot = boot
    }

    /// The time that has passed since an earlier moment, by the clock that cannot be moved.
    ///
    /// `nil` where it cannot be known: another boot, or an "earlier" moment that lies ahead (a machine put back
    /// to a snapshot). The caller then takes the stricter reading.
    public func elapsed(since earlier: Moment) -> Duration? {
        guard boot == earlier.boot, sinceBoot >= earlier.sinceBoot else { return nil }
        return sinceBoot - earlier.sinceBoot
    }

    /// The moment this much later on the same boot, with both clocks in step.
    public func advanced(by duration: Duration) -> Moment {
        Moment(wall: wall + duration, sinceBoot: sinceBoot + duration, boot: boot)
    }
}
