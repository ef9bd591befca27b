public import LockScreens
public import PortcullisCore

/// The choice of apps and categories from a catalogue.
///
/// Where the shield controller has no catalogue, the system draws its own picker and this one is not used.
public struct PickerScreen: ScreenModel {
    /// One line of the list.
    public struct Row<Token: Sendable & Hashable>: Sendable, Hashable {
        /// What it is about.
        public var token: Token
        /// What the person calls it.
        public var label: String
        /// Whether it is chosen.
        public var isChosen: Bool
    }

    /// All that it shows.
    public struct Content: Sendable, Hashable {
        /// The title.
        public var title: String
        /// What the list is narrowed to; empty: nothing.
        public var search: String
        /// What stands in the place of the search while there is none.
        public var searchPrompt: String
        /// How much is chosen, such as "3 chosen".
        public var chosenCount: String
        /// What is shown when the search leaves nothing, or there is nothing to choose.
        public var nothingFound: String
        /// Headline over the categories.
        public var categoriesTitle: String
        /// The categories.
        public var categories: [Row<CategoryToken>]
        /// Headline over the apps.
        public var appsTitle: String
        /// The apps.
        public var apps: [Row<AppToken>]
        /// The text on the button that keeps the choice.
        public var done: String
        /// The text on the button that drops it.
        public var cancel: String
    }

    /// What happens to it.
    public enum Event: Sendable, Hashable {
        /// The person chose an app, or took it back.
        case toggleApp(AppToken)
        /// The person chose a category, or took it back.
        case toggleCategory(CategoryToken)
        /// The person is looking for something.
        case search(String)
        /// The person keeps the choice.
        case done
        /// The person drops it.
        case cancel
    }

    /// What it wants done.
    public enum Effect: Sendable, Hashable {
        /// Close the screen; `nil`: nothing was chosen.
        case finish(ShieldSelection?)
    }

    private let strings: GoalStrings
    private let apps: [ShieldCatalogue.Entry<AppToken>]
    private let categories: [ShieldCatalogue.Entry<CategoryToken>]
    private var selection: ShieldSelection
    private var search = ""
    private var isFinished = false

    /// A picker.
    ///
    /// - Parameters:
    ///   - catalogue: what can be chosen.
    ///   - selection: what is chosen; what the catalogue does not have, such as an app that is not installed at
    ///     present, is listed too, so that it can be taken back.
    ///   - strings: the texts.
    public init(
        catalogue: ShieldCatalogue,
        selection: ShieldSelection = ShieldSelection(),
        strings: GoalStrings = .english
    ) {
        self.strings = strings
        self.selection = selection
        let knownApps = Set(catalogue.apps.map(\.token))
        let knownCategories = Set(catalogue.categories.map(\.token))
        apps =
            catalogue.apps
            + selection.apps.subtracting(knownApps).sorted { $0.rawValue < $1.rawValue }
            .map { ShieldCatalogue.Entry(token: $0, label: $0.rawValue) }
        categories =
            catalogue.categories
            + selection.categories.subtracting(knownCategories).sorted { $0.rawValue < $1.rawValue }
            .map { ShieldCatalogue.Entry(token: $0, label: $0.rawValue) }
    }

    /// All that is to be shown now.
    public var content: Content {
        Content(
            title: strings.selectApps,
            search: search,
            searchPrompt: strings.search,
            chosenCount: strings.chosen(selection.apps.count + selection.categories.count),
            nothingFound: strings.nothingFound,
            categoriesTitle: strings.categories,
            categories: rows(categories, chosen: selection.categories),
            appsTitle: strings.apps,
            apps: rows(apps, chosen: selection.apps),
            done: strings.done,
            cancel: strings.cancel
        )
    }

    private func rows<Token>(_ entries: [ShieldCatalogue.Entry<Token>], chosen: Set<Token>) -> [Row<Token>] {
        let wanted = search.lowercased()
        return entries.filter { wanted.isEmpty || $0.label.lowercased().contains(wanted) }.map {
            Row(token: $0.token, label: $0.label, isChosen: chosen.contains($0.token))
        }
    }

    /// Takes an event.
    public mutating func handle(_ event: Event, at _: Moment) -> [Effect] {
        // The choice is delivered once, however often the button is pressed.
        guard !isFinished else { return [] }
        switch event {
        case .toggleApp(let token):
            guard apps.contains(where: { $0.token == token }) else { break }
            selection.apps.formSymmetricDifference([token])
        case .toggleCategory(let token):
            guard categories.contains(where: { $0.token == token }) else { break }
            selection.categories.formSymmetricDifference([token])
        case .search(let text): search = text
        case .done: return finish(selection)
        case .cancel: return finish(nil)
        }
        return []
    }

    private mutating func finish(_ selection: ShieldSelection?) -> [Effect] {
        isFinished = true
        return [.finish(selection)]
    }
}
