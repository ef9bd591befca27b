/// The apps and categories that a person can choose.
public struct ShieldCatalogue: Hashable, Sendable {
    /// A token and its label.
    public struct Entry<Token: Hashable & Sendable>: Hashable, Sendable {
        /// The token.
        public var token: Token
        /// The label in the person's language.
        public var label: String

        /// Makes an entry from these parts.
        public init(token: Token, label: String) {
            self.token = token
            self.label = label
        }
    }

    /// The apps, sorted by label.
    public var apps: [Entry<AppToken>]
    /// The categories, sorted by label.
    public var categories: [Entry<CategoryToken>]

    /// Makes a catalogue of these entries, sorted by label without regard to case.
    public init(apps: [Entry<AppToken>], categories: [Entry<CategoryToken>]) {
        self.apps = Self.sorted(apps, by: \.rawValue)
        self.categories = Self.sorted(categories, by: \.rawValue)
    }

    /// Returns the first category whose token has this text, or whose label is this text without regard to
    /// case.
    ///
    /// - Returns: `nil` when there is no such category.
    public func category(named name: String) -> CategoryToken? {
        categories.first { entry in
            entry.token.rawValue == name || entry.label.lowercased() == name.lowercased()
        }?.token
    }

    /// Sorts by label. Entries with the same label are sorted by token, so that the list has the same order
    /// each time.
    private static func sorted<Token>(
        _ entries: [Entry<Token>],
        by token: (Token) -> String
    ) -> [Entry<Token>] {
        entries.map { (key: ($0.label.lowercased(), token($0.token)), entry: $0) }
            .sorted { $0.key < $1.key }
            .map(\.entry)
    }
}
