internal import ArgumentParser
internal import CronScheduler
internal import SystemClock

/// `portcullis schedule …`: the meaning and the times of cron expressions.
struct ScheduleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        _superCommandName: "portcullis",
        abstract: "Ask when a cron expression fires, what it says, and what may be wrong with it.",
        discussion: """
            An expression has five fields (minute, hour, day, month, weekday), six with the second first, or seven \
            with the year last; or it is @daily or one of its kin, @every 90m, or @reboot. Pass it as one argument, \
            in quotes. CRON_TZ=ZONE before the fields goes before --tz.

            Times are ISO 8601 with offset. An expression that cannot be read, like any other invalid input, \
            leaves with exit status 2.
            """,
        subcommands: [NextTimes.self, PreviousTimes.self, CheckExpression.self, ExplainExpression.self]
    )
}

struct ScheduleOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The time zone, by its IANA name. (default: the system's)", valueName: "zone"),
        completion: NameCompletion.zones
    )
    var tz: String?
    @Flag(help: "Answer in JSON; an error too: {\"error\":{\"position\",\"field\",\"reason\",\"hint\"}}.")
    var json = false

    func zone(_ clock: SystemClock) -> ZoneSetting {
        if let tz { return ZoneSetting(name: tz) }
        if let unknown = clock.unknownZoneSetting { return ZoneSetting(name: unknown, isEnvironment: true) }
        return ZoneSetting(name: clock.zone)
    }

    /// Passes the expression to the command's work. If the expression or another argument is invalid, the
    /// failure is reported in the format that the options request.
    func answer(_ argument: ExpressionArgument, _ body: (String) throws -> Void) throws {
        do {
            try body(try argument.expression)
        } catch let failure as CronQuestionError {
            throw try exit(failure, about: argument.text)
        }
    }

    /// Returns the error that ends the command after a failure. With `--json` this method writes the failure.
    func exit(_ failure: CronQuestionError, about expression: String) throws(ToolFailure) -> any Error {
        guard json else { return ToolFailure(failure.message(about: expression), .usage) }
        try StandardOutput.write(json: FailureReport(failure: failure))
        return ToolExit.usage
    }
}

struct ExpressionArgument: ParsableArguments {
    // The argument is a list, because a shell splits an expression without quotes and expands its stars.
    @Argument(help: ArgumentHelp("The expression, in quotes.", valueName: "expression"))
    private var words: [String] = []

    var isMissing: Bool { words.isEmpty }

    /// The expression; empty if it is not exactly one argument.
    var text: String { words.count == 1 ? words[0] : "" }

    var expression: String {
        get throws(CronQuestionError) {
            let hint = "pass it as one argument, in quotes: '0 9 * * *'"
            guard !isMissing else { throw CronQuestionError(reason: "the expression is missing", hint: hint) }
            guard words.count == 1 else {
                throw CronQuestionError(reason: "the expression is \(words.count) arguments", hint: hint)
            }
            return words[0]
        }
    }
}

/// The value of `--count` as text: how many of an expression's times are listed.
struct CountArgument: ExpressibleByArgument {
    private let text: String

    init(argument: String) { text = argument }

    var number: Int {
        get throws(CronQuestionError) {
            guard let number = Int(text) else {
                throw CronQuestionError(field: "count", reason: "count “\(text)” is not a whole number")
            }
            return number
        }
    }
}
