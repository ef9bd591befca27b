internal import AdapterKit
internal import ArgumentParser
internal import CronScheduler
internal import PortcullisCore
internal import SystemClock

struct NextTimes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next",
        abstract: "Tell when an expression fires next; exit status 1 when there is no further time.",
        discussion: """
            @every is counted from --after; @reboot has no times.

            With --batch each line of standard input is an object {"expr","tz","after","count"}; all but expr may be \
            left out, and the options stand in for them. Each is answered by a line {"next":[…]}, empty when there \
            is no further time, or {"error":{"position","field","reason","hint"}}, in the same order; position is \
            null when the mistake is not in the expression. A bad line, also one above 64 KiB, does not stop the \
            stream, and blank lines are passed over; the exit status is 0 once all input was answered.
            """
    )

    @OptionGroup var argument: ExpressionArgument
    @OptionGroup var options: ScheduleOptions
    // A value may begin with `-` as an option does, because a year may be negative.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only later times: ISO 8601, without an offset by the zone's clocks. (default: now)",
            valueName: "time"
        )
    )
    var after: String?
    @Option(help: "How many times. (default: 1)") var count: CountArgument?
    @Flag(help: "Answer lines of JSON from standard input.") var batch = false

    func run() async throws {
        let clock = SystemClock()
        guard !batch else { return try await answerLines(clock) }
        try options.answer(argument) { expression in
            let question = try question(expression, clock)
            try TimesReport(member: "next", question, options, now: clock.now.wall).write {
                (inquiry, now, tell) throws(ToolFailure) in
                try inquiry.next(now: now, tell)
            }
        }
    }

    private func question(_ expression: String, _ clock: SystemClock) throws(CronQuestionError)
        -> CronQuestion
    {
        CronQuestion(
            expression: expression,
            zone: options.zone(clock),
            time: after,
            count: try count?.number ?? 1
        )
    }

    private func answerLines(_ clock: SystemClock) async throws {
        do {
            guard argument.isMissing else {
                throw CronQuestionError(reason: "--batch takes its expressions from standard input")
            }
            let question = try question("", clock)
            try await WorkerThread().run { () throws(ToolFailure) in
                try ScheduleBatch(defaults: question, clock: clock).run()
            }
        } catch let failure as CronQuestionError {
            throw try options.exit(failure, about: "")
        }
    }
}

struct PreviousTimes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "previous",
        abstract: "Tell when an expression fired last; exit status 1 when there is no earlier time.",
        discussion:
            "The latest time comes first. @every is counted back from --before; @reboot has no times.",
        aliases: ["prev"]
    )

    @OptionGroup var argument: ExpressionArgument
    @OptionGroup var options: ScheduleOptions
    // A value may begin with `-` as an option does, because a year may be negative.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Only earlier times: ISO 8601, without an offset by the zone's clocks. (default: now)",
            valueName: "time"
        )
    )
    var before: String?
    @Option(help: "How many times. (default: 1)") var count: CountArgument?

    @Option(parsing: .unconditional, help: .hidden) var after: String?

    func run() async throws {
        let clock = SystemClock()
        try options.answer(argument) { expression in
            guard before == nil || after == nil else {
                throw CronQuestionError(
                    field: "after",
                    reason: "--after means --before here; pass one of them"
                )
            }
            let question = CronQuestion(
                expression: expression,
                zone: options.zone(clock),
                time: before ?? after,
                timeName: after == nil ? "before" : "after",
                count: try count?.number ?? 1
            )
            try TimesReport(member: "previous", question, options, now: clock.now.wall).write {
                (inquiry, now, tell) throws(ToolFailure) in
                try inquiry.previous(now: now, tell)
            }
        }
    }
}

/// Writes times, each on a line, or all as one line of JSON.
private struct TimesReport {
    private let member: String
    private let inquiry: CronInquiry
    private let json: Bool
    private let now: Duration

    init(
        member: String,
        _ question: CronQuestion,
        _ options: ScheduleOptions,
        now: Duration
    ) throws(CronQuestionError) {
        var zones = ZoneCache()
        self.member = member
        self.inquiry = try CronInquiry(question, &zones)
        self.json = options.json
        self.now = now
    }

    func write(
        _ times: (CronInquiry, Duration, (Int) throws(ToolFailure) -> Void) throws(ToolFailure) -> Int
    ) throws {
        var output = OutputBuffer()
        var isFirst = true
        if json { output.append("{\"\(member)\":[") }
        let count = try times(inquiry, now) { (second) throws(ToolFailure) in
            if json {
                output.append(isFirst ? "\"" : ",\"")
                output.append(second, in: inquiry.zone)
                output.append("\"")
            } else {
                output.append(second, in: inquiry.zone)
                output.append("\n")
            }
            isFirst = false
            try output.flushIfFull()
        }
        if json { output.append("]}\n") }
        try output.flush()
        if count < inquiry.count { throw ToolFailure(nothing(after: count), .no) }
    }

    private func nothing(after count: Int) -> String {
        if inquiry.expression.isReboot {
            return "@reboot has no times: it fires once when the machine has started"
        }
        if inquiry.expression.neverFires { return "it never fires" }
        return "there is no \(count > 0 ? "further " : "")\(member) time"
    }
}
