/// A question about the times of an expression. The parts of the question are not checked yet.
public struct CronQuestion: Sendable, Hashable {
    /// The largest number of times in one question.
    public static let most = 1_000_000

    /// The expression's text.
    public var expression: String
    /// The zone of the question. A zone in the expression takes precedence.
    public var zone: ZoneSetting
    /// The time from which to search, in a form that ``TimeStamp`` reads; `nil` for the present time.
    public var time: String?
    /// The name of the JSON member or command-line option from which ``time`` comes. An error about the time
    /// contains this name.
    public var timeName: String
    /// The number of times to find, from 1 to ``most``.
    public var count: Int

    /// Makes a question of these parts.
    public init(
        expression: String,
        zone: ZoneSetting,
        time: String? = nil,
        timeName: String = "after",
        count: Int = 1
    ) {
        self.expression = expression
        self.zone = zone
        self.time = time
        self.timeName = timeName
        self.count = count
    }
}

/// The name of a zone, and where the name comes from.
public struct ZoneSetting: Sendable, Hashable {
    /// The IANA name, such as `Europe/Riga`.
    public var name: String
    /// Whether the name comes from the environment variable `TZ`. If so, an error about the zone mentions
    /// `TZ`.
    public var isEnvironment: Bool

    /// Makes the setting of a zone with this name.
    public init(name: String, isEnvironment: Bool = false) {
        self.name = name
        self.isEnvironment = isEnvironment
    }
}

/// A question that was checked, and its answers.
public struct CronInquiry: Sendable {
    /// The expression of the question.
    public let expression: CronExpression
    /// The zone in the expression, or else the zone of the question.
    public let zone: ZoneRules
    /// The time from which to search; `nil` for the present time.
    public private(set) var time: TimeStamp?
    /// The number of times to find.
    public let count: Int

    /// Checks a question.
    ///
    /// - Parameters:
    ///   - question: the question to check.
    ///   - zones: the zones that earlier questions needed. A new zone is added to them.
    /// - Throws: ``CronQuestionError`` for an expression, a zone, a time or a count that cannot be read.
    public init(_ question: CronQuestion, _ zones: inout ZoneCache) throws(CronQuestionError) {
        do {
            expression = try CronExpression(question.expression)
        } catch {
            throw CronQuestionError(error)
        }
        zone = try zones.zone(expression.zoneName.map { ZoneSetting(name: $0) } ?? question.zone)
        guard (1...CronQuestion.most).contains(question.count) else {
            throw CronQuestionError(
                field: "count",
                reason: "count \(question.count) is out of range 1–\(CronQuestion.most)"
            )
        }
        count = question.count
        guard let text = question.time else { return }
        guard let time = TimeStamp(text) else {
            throw CronQuestionError(
                field: question.timeName,
                reason: "“\(text)” is no ISO 8601 time",
                hint: "write 2026-11-21T08:30:00+02:00, Z for UTC, or no offset for the zone's own clocks"
            )
        }
        self.time = time
    }

    /// Finds the next times, and passes them on one by one.
    ///
    /// - Parameters:
    ///   - now: the present time since 1970-01-01T00:00:00Z. If the question has no time, the search starts
    ///     from the present time.
    ///   - tell: receives each time in seconds since 1970-01-01T00:00:00Z.
    /// - Returns: the number of times that were found.
    /// - Throws: the errors of `tell`.
    public func next<E: Error>(now: Duration, _ tell: (Int) throws(E) -> Void) throws(E) -> Int {
        var second = time?.second(in: zone) ?? Int(now.components.seconds)
        for number in 0..<count {
            guard let next = expression.nextSecond(after: second, in: zone) else { return number }
            try tell(next)
            second = next
        }
        return count
    }

    /// Finds the previous times, the latest first. Parameters, result and errors are those of ``next(now:_:)``.
    public func previous<E: Error>(now: Duration, _ tell: (Int) throws(E) -> Void) throws(E) -> Int {
        // An expression with fields may fire at the start of the second that contains the given time. The
        // search looks only before the second that it gets, so the given time is rounded up. An `@every`
        // expression counts its pause from the given time, so this time is not rounded up.
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

/// A cache of zones by name. Many questions share one cache, so that each zone is made once.
public struct ZoneCache: Sendable {
    /// The largest number of cached zones. The tz database has fewer zones, but a system may accept several
    /// names for one zone.
    private static let most = 1_000

    private var zones: [String: ZoneRules] = [:]

    /// Makes an empty cache.
    public init() {}

    mutating func zone(_ setting: ZoneSetting) throws(CronQuestionError) -> ZoneRules {
        let name = setting.name
        if let zone = zones[name] { return zone }
        guard let zone = ZoneRules(name) else {
            throw CronQuestionError(
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
