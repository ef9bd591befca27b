/// What can be chosen.
public struct ShieldCatalogue: Hashable, Sendable {
    /// A token with what the person calls it.
    public struct Entry<Token: Hashable & Sendable>: Hashable, Sendable {
        /// The token.
        public var token: Token
        /// The label in the person's language.
        public var label: String

        /// An entry of these parts.
        public init(token: Token, label: String) {
            self.token = token
            self.label = label
        }
    }

    /// The apps, sorted by label.
    public var apps: [Entry<AppToken>]
    /// The categories, sorted by label.
    public var categories: [Entry<CategoryToken>]

    /// A catalogue of these entries, which it sorts by label without regard to case.
    public init(apps: [Entry<AppToken>], categories: [Entry<CategoryToken>]) {
        self.apps = Self.sorted(apps, by: \.rawValue)
        self.categories = Self.sorted(categories, by: \.rawValue)
    }

    /// The category of a name: its token's text, or its label without regard to case.
    ///
    /// - Returns: `nil` when there is none.
    public func category(named name: String) -> CategoryToken? {
        categories.first { entry in
            entry.token.rawValue == name || entry.label.lowercased() == name.lowercased()
        }?.token
    }

    /// Entries of one label stand in the order of their tokens, so that a list does not change from look to look.
    private static func sorted<Token>(
        _ entries: [Entry<Token>],
        by token: (Token) -> String
    ) -> [Entry<Token>] {
        entries.map { (key: ($0.label.lowercased(), token($0.token)), entry: $0) }
            .sorted { $0.key < $1.key }
            .map(\.entry)
    }
}
