import Benchmark
import CronScheduler

/// What the scheduler does with an expression.
func cronOperations() {
    let text = "*/15 9-17 * * mon-fri"
    Benchmark("cron: parse", configuration: .init(scalingFactor: .kilo)) { benchmark in
        for _ in benchmark.scaledIterations { blackHole(try CronExpression(text)) }
    }

    Benchmark("cron: next, UTC", configuration: .init(scalingFactor: .mega)) {
        (benchmark, expression: CronExpression) in
        var second = 1_767_243_600
        for _ in benchmark.scaledIterations {
            second = expression.nextSecond(after: second, in: .utc) ?? 0
        }
        blackHole(second)
    } setup: {
        try CronExpression(text)
    }
}
