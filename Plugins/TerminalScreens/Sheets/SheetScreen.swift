internal import LockScreens
internal import PortcullisCore

/// A screen of lists, cards or texts in a terminal, with its focus and the meaning of keys and clicks.
///
/// The arrows move through rows and buttons, and also through lines of text if these do not fit. Left and
/// right turn cards, and a digit shows the card at that place. If a list has a search, typed characters
/// narrow the list, Space chooses a row, and Return accepts the choice. Esc clears the search, or leaves the
/// screen if the search is empty. Tab moves between the list and the buttons.
struct SheetScreen: Sendable {
    var stand: SheetStand
    /// The focus in the alert over the screen; `nil` without an alert.
    var alertStand: SheetStand?
    var keyHints: KeyHints
    private let abilities: TerminalAbilities
    private var strip: IconStrip?
    /// The alert that ``alertStand`` belongs to.
    private var alert: ScreenAlert?

    init(_ content: ScreenContent, size: TerminalSize, abilities: TerminalAbilities, keyHints: KeyHints) {
        self.abilities = abilities
        self.keyHints = keyHints
        stand = SheetStand(size: size, abilities: abilities)
        take(content)
    }

    var size: TerminalSize {
        get { stand.size }
        set {
            stand.size = newValue
            alertStand?.size = newValue
        }
    }

    /// The target that Return would activate.
    var focus: ScreenTarget? { alertStand?.focus ?? stand.focus }

    /// Shows new content. The focus stays on its target while the target exists.
    mutating func take(_ new: ScreenContent) {
        strip = new.icons.map { row in
            // While the row moves, new content arrives a hundred times each second. If the icons are the
            // same, the old strip is reused, so that its labels need not be made again.
            strip.flatMap { $0.icons == row.icons ? $0 : nil } ?? IconStrip(row.icons, stand.glyphs)
        }
        stand.settle(on: sheet(of: new))
        guard alert != new.alert else { return }
        alert = new.alert
        guard let alert else { return alertStand = nil }
        // The focus begins on Cancel, if the alert has it. A person who only presses Return then changes
        // nothing.
        let safe = alert.actions.first { $0.role == .cancel } ?? alert.actions.first
        alertStand = SheetStand(size: size, abilities: abilities, focus: safe.map { .control($0.id) })
    }

    /// Whether two contents look different. A row of icons looks different only after it has moved by a whole
    /// cell.
    func isOther(_ new: ScreenContent, than old: ScreenContent) -> Bool {
        guard let strip, let row = new.icons, let oldRow = old.icons else { return true }
        guard strip.shift(row.offset) == strip.shift(oldRow.offset) else { return true }
        var same = old
        same.icons?.offset = row.offset
        return same != new
    }

    // MARK: Drawing

    func painting(of content: ScreenContent) -> Painting {
        guard let alert = content.alert.map(tidy), let alertStand else {
            return stand.painting(of: sheet(of: content))
        }
        guard ScreenPainter.isEnough(size), stand.painter.hasRoom(for: alert, size: size) else {
            return alertStand.painting(of: sheet(of: alert))
        }
        var painting = stand.painting(of: sheet(of: content))
        stand.painter.paint(alert, focus: alertStand.focus, on: &painting)
        return painting
    }

    func sheet(of content: ScreenContent) -> Sheet {
        stand.painter.contentSheet(of: content, size: size, strip: strip, hints: hints(content))
    }

    func sheet(of alert: ScreenAlert) -> Sheet {
        Sheet(
            title: alert.title,
            body: Sheet.text(alert.text, width: SheetLayout.width(size)),
            buttons: alert.actions,
            hints: [alert.actions.count == 1 ? keyHints.answers : keyHints.chooses, keyHints.scrolls]
        )
    }

    /// The alert with its text cleaned for the terminal. The text may contain a message of the system with
    /// several lines.
    func tidy(_ alert: ScreenAlert) -> ScreenAlert {
        let lines = alert.text.split(whereSeparator: \.isNewline).map { ForeignText.tidy(String($0)) }
        return ScreenAlert(title: alert.title, text: lines.joined(separator: "\n"), actions: alert.actions)
    }

    /// The hints for the keys, the most useful first. The lock key's hint is added only if it fits beside all
    /// other hints.
    private func hints(_ content: ScreenContent) -> [String] {
        let hints = ownHints(content)
        guard let lock = keyHints.lock,
            KeyHints.fit(hints + [lock], width: size.columns, stand.glyphs)
        else { return hints }
        return hints + [lock]
    }

    private func ownHints(_ content: ScreenContent) -> [String] {
        if content.controls.count == 1 { return [keyHints.goesOn] }
        if content.search != nil {
            return [keyHints.marks, keyHints.keeps, keyHints.searches, keyHints.leaves, keyHints.moves]
        }
        if content.cards != nil {
            return [keyHints.turns, keyHints.leaves, keyHints.chooses, keyHints.moves]
        }
        return [keyHints.movesInList, keyHints.sets, keyHints.leaves, keyHints.chooses]
    }
}
