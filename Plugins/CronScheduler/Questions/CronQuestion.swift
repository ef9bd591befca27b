/// A question about the times of an expression, as it was asked: nothing in it is checked yet.
public struct CronQuestion: Sendable, Hashable {
    /// The most times one may ask for at once.
    public static let most = 1_000_000

    /// The expression's text.
    public var expression: String
    /// The zone; an expression's own goes before it.
    public var zone: ZoneSetting
    /// The time that is asked from, as ``TimeStamp`` reads it; `nil` for now.
    public var time: String?
    /// What an error calls ``time``: the member or option that it is from.
    public var timeName: String
    /// How many times are asked for, 1 to ``most``.
    public var count: Int

    /// A question of these parts.
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

/// The name of a zone, as it was asked for.
public struct ZoneSetting: Sendable, Hashable {
    /// The IANA name, such as `Europe/Riga`.
    public var name: String
    /// Whether the environment variable `TZ` says so, and not the question: an error then says so too.
    public var isEnvironment: Bool

    /// A zone of this name.
    public init(name: String, isEnvironment: Bool = false) {
        self.name = name
        self.isEnvironment = isEnvironment
    }
}

/// A question that makes sense, and its answers.
public struct CronInquiry: Sendable {
    /// The expression.
    public let expression: CronExpression
    /// The expression's own zone, or the question's.
    public let zone: ZoneRules
    /// The time that is asked from; `nil` for now.
    public private(set) var time: TimeStamp?
    /// How many times are asked for.
    public let count: Int

    /// Checks a question.
    ///
    /// - Parameters:
    ///   - question: what is asked.
    ///   - zones: the zones that were needed before; one that is new is added.
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

    /// Tells the times that follow, one by one.
    ///
    /// - Parameters:
    ///   - now: the present time since 1970-01-01T00:00:00Z, for a question without a time.
    ///   - tell: takes each time in seconds since 1970-01-01T00:00:00Z.
    /// - Returns: how many there were.
    /// - Throws: what `tell` throws.
    public func next<E: Error>(now: Duration, _ tell: (Int) throws(E) -> Void) throws(E) -> Int {
        var second = time?.second(in: zone) ?? Int(now.components.seconds)
        for number in 0..<count {
            guard let next = expression.nextSecond(after: second, in: zone) else { return number }
            try tell(next)
            second = next
        }
        return count
    }

    /// Tells the times that went before, the latest first; the rest is as in ``next(now:_:)``.
    public func previous<E: Error>(now: Duration, _ tell: (Int) throws(E) -> Void) throws(E) -> Int {
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

/// Zones by name, each made once, for many questions.
public struct ZoneCache: Sendable {
    /// More than there are: a bound whatever else the data may take for a name.
    private static let most = 1_000

    private var zones: [String: ZoneRules] = [:]

    /// No zones yet.
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
