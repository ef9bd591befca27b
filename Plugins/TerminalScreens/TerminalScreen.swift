public import LockScreens

/// A screen in a terminal: its focus, the meaning of keys and clicks, and its current appearance.
///
/// The screen is a pure value. The host gives it new content and the terminal's events. The host also passes
/// the inputs on to the screen's model, and writes the output of ``update(shake:)`` to the terminal after
/// each change.
///
/// Digits and characters go to the entry. Tab and the arrows move the focus between the entry and the
/// controls. Return activates the control with the focus or submits the entry. Esc activates Cancel, or
/// closes a screen without Cancel. If the screen scrolls, the focus also stops at lines of text. Lists and
/// cards have further keys, which the hints in the last row explain.
public struct TerminalScreen: Sendable {
    /// The terminal's size. After a change the next update draws the whole screen.
    public var size: TerminalSize { didSet { sheetScreen?.size = size } }
    /// The texts that explain the keys, with the host's lock key. After a change the next update shows them.
    public var keyHints: KeyHints { didSet { sheetScreen?.keyHints = keyHints } }
    /// The shown content.
    public private(set) var content: ScreenContent
    /// The target that Return would activate; `nil` for the entry.
    public var focus: ScreenTarget? { sheetScreen?.focus ?? entryFocus }
    /// The target with the focus on a screen that is no sheet.
    private var entryFocus: ScreenTarget?
    /// The state of a sheet of lists, cards or texts; `nil` on a screen with an entry or a few controls.
    private var sheetScreen: SheetScreen?
    private let abilities: TerminalAbilities
    private let painter: ScreenPainter
    /// The target that stays visible when the screen scrolls: the line that had the focus last.
    private var anchor: ScreenTarget?
    /// Whether the person has moved the focus on this screen.
    private var hasMoved = false
    private var shown: Canvas?

    /// Creates a screen with its first content.
    ///
    /// - Parameters:
    ///   - content: the first content.
    ///   - size: the terminal's size.
    ///   - abilities: the terminal's abilities.
    ///   - keyHints: the texts that explain the keys, with the host's lock key.
    public init(
        _ content: ScreenContent,
        size: TerminalSize,
        abilities: TerminalAbilities = TerminalAbilities(),
        keyHints: KeyHints = KeyHints()
    ) {
        self.size = size
        self.content = content
        self.abilities = abilities
        self.painter = ScreenPainter(abilities)
        self.keyHints = keyHints
        self.entryFocus = Self.firstFocus(content)
        self.anchor = entryFocus
        if content.isSheet { sheetScreen = makeSheetScreen(content) }
    }

    private func makeSheetScreen(_ content: ScreenContent) -> SheetScreen {
        SheetScreen(content, size: size, abilities: abilities, keyHints: keyHints)
    }

    /// Shows new content, as ``show(_:)`` does.
    ///
    /// - Returns: the effect on the picture.
    public mutating func present(_ new: ScreenContent) -> FaceChange {
        guard new != content else { return .nothing }
        if let sheetScreen, !sheetScreen.isOther(new, than: content) {
            content = new
            return .nothing
        }
        return show(new) ? .error : .picture
    }

    /// Shows new content. The focus stays on its target if the target still exists.
    ///
    /// On a screen that is no sheet, the focus returns to its first place (the entry, the alert's Cancel or
    /// the first control) in two cases:
    /// - the title has changed, or an alert has opened or closed,
    /// - the person has not moved the focus on this screen, and the new content is not busy.
    ///
    /// - Returns: whether the content contains a new error, which shakes the entry.
    @discardableResult
    public mutating func show(_ new: ScreenContent) -> Bool {
        let old = content
        content = new
        let isOtherQuestion = (old.alert == nil) != (new.alert == nil) || old.title != new.title
        if new.isSheet {
            if sheetScreen == nil { sheetScreen = makeSheetScreen(new) } else { sheetScreen?.take(new) }
        } else {
            sheetScreen = nil
            if isOtherQuestion || !isFocusThere || !hasMoved && !new.isBusy {
                entryFocus = Self.firstFocus(new)
                anchor = entryFocus
                hasMoved = false
            }
        }
        return old.title == new.title && new.shakes > old.shakes
    }

    // MARK: Drawing

    /// The screen's current picture.
    ///
    /// - Parameter shake: the number of cells by which the shaking part is moved to the right.
    public func painting(shake: Int = 0) -> Painting {
        if let sheetScreen { return sheetScreen.painting(of: content) }
        return painter.paint(
            content,
            size: size,
            focus: focus,
            anchor: visibleAnchor,
            shake: shake,
            hints: hints
        )
    }

    private var sheet: Sheet? { painter.sheet(of: content, size: size, hints: hints(scrolls: false)) }

    private var visibleAnchor: ScreenTarget? {
        guard focus == nil || anchor == nil else { return anchor }
        return sheet?.entryLine.map(SheetStand.stop)
    }

    /// The hints for the keys, the most useful first.
    private var hints: [String] { hints(scrolls: sheet != nil) }

    private func hints(scrolls: Bool) -> [String] {
        var hints: [String] = []
        let controls = content.alert?.actions ?? content.controls
        if scrolls {
            hints.append(keyHints.scrolls)
        } else if controls.count > 1 || content.entry != nil && !controls.isEmpty {
            hints.append(keyHints.moves)
        }
        if let escape = content.escapeTarget {
            hints.append(escape.id == .ok ? keyHints.closes : keyHints.cancels)
        }
        if content.alert == nil, case .field = content.entry?.style {
            hints.append(keyHints.submits)
        } else if !controls.isEmpty {
            hints.append(keyHints.chooses)
        }
        // The lock key's hint is added only if it fits beside all other hints. The other hints explain how to
        // answer, so they have precedence.
        if let lock = keyHints.lock, KeyHints.fit(hints + [lock], width: size.columns, painter.glyphs) {
            hints.append(lock)
        }
        return hints
    }

