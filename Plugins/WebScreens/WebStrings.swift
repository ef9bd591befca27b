/// The texts that the pages have besides those of the screens, and the language of all of them.
public struct WebStrings: Sendable, Hashable {
    /// In which direction a language is written.
    public enum Direction: String, Sendable, Hashable {
        /// As English is.
        case leftToRight = "ltr"
        /// As Arabic and Hebrew are.
        case rightToLeft = "rtl"
    }

    /// The language as BCP 47 writes it, such as "en" or "de-AT".
    public var language: String
    /// How it is written.
    public var direction: Direction
    /// The name of the entry, for screen readers.
    public var entry: String
    /// The name of the number pad, for screen readers.
    public var pad: String
    /// Goes to the card before.
    public var previousCard: String
    /// Goes to the next card.
    public var nextCard: String
    /// Takes over what was typed to narrow a list, where no script runs.
    public var search: String
    /// What is said while the screen is busy, for screen readers.
    public var busy: String

    /// Texts of a language.
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
