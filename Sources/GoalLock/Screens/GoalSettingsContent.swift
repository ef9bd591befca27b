public import PortcullisCore

extension GoalSettingsScreen {
    /// All that it shows.
    public struct Content: Sendable, Hashable {
        /// The title.
        public var title: String
        /// The text on the switch.
        public var toggle: String
        /// Whether the switch is on.
        public var isOn: Bool
        /// Whether a request runs; the switch is disabled meanwhile.
        public var isBusy: Bool
        /// The text on the way to the picker; `nil` while the lock is off.
        public var selectApps: String?
        /// What is chosen; empty while the lock is off.
        public var chosen: [Chosen]
        /// What the lock does.
        public var note: String
        /// Rows that tell what the feature is; empty while the lock is on or held back by the paywall.
        public var features: [String]
        /// What went wrong, or why shields are down although the lock is on.
        public var message: String?
        /// A question over the screen that must be answered first.
        public var alert: Alert?
        /// The text on the button that closes the screen.
        public var done: String
    }

    /// An app or a category that is chosen.
    public struct Chosen: Sendable, Hashable {
        /// What it is.
        public enum Token: Sendable, Hashable {
            /// An app.
            case app(AppToken)
            /// A category.
            case category(CategoryToken)
        }

        /// What it is, for systems that draw tokens themselves.
        public var token: Token
        /// What the person calls it; the token's text where the catalogue does not have it.
        public var label: String
    }

    /// Something to know before going on.
    public struct Alert: Sendable, Hashable {
        /// The headline.
        public var title: String
        /// The text beneath.
        public var text: String
        /// The text on the button that closes it.
        public var button: String
    }
}

extension GoalSettingsScreen.Chosen {
    /// The token's text, where nothing can be seen of the label.
    package var name: String {
        switch token {
        case .app(let token): token.rawValue
        case .category(let token): token.rawValue
        }
    }

    /// Categories, then apps, each in the order in which the picker lists them.
    static func list(_ selection: ShieldSelection, from catalogue: ShieldCatalogue?) -> [Self] {
        let labels = CatalogueLabels(catalogue)
        let chosen = ShieldCatalogue(
            apps: selection.apps.map { .init(token: $0, label: labels.label(of: $0)) },
            categories: selection.categories.map { .init(token: $0, label: labels.label(of: $0)) }
        )
        return chosen.categories.map { Self(token: .category($0.token), label: $0.label) }
            + chosen.apps.map { Self(token: .app($0.token), label: $0.label) }
    }
}

/// What the tokens of a catalogue are called.
struct CatalogueLabels: Sendable {
    private var apps: [AppToken: String] = [:]
    private var categories: [CategoryToken: String] = [:]

    init(_ catalogue: ShieldCatalogue?) {
        for entry in catalogue?.apps ?? [] { apps[entry.token] = entry.label }
        for entry in catalogue?.categories ?? [] { categories[entry.token] = entry.label }
    }

    func label(of app: AppToken) -> String { apps[app] ?? app.rawValue }

    func label(of category: CategoryToken) -> String { categories[category] ?? category.rawValue }
}