    /// Returns the output that makes the terminal show the current screen; empty when the terminal already
    /// shows it.
    public mutating func update(shake: Int = 0) -> [UInt8] {
        let canvas = painting(shake: shake).canvas
        defer { shown = canvas }
        return canvas.update(from: shown, colours: abilities.colours)
    }

    /// Notes that the terminal does not show the screen any more. The next update draws the whole screen.
    public mutating func invalidate() { shown = nil }

    // MARK: Input

    /// Handles an event from the terminal.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - send: called with the inputs for the screen's model, in order.
    public mutating func handle(_ event: TerminalEvent, send: (ScreenInput) -> Void) {
        if sheetScreen != nil {
            sheetScreen?.handle(event, on: content, send: send)
            return
        }
        switch event {
        case .character(let scalar): type(scalar, send)
        // A passcode may be pasted into a field but not onto a number pad.
        case .pasted(let scalar): if content.pad == nil { type(scalar, send) }
        case .key(let key): press(key, send)
        case .control("u"): clearEntry(send)
        case .press(0, let x, let y):
            guard let target = painting().target(x: x, y: y) else { return }
            activate(target, send)
        case .control, .press, .focus, .ignored: break
        }
    }

    private mutating func type(_ scalar: Unicode.Scalar, _ send: (ScreenInput) -> Void) {
        guard content.alert == nil, let entry = content.entry else {
            if scalar == " ", let focus { activate(focus, send) }
            return
        }
        if case .field(digitsOnly: false) = entry.style {
            entryFocus = nil
            send(.character(scalar))
        } else if ("0"..."9").contains(scalar) {
            entryFocus = nil
            send(.digit(Int(scalar.value) - 0x30))
        } else if scalar == " ", let focus {
            activate(focus, send)
        }
    }

    private mutating func press(_ key: TerminalEvent.Key, _ send: (ScreenInput) -> Void) {
        switch key {
        case .tab, .down: moveFocus(by: 1)
        case .backTab, .up: moveFocus(by: -1)
        case .right: if focus != nil { moveFocus(by: 1) }
        case .left: if focus != nil { moveFocus(by: -1) }
        case .delete: if content.alert == nil, content.entry != nil { send(.delete) }
        case .enter:
            if let focus { activate(focus, send) } else if content.alert == nil { send(.submit) }
        case .escape:
            if let target = content.escapeTarget { activate(.control(target.id), send) }
        case .pageUp, .pageDown, .home, .end: break
        }
    }

    private func clearEntry(_ send: (ScreenInput) -> Void) {
        guard content.alert == nil, let entry = content.entry else { return }
        for _ in 0..<entry.filled { send(.delete) }
    }

    private func activate(_ target: ScreenTarget, _ send: (ScreenInput) -> Void) {
        switch target {
        case .digit(let digit): send(.digit(digit))
        case .delete: send(.delete)
        case .control(let id):
            let controls = content.alert?.actions ?? content.controls
            if controls.first(where: { $0.id == id })?.isEnabled == true { send(.activate(id)) }
        case .option(SheetStand.line, _): break
        case .option(let id, let index): send(.choose(id, index))
        }
    }

    // MARK: Focus

    /// The targets that can have the focus, in order. `nil` stands for the entry. If the screen scrolls,
    /// lines of text are among them.
    private var ring: [ScreenTarget?] { sheet.map(ring) ?? plainRing(onlyEnabled: true) }

    private func plainRing(onlyEnabled: Bool) -> [ScreenTarget?] {
        if let alert = content.alert { return alert.actions.filter(\.isEnabled).map { .control($0.id) } }
        let controls = content.controls.filter { $0.isEnabled || !onlyEnabled }
        let items = ListItem.items(of: controls).compactMap(\.target).map { Optional($0) }
        return content.entry == nil ? items : [nil] + items
    }

    private func ring(of sheet: Sheet) -> [ScreenTarget?] {
        let lines = sheet.body.enumerated().compactMap { index, line -> ScreenTarget?? in
            switch line.kind {
            case .item(let target, let isEnabled): isEnabled ? .some(target) : .none
            case .text: .some(index == sheet.entryLine ? nil : SheetStand.stop(index))
            case .heading: .none
            }
        }
        return lines + sheet.buttons.filter(\.isEnabled).map { .control($0.id) }
    }

    /// Whether the target of the focus still exists. A control that is disabled only during an operation
    /// counts as existing.
    private var isFocusThere: Bool {
        ring.contains(focus) || content.isBusy && plainRing(onlyEnabled: false).contains(focus)
    }

    private mutating func moveFocus(by step: Int) {
        let ring = ring
        guard !ring.isEmpty else { return }
        let place = ring.firstIndex(of: focus) ?? 0
        entryFocus = ring[(place + step + ring.count) % ring.count]
        hasMoved = true
        let isButton = sheet?.buttons.contains { focus == .control($0.id) } ?? false
        if !isButton { anchor = focus }
    }

    private static func firstFocus(_ content: ScreenContent) -> ScreenTarget? {
        if let alert = content.alert {
            // The focus begins on Cancel, if the alert has it. A person who only presses Return then changes
            // nothing.
            let safe = alert.actions.first { $0.role == .cancel } ?? alert.actions.first
            return safe.map { .control($0.id) }
        }
        guard content.entry == nil else { return nil }
        // While the screen is busy, its controls are disabled only until the operation ends. So a disabled
        // control can have the focus meanwhile.
        let controls = content.controls.filter { $0.isEnabled || content.isBusy }
        return ListItem.items(of: controls).compactMap(\.target).first
    }
}
