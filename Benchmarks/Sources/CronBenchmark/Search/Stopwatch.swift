/// Times repeated work.
enum Stopwatch {
    /// The nanoseconds per call of the fastest pass: what is slower was disturbed.
    static func best(of passes: Int, calls: Int, _ pass: () throws -> Void) rethrows -> Double {
        var fastest = Duration.seconds(Int.max)
        for _ in 0..<passes { fastest = try min(fastest, ContinuousClock().measure(pass)) }
        return fastest / .nanoseconds(1) / Double(calls)
    }

    /// Takes what was computed, so that no compiler leaves the work out.
    @inline(never)
    static func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }
}
