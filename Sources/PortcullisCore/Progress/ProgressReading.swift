/// What a source of progress gave, for a goal that is reached during a day.
public enum ProgressReading: Sendable, Hashable {
    /// The day's total, zero or more in the host's unit, and the date it belongs to; `nil`: the date on which it came.
    case value(Double, measured: CivilDate?)
    /// It could not be read.
    case trouble(ProgressTrouble)
}

/// Why progress could not be read.
public struct ProgressTrouble: Error, Sendable, Hashable {
    /// The kind of trouble. A person is told of it once, until it is another.
    public enum Reason: Sendable, Hashable {
        /// There is something, and it is not one number of zero or more.
        case notANumber
        /// There is more than a number can be.
        case tooLong
        /// What gives the number failed.
        case failed
        /// What gives the number took too long.
        case timedOut
        /// There is nothing to read.
        case missing
        /// There is something else than a file.
        case notAFile
        /// The system does not let it be read.
        case unreadable
        /// A line of a stream, by its number from 1. Each is worth a word, and says nothing about those that follow.
        case line(Int)
    }

    /// The kind of trouble.
    public var reason: Reason
    /// One sentence for people, with nothing in it that a terminal would obey.
    public var message: String

    /// A trouble of this kind.
    public init(reason: Reason, message: String) {
        self.reason = reason
        self.message = message
    }

    /// Whether it is about a single line, and so says nothing about those that follow.
    public var isOfOneLine: Bool {
        if case .line = reason { true } else { false }
    }
}
