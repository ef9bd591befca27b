/// The fields of an expression, in the order of the seven-field form.
public enum CronField: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The second, 0 to 59.
    case second
    /// The minute, 0 to 59.
    case minute
    /// The hour, 0 to 23.
    case hour
    /// The day of the month, 1 to 31.
    case day
    /// The month, 1 to 12, or `JAN` to `DEC`.
    case month
    /// The weekday, 0 or 7 for Sunday, 1 to 6 for Monday to Saturday, or `SUN` to `SAT`.
    case weekday
    /// The year, 1 to 9999.
    case year

    /// The name of the field.
    public var description: String { rawValue }
}

/// An error that says why a text is not a cron expression, and what to write instead.
public struct CronSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of mistake. Later versions may add more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable {
            case empty, fieldCount, unexpectedText, outOfRange, unknownName, missingValue, invalidStep
            case invalidRange, misplaced, unknownNickname, invalidInterval, unknownZone, tooLong
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The text has no fields: only white space, or only a time zone.
        public static let empty = Code(.empty)
        /// The text has fewer than five or more than seven fields.
        public static let fieldCount = Code(.fieldCount)
        /// A character or a word that is not allowed at its position.
        public static let unexpectedText = Code(.unexpectedText)
        /// A number that is out of the field's range.
        public static let outOfRange = Code(.outOfRange)
        /// A word that is not a month or a weekday.
        public static let unknownName = Code(.unknownName)
        /// A value is missing, as between two commas.
        public static let missingValue = Code(.missingValue)
        /// A step that is zero or missing.
        public static let invalidStep = Code(.invalidStep)
        /// A range of years whose first year is after its last year.
        public static let invalidRange = Code(.invalidRange)
        /// An element in a place that does not allow it, such as `L` among the hours, or `?` in a list.
        public static let misplaced = Code(.misplaced)
        /// An unknown word after `@`.
        public static let unknownNickname = Code(.unknownNickname)
        /// An `@every` without exactly one interval of a second or more.
        public static let invalidInterval = Code(.invalidInterval)
        /// A `CRON_TZ=` or `TZ=` of a zone that does not exist.
        public static let unknownZone = Code(.unknownZone)

        /// The text has more than 4,096 bytes, or more than 40 ranges of years and single years.
        public static let tooLong = Code(.tooLong)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// The kind of mistake.
    public let code: Code
    /// The number of characters before the mistake.
    public let position: Int
    /// The field with the mistake; `nil` if the mistake is outside of all fields.
    public let field: CronField?
    /// The mistake, as a sentence without full stop: `hour 24 is out of range 0–23`.
    public let reason: String
    /// A suggestion: `midnight is 0`; `nil` without one.
    public let hint: String?

    /// Makes an error of these parts.
    public init(code: Code, position: Int, field: CronField?, reason: String, hint: String?) {
        self.code = code
        self.position = position
        self.field = field
        self.reason = reason
        self.hint = hint
    }

    /// The reason, the place and the hint on one line.
    public var description: String {
        "\(reason), at character \(position + 1)" + (hint.map { "; \($0)" } ?? "")
    }
}
