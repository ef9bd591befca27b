internal import PortcullisCore

/// Steps that one device counted, with the local time at which it began to.
struct StepSample: Hashable {
    var date: CivilDate
    /// The hour and its distance from UTC in minutes: where clocks go back, an hour comes twice. `nil`: a whole day.
    var hour: Hour?
    var steps: Double
    var source: String

    struct Hour: Hashable {
        var number: Int
        var offset: Int
    }

    /// Nobody walks further in a day. Beyond it lie mistakes, and numbers whose sum is none.
    static let most = 1_000_000

    /// - Returns: `nil` for what is no number from 0 to ``most``.
    static func count(_ text: String) -> Double? {
        Double(text).flatMap { $0 >= 0 && $0 <= Double(most) ? $0 : nil }
    }
}

/// Why a file cannot be used.
struct StepFileError: Error, Equatable, CustomStringConvertible {
    /// The byte at which it was found, from 0.
    var offset: Int
    var reason: String

    var description: String { "byte \(offset): \(reason)" }
}
