internal import ArgumentParser
internal import CronScheduler
internal import SystemClock

/// `portcullis schedule …`: what a cron expression says.
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

/// What all questions have in common.
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

    /// Answers, and tells what is wrong with the question as the options ask for it.
    func answer(_ argument: ExpressionArgument, _ body: (String) throws -> Void) throws {
        do {
            try body(try argument.expression)
        } catch let failure as CronQuestionError {
            throw try exit(failure, about: argument.text)
        }
    }

    /// What ends the command after a failure, which is told now if it is told in JSON.
    func exit(_ failure: CronQuestionError, about expression: String) throws(ToolFailure) -> any Error {
        guard json else { return ToolFailure(failure.message(about: expression), .usage) }
        try StandardOutput.write(json: FailureReport(failure: failure))
        return ToolExit.usage
    }
}

/// The expression, as the shell passed it on.
struct ExpressionArgument: ParsableArguments {
    // A list, since a shell makes many words of an expression without quotes, and file names of its stars.
    @Argument(help: ArgumentHelp("The expression, in quotes.", valueName: "expression"))
    private var words: [String] = []

    var isMissing: Bool { words.isEmpty }

    /// The expression, or nothing where it is not one argument.
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

/// How many times are asked for, as it was written.
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
