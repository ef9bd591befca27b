/// A likely mistake in a valid expression.
public struct CronWarning: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of likely mistake. Later versions may add more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable {
            case neverFires, isOver, skippedMonths, rareDate, eitherDay, bothDays, everyMinute, everySecond
            case unevenStep, oversizedStep, clockGap, clockOverlap
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// No date matches the expression, as for 30 February.
        public static let neverFires = Code(.neverFires)
        /// The last year of the expression is over.
        public static let isOver = Code(.isOver)
        /// Some months of the expression do not have its day, such as the 31st.
        public static let skippedMonths = Code(.skippedMonths)
        /// Years pass between two dates of the expression, as between two dates of 29 February.
        public static let rareDate = Code(.rareDate)
        /// The expression has a day and a weekday, and a date matches if either of them matches.
        public static let eitherDay = Code(.eitherDay)
        /// The expression has a day and a weekday, and both must match, since one of the fields starts with `*`.
        public static let bothDays = Code(.bothDays)
        /// Every minute of an hour matches, but no two consecutive hours match, as in `* 9 * * *`.
        public static let everyMinute = Code(.everyMinute)
        /// Every second of a minute matches, but no two consecutive minutes do. Or every second of an hour
        /// matches, but no two consecutive hours match.
        public static let everySecond = Code(.everySecond)
        /// A step does not divide the number of the field's values, so the last pause is shorter than the
        /// others.
        public static let unevenStep = Code(.unevenStep)
        /// A step is so large that only its first value is left.
        public static let oversizedStep = Code(.oversizedStep)
        /// A time of the expression falls into the hour that daylight saving time skips.
        public static let clockGap = Code(.clockGap)
        /// A time of the expression falls into the hour that occurs twice when daylight saving time ends.
        public static let clockOverlap = Code(.clockOverlap)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// The kind of likely mistake.
    public let code: Code
    /// The field with the likely mistake; `nil` if the mistake concerns no single field.
    public let field: CronField?
    /// The consequence, as a sentence without full stop.
    public let message: String
    /// What to write if the author meant something else; `nil` if there is no suggestion.
    public let hint: String?

    /// Makes a warning of these parts.
    public init(code: Code, field: CronField?, message: String, hint: String?) {
        self.code = code
        self.field = field
        self.message = message
        self.hint = hint
    }

    /// The message and the hint on one line.
    public var description: String { message + (hint.map { "; \($0)" } ?? "") }
}
