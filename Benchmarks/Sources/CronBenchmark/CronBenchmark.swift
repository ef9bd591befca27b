internal import ArgumentParser

/// The contestant Portcullis, and what the contest needs besides: its inputs and its report.
@main
struct CronBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures CronScheduler; Benchmarks/cron runs it beside its peers.",
        subcommands: [
            WriteInputs.self, Facts.self, ReportCommand.self,
            Answers.self, SearchTimes.self,
            Memory.self, Changes.self, Burst.self, Lateness.self, Idle.self, Year.self, Zones.self,
        ]
    )
}
