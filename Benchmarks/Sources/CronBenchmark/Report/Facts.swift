internal import ArgumentParser
internal import CronScheduler

/// Prints what only the library knows of the conditions.
struct Facts: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the version of the time zone data.")

    func run() { print("time zone data \(ZoneRules.dataVersion)") }
}
