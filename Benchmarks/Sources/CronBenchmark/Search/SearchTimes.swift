internal import ArgumentParser
internal import CronScheduler

/// Times the search for the next time, and reading expressions.
struct SearchTimes: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "times",
        abstract: "Prints measure, zone, expression and nanoseconds."
    )

    private static let passes = 10

    @Argument(help: "The folder of the inputs.") var inputs: String

    func run() throws {
        let inputs = try Inputs(folder: inputs)
        for zone in try Inputs.zones() {
            for (index, row) in inputs.rows.enumerated() {
                for (measure, nanoseconds) in times(of: row, in: zone, inputs) {
                    ResultLine(measure: measure, zone: zone.name, index: index, value: nanoseconds).write()
                }
            }
            ResultLine(measure: "cold", zone: zone.name, value: cold(in: zone, inputs)).write()
        }
        try tellParsing(inputs)
    }

    private func times(of row: Inputs.Row, in zone: ZoneRules, _ inputs: Inputs) -> [(String, Double)] {
        let expression = row.expression
        switch row.group {
        case .mixed:
            return [("next", perCall(expression, inputs.instants, zone))]
        case .sparse:
            return [
                ("sparse", perCall(expression, inputs.instants, zone)),
                ("sparse-worst", worst(expression, inputs.instants, zone)),
                ("century", perCall(expression, inputs.century, zone)),
                ("century-worst", worst(expression, inputs.century, zone)),
            ]
        case .never:
            return [("never", perCall(expression, inputs.instants.prefix(20), zone))]
        }
    }

    /// The time of one call in a loop over the instants.
    private func perCall(_ expression: CronExpression, _ instants: some Collection<Int>, _ zone: ZoneRules)
        -> Double
    {
        Stopwatch.best(of: Self.passes, calls: instants.count) {
            var sum = 0
            for second in instants { sum &+= expression.nextSecond(after: second, in: zone) ?? 0 }
            Stopwatch.keep(sum)
        }
    }

    /// The time of a call at the instant where it takes longest.
    private func worst(_ expression: CronExpression, _ instants: [Int], _ zone: ZoneRules) -> Double {
        let repetitions = 64
        return instants.map { second in
            Stopwatch.best(of: 5, calls: repetitions) {
                var sum = 0
                for _ in 0..<repetitions { sum &+= expression.nextSecond(after: second, in: zone) ?? 0 }
                Stopwatch.keep(sum)
            }
        }.max() ?? 0
    }

    /// The time of a call when expressions and instants come in random order.
    private func cold(in zone: ZoneRules, _ inputs: Inputs) -> Double {
        let expressions = inputs.rows.map(\.expression)
        return Stopwatch.best(of: 3, calls: inputs.visits.count) {
            var sum = 0
            for visit in inputs.visits {
                sum &+= expressions[visit.row].nextSecond(after: visit.second, in: zone) ?? 0
            }
            Stopwatch.keep(sum)
        }
    }

    private func tellParsing(_ inputs: Inputs) throws {
        let texts = inputs.visits.prefix(5_000).map { inputs.rows[$0.row].text }
        let varied = try Stopwatch.best(of: Self.passes, calls: texts.count) {
            for text in texts { Stopwatch.keep(try CronExpression(text)) }
        }
        ResultLine(measure: "parse", value: varied).write()
        for (index, row) in inputs.rows.enumerated() where row.group == .mixed {
            let one = try Stopwatch.best(of: Self.passes, calls: 200) {
                for _ in 0..<200 { Stopwatch.keep(try CronExpression(row.text)) }
            }
            ResultLine(measure: "parse-one", index: index, value: one).write()
        }
    }
}
