internal import AdapterKit
internal import PortcullisCore

/// A cron expression: when something happens, again and again.
///
/// Five fields (minute, hour, day of the month, month, weekday) as in POSIX crontab(5), six with seconds first,
/// seven with a year last, with the extensions of Quartz and of the open cron pattern specification: `L`, `L-3`,
/// `LW`, `15W`, `5L`, `5#2`, `5#L`, wrap-around ranges, `@daily` and its kin, `@every 90m`, `@reboot`, and a
/// leading `CRON_TZ=Europe/Riga`. <doc:CronSyntax> tells it all, <doc:CronPolicies> what happens when clocks change.
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

    /// The zone of a leading `CRON_TZ=` or `TZ=`.
    ///
    /// A ``CronScheduler`` follows it before any other. A caller that asks for times names the zone with each
    /// question: this one, where there is one.
    public let zoneName: String?

    /// Reads an expression.
    ///
    /// - Throws: ``CronSyntaxError`` with position, field, reason and hint when the text is no expression.
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

    /// Whether it is `@reboot`: due once when the machine has started, and at no time that could be told.
    public var isReboot: Bool { rule == .reboot }

    /// The pause of an `@every`, which is anchored where it is started; `nil` for all others.
    public var interval: Duration? {
        guard case .every(let seconds) = rule else { return nil }
        return .seconds(seconds)
    }

    /// Whether it can never fire, such as `0 0 30 2 *`.
    ///
    /// Exact: the dates of 400 years, after which the calendar repeats, or of the years it names, are looked at. A
    /// time that only daylight saving time leaves out does not count.
    public var neverFires: Bool {
        guard case .fields(let sets) = rule else { return false }
        return sets.date(from: 0) == nil && sets.date(upTo: 0) == nil
    }
}

// Times.
extension CronExpression {
    /// The first second later than this one at which it fires.
    ///
    /// - Parameters:
    ///   - second: seconds since 1970-01-01T00:00:00Z.
    ///   - zone: whose clocks it goes by, also where the expression names another in ``zoneName``.
    /// - Returns: seconds since 1970, or `nil` when it never fires again; for `@every` the end of one pause; for
    ///   `@reboot` always `nil`.
    public func nextSecond(after second: Int, in zone: ZoneRules) -> Int? {
        rule.next(after: second, in: zone)
    }

    /// The last second earlier than this one at which it fires: the inverse of ``nextSecond(after:in:)``.
    public func previousSecond(before second: Int, in zone: ZoneRules) -> Int? {
        rule.previous(before: second, in: zone)
    }

    /// The first time later than this one at which it fires.
    ///
    /// - Parameters:
    ///   - wall: time since 1970-01-01T00:00:00Z, also with fractions of a second.
    ///   - zone: whose clocks it goes by, also where the expression names another in ``zoneName``.
    /// - Returns: time since 1970, or `nil` when it never fires again.
    public func next(after wall: Duration, in zone: ZoneRules) -> Duration? {
        if let interval { return wall + interval }
        // Fires are at whole seconds: later than a time is later than its second.
        return nextSecond(after: wall.wholeSeconds, in: zone).map { .seconds($0) }
    }

    /// The last time earlier than this one at which it fires: the inverse of ``next(after:in:)``.
    public func previous(before wall: Duration, in zone: ZoneRules) -> Duration? {
        if let interval { return wall - interval }
        let second = wall.wholeSeconds
        return previousSecond(before: .seconds(second) == wall ? second : second + 1, in: zone)
            .map { .seconds($0) }
    }
}

extension CronExpression.Rule {
    func next(after second: Int, in zone: ZoneRules) -> Int? {
        switch self {
        case .fields(let sets): return sets.next(after: second, in: zone)
        case .every(let seconds):
            let (sum, overflow) = second.addingReportingOverflow(seconds)
            return overflow ? nil : sum
        case .reboot: return nil
        }
    }

    func previous(before second: Int, in zone: ZoneRules) -> Int? {
        switch self {
        case .fields(let sets): return sets.previous(before: second, in: zone)
        case .every(let seconds):
            let (difference, overflow) = second.subtractingReportingOverflow(seconds)
            return overflow ? nil : difference
        case .reboot: return nil
        }
    }
}
