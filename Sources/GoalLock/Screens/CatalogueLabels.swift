internal import LockScreens
internal import PortcullisCore

/// The labels of a catalogue's tokens. A token that is missing in the catalogue has its own text as its
/// label.
struct CatalogueLabels: Sendable {
    private var apps: [AppToken: String] = [:]
    private var categories: [CategoryToken: String] = [:]

    init(_ catalogue: ShieldCatalogue?) {
        for entry in catalogue?.apps ?? [] { apps[entry.token] = entry.label }
        for entry in catalogue?.categories ?? [] { categories[entry.token] = entry.label }
    }

    func label(of app: AppToken) -> String { apps[app] ?? app.rawValue }

    func label(of category: CategoryToken) -> String { categories[category] ?? category.rawValue }

    /// The chosen items: the categories, then the apps, each group sorted by label as in a catalogue.
    func items(_ selection: ShieldSelection) -> [ScreenItem] {
        let chosen = ShieldCatalogue(
            apps: selection.apps.map { .init(token: $0, label: label(of: $0)) },
            categories: selection.categories.map { .init(token: $0, label: label(of: $0)) }
        )
        return chosen.categories.map { ScreenItem(.category($0.token), label: $0.label) }
            + chosen.apps.map { ScreenItem(.app($0.token), label: $0.label) }
    }
}
