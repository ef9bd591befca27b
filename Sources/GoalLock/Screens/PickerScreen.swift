public import LockScreens
public import PortcullisCore

/// The choice of apps and categories from a catalogue.
///
/// Where the shield controller has no catalogue, the system draws its own picker and this one is not used.
public struct PickerScreen: ContentScreen {
    /// What happens to it.
    public enum Event: Sendable {
        /// What the person did.
        case input(ScreenInput)
    }

    /// What it wants done.
    public enum Effect: Sendable, Hashable {
        /// Close the screen; `nil`: nothing was chosen.
        case finish(ShieldSelection?)
    }

    /// More than any label has that is looked for by typing.
    private static let longestSearch = 64

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
            Self.unique(catalogue.apps)
            + selection.apps.subtracting(knownApps).sorted { $0.rawValue < $1.rawValue }
            .map { ShieldCatalogue.Entry(token: $0, label: $0.rawValue) }
        categories =
            Self.unique(catalogue.categories)
            + selection.categories.subtracting(knownCategories).sorted { $0.rawValue < $1.rawValue }
            .map { ShieldCatalogue.Entry(token: $0, label: $0.rawValue) }
    }

    /// The entries without those whose token came before: a token is one row.
    private static func unique<Token>(_ entries: [ShieldCatalogue.Entry<Token>]) -> [ShieldCatalogue.Entry<
        Token
    >] {
        var seen: Set<Token> = []
        return entries.filter { seen.insert($0.token).inserted }
    }

    /// ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that is to be shown now.
    public var content: ScreenContent {
        let options =
            categories.map {
                option(
                    .category($0.token),
                    $0.label,
                    selection.categories.contains($0.token),
                    strings.categories
                )
            }
            + apps.map { option(.app($0.token), $0.label, selection.apps.contains($0.token), strings.apps) }
        let wanted = search.lowercased()
        let found = wanted.isEmpty ? options : options.filter { $0.title.lowercased().contains(wanted) }
        return ScreenContent(
            title: strings.selectApps,
            symbol: "",
            search: SearchField(
                text: search,
                prompt: strings.search,
                summary: strings.chosen(selection.apps.count + selection.categories.count)
            ),
            controls: found + [
                ScreenControl(.done, title: strings.done, role: .primary),
                ScreenControl(.cancel, title: strings.cancel, role: .cancel),
            ],
            texts: found.isEmpty ? [.note(strings.nothingFound)] : []
        )
    }

    private func option(_ id: ControlID, _ label: String, _ isChosen: Bool, _ group: String) -> ScreenControl
    {
        ScreenControl(id, kind: .option(isChosen: isChosen), title: label, group: group)
    }

    /// Takes an event.
    public mutating func handle(_ event: Event, at _: Moment) -> [Effect] {
        // The choice is delivered once, however often the button is pressed.
        guard !isFinished else { return [] }
        switch event {
        case .input(.search(let text)):
            search = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longestSearch)))
        case .input(.activate(.done)): return finish(selection)
        case .input(.activate(.cancel)): return finish(nil)
        case .input(.activate(let id)): toggle(id)
        case .input: break
        }
        return []
    }

    private mutating func toggle(_ id: ControlID) {
        if let app = id.app, apps.contains(where: { $0.token == app }) {
            selection.apps.formSymmetricDifference([app])
        } else if let category = id.category, categories.contains(where: { $0.token == category }) {
            selection.categories.formSymmetricDifference([category])
        }
    }

    private mutating func finish(_ selection: ShieldSelection?) -> [Effect] {
        isFinished = true
        return [.finish(selection)]
    }
}
