/// The result of reading a source of progress towards a daily goal.
public enum ProgressReading: Sendable, Hashable {
    /// The day's total, zero or more in the host's unit, and the date that it belongs to. If the date is
    /// `nil`, the total belongs to the date on which it arrived.
    case value(Double, measured: CivilDate?)
    /// The source could not be read.
    case trouble(ProgressTrouble)
}

/// Why progress could not be read.
public struct ProgressTrouble: Error, Sendable, Hashable {
    /// The kind of trouble. While the kind stays the same, the person is told about it only once.
    public enum Reason: Sendable, Hashable {
        /// The text from the source is not a number of zero or more.
        case notANumber
        /// The text from the source is too long to be a number.
        case tooLong
        /// The command that gives the number failed.
        case failed
        /// The command that gives the number took too long.
        case timedOut
        /// The source does not exist, for instance because its file was deleted.
        case missing
        /// The path leads to something that is not a file.
        case notAFile
        /// The system denied reading.
        case unreadable
        /// The date of the progress is unknown. The source was last written at a time that is too far in the
        /// past or future for a date, such as a time in the year 292,277,026,596.
        case impossibleTime
        /// A line of a stream is wrong. The line number counts from 1. Each wrong line is reported, because
        /// the following lines may be right. The number is 0 when lines cannot be read for a while.
        case line(Int)
    }

    /// The kind of trouble.
    public var reason: Reason
    /// One sentence for people, without characters that control a terminal.
    public var message: String

    /// Makes a trouble of this kind.
    public init(reason: Reason, message: String) {
        self.reason = reason
        self.message = message
    }

    /// Whether the trouble is about a single line. The following lines may then still be right.
    public var isOfOneLine: Bool {
        if case .line = reason { true } else { false }
    }
}
