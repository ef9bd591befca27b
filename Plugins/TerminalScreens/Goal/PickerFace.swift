public import GoalLock
internal import LockScreens
internal import PortcullisCore

/// The choice of apps and categories in a terminal.
///
/// Typing narrows the list, Space chooses, Return keeps the choice; Esc gives up first the search and then the
/// choice. Tab goes between list and buttons.
public struct PickerFace: TerminalFace {
    private var stand: SheetStand
    private var content: PickerScreen.Content
    private var isOnButtons = false

    private static let done = ControlID("done")
    private static let cancel = ControlID("cancel")
    private static let categories = ControlID("category")
    private static let apps = ControlID("app")

    /// A picker with its first content.
    public init(
        _ content: PickerScreen.Content,
        size: TerminalSize,
        abilities: TerminalAbilities = TerminalAbilities()
    ) {
        self.content = content
        stand = SheetStand(size: size, abilities: abilities)
        stand.settle(on: sheet)
    }

    /// The terminal's size.
    public var size: TerminalSize {
        get { stand.size }
        set { stand.size = newValue }
    }

    /// Takes other content; the focus stays on the app or category that it is on.
    public mutating func present(_ new: PickerScreen.Content) -> FaceChange {
        guard new != content else { return .nothing }
        let focused = token
        content = new
        if let focused, let target = target(of: focused) {
            stand.setFocus(target, on: sheet)
        } else if !stand.isOnButton(of: sheet) {
            stand.setFocus(nil, on: sheet)
        }
        return .picture
    }

    /// The screen as it looks now.
    public func painting(shake: Int) -> Painting { stand.painting(of: sheet) }

    // MARK: What has the focus

    private enum Token: Hashable {
        case app(AppToken)
        case category(CategoryToken)
    }

    private var token: Token? {
        switch stand.focus {
        case .option(Self.categories, let index): .category(content.categories[index].token)
        case .option(Self.apps, let index): .app(content.apps[index].token)
        default: nil
        }
    }

    private func target(of token: Token) -> ScreenTarget? {
        switch token {
        case .category(let token):
            content.categories.firstIndex { $0.token == token }.map { .option(Self.categories, $0) }
        case .app(let token):
            content.apps.firstIndex { $0.token == token }.map { .option(Self.apps, $0) }
        }
    }

    // MARK: Drawing

    private var sheet: Sheet {
        let glyphs = stand.glyphs
        var sheet = Sheet(
            title: content.title,
            buttons: [
                ScreenControl(Self.done, title: content.done),
                ScreenControl(Self.cancel, title: content.cancel, role: .cancel),
            ],
            hints: ["space chooses", "return keeps", "type to search", "esc leaves", "tab moves"]
        )
        let search =
            content.search.isEmpty
            ? Sheet.Line(kind: .text, text: " " + content.searchPrompt, style: CellStyle(dim: true))
            : Sheet.Line(
                kind: .text,
                text: " / " + ForeignText.tidy(content.search) + "_",
                style: CellStyle(.accent)
            )
        sheet.isTall = true
        sheet.head = [search]
        sheet.head[0].trailing = content.chosenCount
        sheet.body = lines(content.categoriesTitle, content.categories, Self.categories, glyphs, \.rawValue)
        if !sheet.body.isEmpty, !content.apps.isEmpty { sheet.body.append(Sheet.gap) }
        sheet.body += lines(content.appsTitle, content.apps, Self.apps, glyphs, \.rawValue)
        if sheet.body.isEmpty {
            sheet.body = [
                Sheet.Line(kind: .heading, text: " " + content.nothingFound, style: CellStyle(dim: true))
            ]
        }
        return sheet.fitting(size)
    }

    private func lines<Token>(
        _ title: String,
        _ rows: [PickerScreen.Row<Token>],
        _ id: ControlID,
        _ glyphs: Glyphs,
        _ name: (Token) -> String
    ) -> [Sheet.Line] {
        guard !rows.isEmpty else { return [] }
        return [Sheet.Line(kind: .heading, text: " " + title, style: CellStyle(bold: true))]
            + rows.enumerated().map { index, row in
                let mark = row.isChosen ? glyphs.checked : glyphs.unchecked
                let label = ForeignText.line(row.label, or: name(row.token))
                return Sheet.Line(
                    kind: .item(.option(id, index), isEnabled: true),
                    text: " " + mark + " " + label,
                    style: row.isChosen ? CellStyle(.accent) : CellStyle()
                )
            }
    }

    // MARK: Input

    /// Takes what the terminal sent.
    public mutating func handle(_ event: TerminalEvent, send: (PickerScreen.Event) -> Void) {
        let sheet = sheet
        let isOnButton = stand.isOnButton(of: sheet)
        switch event {
        case .key(.enter) where !isOnButton: send(.done)
        case .key(.escape): send(content.search.isEmpty ? .cancel : .search(""))
        case .key(.delete): if !content.search.isEmpty { send(.search(String(content.search.dropLast()))) }
        case .control("u"): if !content.search.isEmpty { send(.search("")) }
        case .key(.tab), .key(.backTab):
            // Otherwise the buttons would be as far away as the list is long.
            let first = ScreenTarget.control(event == .key(.tab) ? Self.done : Self.cancel)
            guard isOnButton else { return stand.setFocus(first, on: sheet) }
            let last = ScreenTarget.control(event == .key(.tab) ? Self.cancel : Self.done)
            guard stand.focus == last else { return stand.setFocus(last, on: sheet) }
            stand.setFocus(stand.anchor, on: sheet)
        case .character(let scalar) where scalar != " " || isFruitless, .pasted(let scalar):
            guard content.search.unicodeScalars.count < 64 else { return }
            var text = content.search.unicodeScalars
            text.append(scalar)
            send(.search(String(text)))
        default:
            if let target = stand.handle(event, on: sheet) { activate(target, send) }
        }
    }

    /// Whether the search left nothing: then Space has nothing to choose, and the buttons did not ask for the focus.
    private var isFruitless: Bool {
        !content.search.isEmpty && content.apps.isEmpty && content.categories.isEmpty
    }

    private func activate(_ target: ScreenTarget, _ send: (PickerScreen.Event) -> Void) {
        switch target {
        case .option(Self.categories, let index): send(.toggleCategory(content.categories[index].token))
        case .option(Self.apps, let index): send(.toggleApp(content.apps[index].token))
        case .control(Self.done): send(.done)
        case .control(Self.cancel): send(.cancel)
        default: break
        }
    }
}
