internal import PortcullisCore

/// What a source of progress gave.
enum ProgressReading: Sendable, Hashable {
    /// The day's total, and the date it belongs to; `nil`: the date on which it came.
    case value(Double, measured: CivilDate?)
    /// It could not be read.
    case trouble(ProgressTrouble)
}

/// Why progress could not be read.
struct ProgressTrouble: Error, Sendable, Hashable {
    /// What a person is told of once, until it is another.
    enum Reason: Sendable, Hashable {
        case notANumber, tooLong, failed, timedOut, missing, notAFile, unreadable
        /// Measured on another date.
        case otherDay(CivilDate)
        /// A line of standard input, each of which is worth a word.
        case line(Int)
    }

    var reason: Reason
    /// One sentence for people, with nothing in it that a terminal would obey.
    var message: String

    /// Whether it is about a single line, and so says nothing about those that follow.
    var isOfOneLine: Bool {
        if case .line = reason { true } else { false }
    }
}

/// Where the day's progress comes from.
///
/// One reader asks at a time. It waits for what is read to be dealt with, so nothing piles up.
protocol ProgressSource: Sendable {
    /// The next reading; `nil` when there will be no more.
    func next() async -> ProgressReading?

    /// Ends it: a waiting ``next()`` returns `nil` soon, and what it runs is gone.
    func stop()
}
