internal import AdapterKit
internal import PortcullisCore

/// A cron expression: a rule for the times at which something happens repeatedly.
///
/// An expression has five fields as in POSIX crontab(5): minute, hour, day of the month, month, weekday. A
/// sixth field, the second, may stand before them. A seventh field, the year, may then stand at the end. The
/// extensions of Quartz and of the open cron pattern specification are allowed: `L`, `L-3`, `LW`, `15W`,
/// `5L`, `5#2`, `5#L`, wrap-around ranges, `@daily` and the like, `@every 90m`, `@reboot`, and a leading
/// `CRON_TZ=Europe/Riga`. <doc:CronSyntax> lists all forms. <doc:CronPolicies> says what happens when clocks
/// change.
///
/// ```swift
/// let expression = try CronExpression("30 4 * * MON-FRI")
/// let zone = ZoneRules("Europe/Riga")!
/// let next = expression.next(after: clock.now.wall, in: zone)
/// ```
public struct CronExpression: Hashable, Sendable {
    /// The kinds of expression.
    enum Rule: Hashable, Sendable {
        case fields(FieldSets)
        case every(seconds: Int)
        case reboot
    }

    let rule: Rule

    /// The zone of a leading `CRON_TZ=` or `TZ=`; `nil` without one.
    ///
    /// A ``CronScheduler`` prefers this zone to every other zone. The search methods, such as
    /// ``next(after:in:)``, ignore this zone and use the zone that the caller passes. A caller should pass
    /// this zone if it is not `nil`.
    public let zoneName: String?

    /// Reads an expression.
    ///
    /// - Throws: ``CronSyntaxError`` with position, field, reason and hint, if the text is not a cron expression.
    public init(_ text: String) throws(CronSyntaxError) {
        try self.init(text) { ZoneRules.exists($0) }
    }

    init(_ text: String, isZone: (String) -> Bool) throws(CronSyntaxError) {
        var parser = ExpressionParser(text)
        rule = try parser.parse(isZone: isZone)
        zoneName = parser.zoneName
    }

    init(rule: Rule, zoneName: String?) {
        self.rule = rule
        self.zoneName = zoneName
    }

    /// Whether the expression is `@reboot`. It is due once after the machine has started, and has no times
    /// that could be computed.
    public var isReboot: Bool { rule == .reboot }

    /// The pause between two times of an `@every` expression; `nil` for all other expressions. In a
    /// ``CronScheduler``, the first pause begins when the job is added.
    public var interval: Duration? {
        guard case .every(let seconds) = rule else { return nil }
        return .seconds(seconds)
    }

    /// Whether the expression can never fire, such as `0 0 30 2 *`.
    ///
    /// The result is exact. The search covers all years that the expression names. If the expression names no
    /// years, the search covers 400 years, because the calendar repeats after that time. If daylight saving
    /// time skips the expression's times, the expression still fires, and the result is `false`.
    public var neverFires: Bool {
        guard case .fields(let sets) = rule else { return false }
        return sets.date(from: 0) == nil && sets.date(upTo: 0) == nil
    }
}

// The times at which an expression fires.
extension CronExpression {
    /// The limit for all times that are searched for, in seconds before or after 1970: some 500 million years.
    /// The sum of a second up to this limit and a zone's offset does not overflow.
    static let horizon = 1 << 54

    /// Finds the first second after `second` at which the expression fires.
    ///
    /// - Parameters:
    ///   - second: seconds since 1970-01-01T00:00:00Z.
    ///   - zone: the zone whose clocks apply, even if the expression names another zone in ``zoneName``.
    /// - Returns: seconds since 1970, or `nil` if the expression does not fire again within some 500 million
    ///   years of 1970; for `@every` the end of a pause that begins at `second`; for `@reboot` always `nil`.
    public func nextSecond(after second: Int, in zone: ZoneRules) -> Int? {
        rule.next(after: second, in: zone)
    }

    /// Finds the last second before `second` at which the expression fires. Parameters and result are as in
    /// ``nextSecond(after:in:)``. For `@every` the result is the start of a pause that ends at `second`.
    public func previousSecond(before second: Int, in zone: ZoneRules) -> Int? {
        rule.previous(before: second, in: zone)
    }

    /// Finds the first time after `wall` at which the expression fires.
    ///
    /// - Parameters:
    ///   - wall: the time since 1970-01-01T00:00:00Z, which may have fractions of a second.
    ///   - zone: the zone whose clocks apply, even if the expression names another zone in ``zoneName``.
    /// - Returns: the time since 1970, or `nil` if the expression never fires again.
    public func next(after wall: Duration, in zone: ZoneRules) -> Duration? {
        if let interval { return Self.sum(wall, interval) }
        let wall = Self.clamped(wall)
        // The expression fires only at whole seconds, so a fraction of a second in the given time is dropped.
        return nextSecond(after: wall.wholeSeconds, in: zone).map { .seconds($0) }
    }

    /// Finds the last time before `wall` at which the expression fires. Parameters and result are as in
    /// ``next(after:in:)``.
    public func previous(before wall: Duration, in zone: ZoneRules) -> Duration? {
        if let interval { return Self.sum(wall, .zero - interval) }
        let wall = Self.clamped(wall)
        let second = wall.wholeSeconds
        return previousSecond(before: .seconds(second) == wall ? second : second + 1, in: zone)
            .map { .seconds($0) }
    }

    private static let times: ClosedRange<Duration> = .seconds(-horizon) ... .seconds(horizon)

    private static func clamped(_ wall: Duration) -> Duration {
        min(max(wall, times.lowerBound), times.upperBound)
    }

    /// Adds a pause to a time. The result is `nil` if the time or the sum is beyond the limit for times.
    private static func sum(_ wall: Duration, _ pause: Duration) -> Duration? {
        guard times.contains(wall) else { return nil }
        let sum = wall + pause
        return times.contains(sum) ? sum : nil
    }

    /// Adds a pause to a second. The result is `nil` if the second or the sum is beyond ``horizon``.
    fileprivate static func sum(_ second: Int, _ pause: Int) -> Int? {
        guard second.magnitude <= horizon else { return nil }
        let (sum, overflow) = second.addingReportingOverflow(pause)
        return overflow || sum.magnitude > horizon ? nil : sum
    }
}

extension CronExpression.Rule {
    func next(after second: Int, in zone: ZoneRules) -> Int? {
        switch self {
        case .fields(let sets): return sets.next(after: second, in: zone)
        case .every(let seconds): return CronExpression.sum(second, seconds)
        case .reboot: return nil
        }
    }

    func previous(before second: Int, in zone: ZoneRules) -> Int? {
        switch self {
        case .fields(let sets): return sets.previous(before: second, in: zone)
        case .every(let seconds): return CronExpression.sum(second, -seconds)
        case .reboot: return nil
        }
    }
}
