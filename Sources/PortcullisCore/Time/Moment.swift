/// Identifies one boot of one machine. Times since boot can be compared only within one boot.
public struct BootID: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The system's text for this boot.
    public let rawValue: String
    /// Makes an id from the system's text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// The system's text.
    public var description: String { rawValue }
}

/// A point in time: the time of the wall clock, and the time since boot.
///
/// The wall clock gives the date, but a person can set it. The time since boot cannot be set, but means
/// nothing after a restart. Every stored time therefore holds both.
public struct Moment: Hashable, Sendable, Codable {
    /// Time since 1970-01-01T00:00:00Z by the wall clock, without leap seconds.
    public var wall: Duration
    /// Time since the machine was booted, including suspended time.
    public var sinceBoot: Duration
    /// The boot that ``sinceBoot`` counts from.
    public var boot: BootID

    /// Makes a moment with these readings.
    public init(wall: Duration, sinceBoot: Duration, boot: BootID) {
        self.wall = wall
        self.sinceBoot = sinceBoot
        self.boot = boot
    }

    /// The time that has passed since an earlier moment, by the boot clock, which cannot be set.
    ///
    /// The result is `nil` when the time cannot be known: the boots differ, or `earlier` lies after this
    /// moment because the machine was restored from a snapshot. The caller then has to choose the safe
    /// result. For example, it locks the app, or does not shorten a delay.
    public func elapsed(since earlier: Moment) -> Duration? {
        guard boot == earlier.boot, sinceBoot >= earlier.sinceBoot else { return nil }
        return sinceBoot - earlier.sinceBoot
    }

    /// The moment that lies this duration later in the same boot. Both clocks move by the same amount.
    public func advanced(by duration: Duration) -> Moment {
        Moment(wall: wall + duration, sinceBoot: sinceBoot + duration, boot: boot)
    }
}
