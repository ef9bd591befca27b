/// Something an expression says that its author may not have meant.
public struct CronWarning: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of likely mistake, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable {
            case neverFires, isOver, skippedMonths, rareDate, eitherDay, bothDays, everyMinute, everySecond
            case unevenStep, oversizedStep, clockGap, clockOverlap
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// No date is ever the one it asks for, such as 30 February.
        public static let neverFires = Code(.neverFires)
        /// The last of its years is over.
        public static let isOver = Code(.isOver)
        /// Some of its months do not have its day, such as the 31st.
        public static let skippedMonths = Code(.skippedMonths)
        /// Years pass between two of its dates, such as two 29 Februaries.
        public static let rareDate = Code(.rareDate)
        /// Day and weekday are both given, and either is enough.
        public static let eitherDay = Code(.eitherDay)
        /// Day and weekday are both given, and both must match, since one of them starts with `*`.
        public static let bothDays = Code(.bothDays)
        /// Single hours are given, and each of their minutes matches.
        public static let everyMinute = Code(.everyMinute)
        /// Single minutes or hours are given, and each of their seconds matches.
        public static let everySecond = Code(.everySecond)
        /// A step does not divide its field, so that the last pause is a shorter one.
        public static let unevenStep = Code(.unevenStep)
        /// A step is so large that only its first value is left.
        public static let oversizedStep = Code(.oversizedStep)
        /// One of its times falls into the hour that daylight saving time leaves out.
        public static let clockGap = Code(.clockGap)
        /// One of its times falls into the hour that comes twice when daylight saving time ends.
        public static let clockOverlap = Code(.clockOverlap)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of likely mistake.
    public let code: Code
    /// The field it is about, if it is about one.
    public let field: CronField?
    /// What will happen, as a sentence without full stop.
    public let message: String
    /// What to write if something else was meant.
    public let hint: String?

    /// A warning of these parts.
    public init(code: Code, field: CronField?, message: String, hint: String?) {
        self.code = code
        self.field = field
        self.message = message
        self.hint = hint
    }

    /// Message and hint on one line.
    public var description: String { message + (hint.map { "; \($0)" } ?? "") }
}
