internal import ArgumentParser
internal import CronScheduler
internal import PortcullisCore
internal import SystemClock

struct CheckExpression: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract:
            "Check an expression; exit status 0 when it is valid, also with warnings, and 2 when it is not.",
        discussion: """
            Warnings tell of likely mistakes: months without the 31st, two day fields of which either is enough, \
            times that daylight saving time leaves out or repeats in the zone within two years.
            """
    )

    @OptionGroup var argument: ExpressionArgument
    @OptionGroup var options: ScheduleOptions

    func run() async throws {
        let clock = SystemClock()
        var zones = ZoneCache()
        do {
            let expression = try argument.expression
            let question = CronQuestion(expression: expression, zone: options.zone(clock))
            let inquiry = try CronInquiry(question, &zones)
            try CheckReport(inquiry, expression, now: clock.now.wall).write(asJSON: options.json)
        } catch let failure as CronQuestionError {
            guard options.json else { throw ToolFailure(failure.message(about: argument.text), .usage) }
            try StandardOutput.write(json: InvalidReport(failure: failure))
            throw ToolExit.usage
        }
    }
}

/// The result of `check` for a valid expression.
private struct CheckReport: Encodable {
    struct Warning: Encodable {
        var code: String
        var field: String?
        var message: String
        var hint: String?
    }

    var valid = true
    /// The expression's canonical text.
    var expression: String
    var neverFires: Bool
    var warnings: [Warning]
    /// The number of warnings that are left out; `nil` if none is left out.
    var moreWarnings: Int?
    var timeZone: String
    var timeZoneData: String

    init(_ inquiry: CronInquiry, _ text: String, now: Duration) throws(CronQuestionError) {
        expression = inquiry.expression.description
        neverFires = inquiry.expression.neverFires
        timeZone = inquiry.zone.name
        timeZoneData = ZoneRules.dataVersion
        do {
            let second = Int(now.components.seconds)
            let all = try CronExpression.warnings(of: text, in: inquiry.zone, from: second).map {
                Warning(
                    code: $0.code.description,
                    field: $0.field?.rawValue,
                    message: $0.message.cut(to: Self.longest),
                    hint: $0.hint?.cut(to: Self.longest)
                )
            }
            warnings = Self.first(of: all)
            moreWarnings = warnings.count < all.count ? all.count - warnings.count : nil
        } catch {
            throw CronQuestionError(error)
        }
    }

    /// The largest length of a message or a hint, in bytes. The rest is cut off.
    private static let longest = 400
    /// The largest size of all warnings together as JSON, in bytes. A person would not read more.
    private static let most = 1_800

    /// Returns the first warnings, up to ``most`` bytes. Sensible expressions have fewer warnings.
    private static func first(of warnings: [Warning]) -> [Warning] {
        var bytes = 0
        return Array(
            warnings.prefix { warning in
                bytes += warning.message.utf8.count + (warning.hint?.utf8.count ?? 0) + 80
                return bytes <= most
            }
        )
    }

    func write(asJSON json: Bool) throws {
        if json { return try StandardOutput.write(json: self) }
        try StandardOutput.write(line: "valid: \(expression)")
        for warning in warnings {
            try StandardOutput.write(line: "warning: \(warning.message)")
            if let hint = warning.hint { try StandardOutput.write(line: "  \(hint)") }
        }
        if let moreWarnings {
            try StandardOutput.write(line: "and \(moreWarnings) more warning\(moreWarnings == 1 ? "" : "s")")
        }
        try StandardOutput.write(line: "time zone \(timeZone), data \(timeZoneData)")
    }
}

/// The result of `check` for an invalid expression.
private struct InvalidReport: Encodable {
    private enum Member: CodingKey { case valid }

    var failure: CronQuestionError

    func encode(to encoder: any Encoder) throws {
        try FailureReport(failure: failure).encode(to: encoder)
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(false, forKey: .valid)
    }
}

struct ExplainExpression: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say an expression in plain English, and its next three times."
    )

    private static let times = 3
    /// The largest length of an explanation, in bytes: about ten lines. A person would not read more.
    private static let longest = 1_000

    @OptionGroup var argument: ExpressionArgument
    @OptionGroup var options: ScheduleOptions

    /// The answer as JSON.
    private struct Report: Encodable {
        var explanation: String
        /// The expression's canonical text.
        var expression: String
        var next: [String]
    }

    func run() async throws {
        let clock = SystemClock()
        try options.answer(argument) { expression in
            let question = CronQuestion(expression: expression, zone: options.zone(clock), count: Self.times)
            var zones = ZoneCache()
            let inquiry = try CronInquiry(question, &zones)
            var times: [String] = []
            _ = try inquiry.next(now: clock.now.wall) { (second) throws(ToolFailure) in
                times.append(TimeStamp.text(second, in: inquiry.zone))
            }
            let explanation = inquiry.expression.explanation.cut(to: Self.longest)
            guard !options.json else {
                let report = Report(
                    explanation: explanation,
                    expression: inquiry.expression.description,
                    next: times
                )
                return try StandardOutput.write(json: report)
            }
            try StandardOutput.write(line: explanation)
            for time in times { try StandardOutput.write(line: time) }
            guard times.isEmpty, !inquiry.expression.isReboot else { return }
            try StandardOutput.write(
                line: inquiry.expression.neverFires ? "It never fires." : "It does not fire any more."
            )
        }
    }
}
