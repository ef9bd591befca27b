internal import ArgumentParser
internal import CronScheduler

/// Prints the answers to all questions of the mixed set, to be compared before anything is timed.
struct Answers: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints zone, expression, instant and next time."
    )

    @Argument(help: "The folder of the inputs.") var inputs: String

    func run() throws {
        let inputs = try Inputs(folder: inputs)
        for zone in try Inputs.zones() {
            for (index, row) in inputs.rows.enumerated() where row.group == .mixed {
                for second in inputs.instants {
                    let next = row.expression.nextSecond(after: second, in: zone)
                    print(zone.name, index, second, next ?? 0, separator: "\t")
                }
            }
        }
    }
}
