internal import LockScreens

extension SheetScreen {
    /// Handles an event from the terminal.
    mutating func handle(_ event: TerminalEvent, on content: ScreenContent, send: (ScreenInput) -> Void) {
        if let alert = content.alert { return handle(event, over: alert, content, send) }
        if let deck = content.cards, turn(deck, event, send) { return }
        let sheet = sheet(of: content)
        if let search = content.search, narrow(search, event, on: content, sheet, send) { return }
        switch event {
        case .key(.escape):
            activate(content.escapeTarget, send)
        case .key(.enter) where content.controls.count == 1:
            // Return activates the only control, even while the focus is on a line of text that scrolls.
            activate(content.controls.first, send)
        default:
            guard let target = stand.handle(event, on: sheet) else { return }
            activate(target, among: content.controls, send)
        }
    }

    private mutating func handle(
        _ event: TerminalEvent,
        over alert: ScreenAlert,
        _ content: ScreenContent,
        _ send: (ScreenInput) -> Void
    ) {
        switch event {
        case .key(.escape): activate(content.escapeTarget, send)
        case .key(.enter) where alert.actions.count == 1, .character(" ") where alert.actions.count == 1:
            activate(alert.actions.first, send)
        case .press(0, let x, let y):
            guard let target = painting(of: content).target(x: x, y: y) else { return }
            activate(target, among: alert.actions, send)
        default:
            let sheet = sheet(of: tidy(alert))
            guard let target = alertStand?.handle(event, on: sheet) else { return }
            activate(target, among: alert.actions, send)
        }
    }

    private func activate(
        _ target: ScreenTarget,
        among controls: [ScreenControl],
        _ send: (ScreenInput) -> Void
    ) {
        switch target {
        case .control(let id): activate(controls.first { $0.id == id }, send)
        case .option(let id, let index):
            if controls.contains(where: { $0.id == id && $0.isEnabled }) { send(.choose(id, index)) }
        case .digit, .delete: break
        }
    }

    private func activate(_ control: ScreenControl?, _ send: (ScreenInput) -> Void) {
        if let control, control.isEnabled { send(.activate(control.id)) }
    }

    // MARK: Cards

    /// Turns the cards if the event is a key that turns cards. Returns whether the event is such a key.
    private func turn(_ deck: CardDeck, _ event: TerminalEvent, _ send: (ScreenInput) -> Void) -> Bool {
        switch event {
        case .key(.left): send(.show(deck.index(turnedBy: -1)))
        case .key(.right): send(.show(deck.index(turnedBy: 1)))
        case .key(.home): send(.show(0))
        case .key(.end): send(.show(deck.cards.count - 1))
        case .character(let scalar) where ("1"..."9").contains(scalar): send(.show(Int(scalar.value) - 0x31))
        default: return false
        }
        return true
    }

    // MARK: Searching

    /// Handles an event on a list with a search. Returns `false` if the search has no use for the event. The
    /// caller must then handle the event.
    private mutating func narrow(
        _ search: SearchField,
        _ event: TerminalEvent,
        on content: ScreenContent,
        _ sheet: Sheet,
        _ send: (ScreenInput) -> Void
    ) -> Bool {
        let isOnButton = stand.isOnButton(of: sheet)
        // If the search finds nothing, the list is empty, and the focus can only be on a button. The person
        // did not choose that button. So Space does not press it, but is added to the search.
        let isFruitless = !search.text.isEmpty && !content.controls.contains { $0.kind != .button }
        switch event {
        case .key(.enter) where !isOnButton: activate(content.controls.first { $0.role == .primary }, send)
        case .key(.escape) where !search.text.isEmpty, .control("u"): send(.search(""))
        case .key(.delete): send(.search(String(search.text.dropLast())))
        case .key(.tab): jump(to: sheet.buttons, on: sheet)
        case .key(.backTab): jump(to: sheet.buttons.reversed(), on: sheet)
        case .character(let scalar) where scalar != " " || isFruitless, .pasted(let scalar):
            var text = search.text.unicodeScalars
            text.append(scalar)
            send(.search(String(text)))
        default: return false
        }
        return true
    }

    /// Moves the focus from the list to the buttons, from one button to the next, and back to the list. With
    /// the arrows alone, a person would have to pass the whole list to reach the buttons.
    private mutating func jump(to buttons: [ScreenControl], on sheet: Sheet) {
        let targets = buttons.map { ScreenTarget.control($0.id) }
        guard let place = targets.firstIndex(where: { $0 == stand.focus }) else {
            return stand.setFocus(targets.first, on: sheet)
        }
        stand.setFocus(place + 1 < targets.count ? targets[place + 1] : stand.anchor, on: sheet)
    }
}

extension ScreenContent {
    /// The control that Esc activates: Cancel, or else the control that closes the screen. On a sheet with
    /// neither of them, Esc activates the only control. The result is `nil` in all other cases.
    var escapeTarget: ScreenControl? {
        let controls = alert?.actions ?? controls
        return controls.first { $0.role == .cancel || $0.id == .cancel }
            ?? controls.first { $0.id == .ok }
            ?? (isSheet && controls.count == 1 ? controls.first : nil)
    }
}
