public import LockScreens
public import PortcullisCore

/// The screen on which the person chooses apps and categories from a catalogue.
///
/// It is not used if the shield controller has no catalogue, because the system then draws its own picker.
public struct PickerScreen: ContentScreen {
    /// An event for the screen.
    public enum Event: Sendable {
        /// The person used the screen.
        case input(ScreenInput)
    }

    /// An effect that the screen asks its driver for.
    public enum Effect: Sendable, Hashable {
        /// Close the screen with this selection; `nil`: the person cancelled.
        case finish(ShieldSelection?)
    }

    /// The greatest length of the search text, in Unicode scalars. A longer text is cut off.
    private static let longestSearch = 64

    private let strings: GoalStrings
    private let apps: [ShieldCatalogue.Entry<AppToken>]
    private let categories: [ShieldCatalogue.Entry<CategoryToken>]
    private var selection: ShieldSelection
    private var search = ""
    private var isFinished = false

    /// Makes a picker.
    ///
    /// - Parameters:
    ///   - catalogue: the apps and categories that can be chosen.
    ///   - selection: the present selection. Some of its tokens may be missing in the catalogue, such as an
    ///     app that is not installed now. They are listed too, so that the person can remove them.
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

    /// Returns the entries without repeated tokens, so that each token has one row.
    private static func unique<Token>(_ entries: [ShieldCatalogue.Entry<Token>]) -> [ShieldCatalogue.Entry<
        Token
    >] {
        var seen: Set<Token> = []
        return entries.filter { seen.insert($0.token).inserted }
    }

    /// Wraps an input in the event ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// The present content of the screen.
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

    /// Handles an event and returns the effects.
    public mutating func handle(_ event: Event, at _: Moment) -> [Effect] {
        // The selection is delivered once, even if the button is pressed again.
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
