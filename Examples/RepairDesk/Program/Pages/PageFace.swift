internal import PasscodeLock
internal import TerminalScreens

/// How the app's own pages look in a terminal.
///
/// Tab and the arrows move the focus, Return activates; letters go to the field; the digits and the arrows to the
/// sides choose a tab.
struct PageFace: TerminalFace {
    private static let width = 72

    var size: TerminalSize
    private var content: PageContent
    /// `nil` for the field.
    private var focus: ScreenTarget?

    init(_ content: PageContent, size: TerminalSize) {
        (self.content, self.size) = (content, size)
        settle()
    }

    mutating func present(_ new: PageContent) -> FaceChange {
        guard new != content else { return .nothing }
        if new.title != content.title || new.tab != content.tab { focus = nil }
        content = new
        settle()
        return .picture
    }

    // MARK: Drawing

    func painting(shake: Int) -> Painting {
        var canvas = Canvas(size: size)
        var targets: [(area: CellArea, target: ScreenTarget)] = []
        let left = max(1, (size.columns - Self.width) / 2)
        let width = min(Self.width, size.columns - 2)
        let right = left + width
        func target(_ target: ScreenTarget, _ text: String, x: Int, y: Int, _ style: CellStyle = CellStyle())
        {
            let isFocused = focus == target
            canvas.draw(
                text,
                x: x,
                y: y,
                style: CellStyle(style.colour, bold: style.isBold, reversed: isFocused)
            )
            targets.append((CellArea(x: x, y: y, width: text.count, height: 1), target))
        }
        canvas.draw(content.title, x: left, y: 1, style: CellStyle(bold: true))
        canvas.draw(content.person, x: right - content.person.count, y: 1, style: CellStyle(dim: true))
        var y = 3
        var x = left
        for (index, tab) in content.tabs.enumerated() {
            let style = CellStyle(index == content.tab ? .accent : .standard, bold: index == content.tab)
            target(.option(.tab, index), "\(index + 1) \(tab)", x: x, y: y, style)
            x += tab.count + 6
        }
        if !content.tabs.isEmpty { y += 2 }
        for line in content.text {
            canvas.draw(line, x: left, y: y)
            y += 1
        }
        if !content.text.isEmpty { y += 1 }
        for (index, row) in content.rows.enumerated() {
            let space = max(1, width - row.text.count - row.trailing.count)
            target(
                .option(.row, index),
                row.text + String(repeating: " ", count: space) + row.trailing,
                x: left,
                y: y
            )
            y += 1
        }
        if !content.rows.isEmpty { y += 1 }
        if let field = content.field {
            canvas.draw("\(field.label): \(field.text)\(focus == nil ? "_" : "")", x: left, y: y)
            y += 2
        }
        if let message = content.message {
            canvas.draw(
                message.text,
                x: left,
                y: y,
                style: CellStyle(message.kind == .error ? .warning : .standard)
            )
        }
        y += 2
        for action in content.actions {
            target(.control(action.id), "[ \(action.title) ]", x: left, y: y, CellStyle(dim: content.isBusy))
            y += 1
        }
        canvas.draw(
            "Tab: next   Return: choose   Ctrl-C: quit",
            x: left,
            y: size.rows - 2,
            style: CellStyle(dim: true)
        )
        return Painting(canvas: canvas, targets: targets)
    }

    // MARK: Input

    mutating func handle(_ event: TerminalEvent, send: (ScreenInput) -> Void) {
        switch event {
        case .character(let scalar), .pasted(let scalar): type(scalar, send)
        case .key(.delete): if content.field != nil { send(.delete) }
        case .key(.tab), .key(.down): move(by: 1)
        case .key(.backTab), .key(.up): move(by: -1)
        case .key(.right): if !content.tabs.isEmpty { send(.choose(.tab, content.tab + 1)) }
        case .key(.left): if !content.tabs.isEmpty { send(.choose(.tab, content.tab - 1)) }
        case .key(.escape): if content.actions.contains(where: { $0.id == .back }) { send(.activate(.back)) }
        case .key(.enter): if let focus { activate(focus, send) } else { send(.submit) }
        case .press(0, let x, let y):
            if let target = painting(shake: 0).target(x: x, y: y) { activate(target, send) }
        case .key, .control, .press, .focus, .ignored: break
        }
    }

    private mutating func type(_ scalar: Unicode.Scalar, _ send: (ScreenInput) -> Void) {
        if content.field != nil, scalar != " " || focus == nil {
            focus = nil
            send(.character(scalar))
        } else if scalar == " ", let focus {
            activate(focus, send)
        } else if let digit = Character(scalar).wholeNumberValue, content.tabs.indices.contains(digit - 1) {
            send(.choose(.tab, digit - 1))
        }
    }

    private func activate(_ target: ScreenTarget, _ send: (ScreenInput) -> Void) {
        switch target {
        case .control(let id): if !content.isBusy { send(.activate(id)) }
        case .option(let id, let index): send(.choose(id, index))
        case .digit, .delete: break
        }
    }

    /// What the focus can be on, in order; `nil` is the field.
    private var ring: [ScreenTarget?] {
        let rows = content.rows.indices.map { Optional(ScreenTarget.option(.row, $0)) }
        return (content.field == nil ? [] : [nil]) + rows + content.actions.map { .control($0.id) }
    }

    private mutating func settle() {
        if !ring.contains(focus) { focus = ring.first ?? nil }
    }

    private mutating func move(by step: Int) {
        let ring = ring
        guard let place = ring.firstIndex(of: focus) else { return settle() }
        focus = ring[(place + step + ring.count) % ring.count]
    }
}
