internal import ArgumentParser
internal import CronScheduler
internal import SystemClock

/// `portcullis schedule …`: what a cron expression says.
struct ScheduleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
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
    @Option(help: ArgumentHelp("The time zone, by its IANA name. (default: the system's)", valueName: "zone"))
    var tz: String?
    @Flag(help: "Answer in JSON; an error too: {\"error\":{\"position\",\"field\",\"reason\",\"hint\"}}.")
    var json = false

    func zone(_ clock: SystemClock) -> ZoneSetting {
        if let tz { return ZoneSetting(name: tz) }
        if let unknown = clock.unknownZoneSetting { return ZoneSetting(name: unknown, isEnvironment: true) }
        return ZoneSetting(name: clock.zone)
    }

    /// Answers, and tells what is wrong with the question as the options ask for it.
    func answer(about expression: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as ScheduleFailure {
            guard json else { throw ToolFailure(failure.message(about: expression), .usage) }
            try StandardOutput.write(json: FailureReport(failure: failure))
            throw ToolExit.usage
        }
    }
}
