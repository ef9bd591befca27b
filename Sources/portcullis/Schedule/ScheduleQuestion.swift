internal import CronScheduler
internal import PortcullisCore

/// A question about an expression, as it was asked.
struct ScheduleQuestion {
    /// The most times one may ask for at once.
    static let most = 1_000_000

    var expression: String
    /// An expression's own goes before it.
    var zone: ZoneSetting
    /// ISO 8601; `nil` for now.
    var time: String?
    /// The member or option that `time` is from.
    var timeName = "after"
    var count = 1
}

/// The name of a zone, as it was asked for.
struct ZoneSetting {
    var name: String
    /// Whether `TZ` says so, and not an option or member.
    var isEnvironment = false
}

/// A question that makes sense.
struct ScheduleInquiry {
    var expression: CronExpression
    var zone: ZoneRules
    var time: TimeStamp?
    var count: Int

    init(_ question: ScheduleQuestion, _ zones: inout ZoneCache) throws(ScheduleFailure) {
        do {
            expression = try CronExpression(question.expression)
        } catch {
            throw ScheduleFailure(error)
        }
        zone = try zones.zone(expression.zoneName.map { ZoneSetting(name: $0) } ?? question.zone)
        guard (1...ScheduleQuestion.most).contains(question.count) else {
            throw ScheduleFailure(
                field: "count",
                reason: "count \(question.count) is out of range 1–\(ScheduleQuestion.most)"
            )
        }
        count = question.count
        guard let text = question.time else { return }
        guard let time = TimeStamp(text) else {
            throw ScheduleFailure(
                field: question.timeName,
                reason: "“\(text)” is no ISO 8601 time",
                hint: "write 2026-11-21T08:30:00+02:00, Z for UTC, or no offset for the zone's own clocks"
            )
        }
        self.time = time
    }

    /// Tells the times that follow, one by one.
    ///
    /// - Returns: how many there were.
    func next(now: Duration, _ tell: (Int) throws(ToolFailure) -> Void) throws(ToolFailure) -> Int {
        var second = time?.second(in: zone) ?? Int(now.components.seconds)
        for number in 0..<count {
            guard let next = expression.nextSecond(after: second, in: zone) else { return number }
            try tell(next)
            second = next
        }
        return count
    }

    /// Tells the times that went before, the latest first.
    ///
    /// - Returns: how many there were.
    func previous(now: Duration, _ tell: (Int) throws(ToolFailure) -> Void) throws(ToolFailure) -> Int {
        // Fires are at whole seconds, and earlier than a time is earlier than the next second; an @every is counted
        // from the time itself.
        let isRoundedUp = expression.interval == nil
        var second =
            time.map { isRoundedUp ? $0.secondRoundedUp(in: zone) : $0.second(in: zone) }
            ?? Int(now.components.seconds) + (isRoundedUp ? 1 : 0)
        for number in 0..<count {
            guard let previous = expression.previousSecond(before: second, in: zone) else { return number }
            try tell(previous)
            second = previous
        }
        return count
    }
}

/// Zones by name, each made once.
struct ZoneCache {
    /// More than there are: a bound whatever else the data may take for a name.
    private static let most = 1_000

    private var zones: [String: ZoneRules] = [:]

    mutating func zone(_ setting: ZoneSetting) throws(ScheduleFailure) -> ZoneRules {
        let name = setting.name
        if let zone = zones[name] { return zone }
        guard let zone = ZoneRules(name) else {
            throw ScheduleFailure(
                field: "tz",
                reason: setting.isEnvironment
                    ? "TZ is set to “\(name)”, which names no time zone" : "there is no time zone “\(name)”",
                hint: setting.isEnvironment
                    ? "set it to an IANA name such as Europe/Riga, or pass --tz" : ZoneRules.hint(for: name)
            )
        }
        if zones.count >= Self.most { zones.removeAll() }
        zones[name] = zone
        return zone
    }
}
