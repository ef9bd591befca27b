/// The texts of the pages that do not belong to the screens, and the language of all texts.
public struct WebStrings: Sendable, Hashable {
    /// The direction in which a language is written.
    public enum Direction: String, Sendable, Hashable {
        /// Left to right, as in English.
        case leftToRight = "ltr"
        /// Right to left, as in Arabic and Hebrew.
        case rightToLeft = "rtl"
    }

    /// The language as BCP 47 writes it, such as "en" or "de-AT".
    public var language: String
    /// The direction in which the language is written.
    public var direction: Direction
    /// The label of the entry, for screen readers.
    public var entry: String
    /// The label of the number pad, for screen readers.
    public var pad: String
    /// The label of the button that goes to the previous card.
    public var previousCard: String
    /// The label of the button that goes to the next card.
    public var nextCard: String
    /// The label of the button that filters a list by the typed text. The button is shown if no script runs.
    public var search: String
    /// The text that screen readers speak while the screen is busy.
    public var busy: String

    /// Makes the texts of a language.
    public init(
        language: String,
        direction: Direction = .leftToRight,
        entry: String,
        pad: String,
        previousCard: String,
        nextCard: String,
        search: String,
        busy: String
    ) {
        self.language = language
        self.direction = direction
        self.entry = entry
        self.pad = pad
        self.previousCard = previousCard
        self.nextCard = nextCard
        self.search = search
        self.busy = busy
    }

    /// The texts in English.
    public static let english = WebStrings(
        language: "en",
        entry: "Passcode",
        pad: "Number pad",
        previousCard: "Previous",
        nextCard: "Next",
        search: "Search",
        busy: "One moment"
    )
}
