internal import PortcullisCore

/// Steps that one device counted, with the local time at which the count began.
struct StepSample: Hashable {
    var date: CivilDate
    /// The hour and its offset from UTC in minutes, because an hour comes twice when clocks go back; `nil`
    /// for a whole day.
    var hour: Hour?
    var steps: Double
    var source: String

    struct Hour: Hashable {
        var number: Int
        var offset: Int
    }

    /// No person walks further in a day. Larger numbers are mistakes, and their sum may not be finite.
    static let most = 1_000_000

    /// - Returns: the count; `nil` if the text is no number from 0 to ``most``.
    static func count(_ text: String) -> Double? {
        Double(text).flatMap { $0 >= 0 && $0 <= Double(most) ? $0 : nil }
    }
}

/// The fault of a file that cannot be used.
struct StepFileError: Error, Equatable, CustomStringConvertible {
    /// The byte at which the fault was found, from 0.
    var offset: Int
    var reason: String

    var description: String { "byte \(offset): \(reason)" }
}
