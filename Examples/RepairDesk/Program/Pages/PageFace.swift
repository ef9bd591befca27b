internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

/// Draws the app's own pages in a terminal, and interprets keys.
///
/// Tab and the arrows move the focus, and Return activates. Letters go to the field. Digits and the arrows to
/// the sides choose a tab.
struct PageFace {
    private static let width = 72
    /// Windows with more rows than this have free rows around the tabs.
    private static let airy = 16
    private static let tabGap = 4

    var size: TerminalSize
    private var content: PageContent
    /// The focused target; `nil` for the field.
    private var focus: ScreenTarget?
    /// The first line that the person has scrolled to; `nil` if the view follows the focus.
    private var firstLine: Int?

    init(_ content: PageContent, size: TerminalSize) {
        (self.content, self.size) = (content, size)
        settle()
    }

    mutating func present(_ new: PageContent) -> FaceChange {
        guard new != content else { return .nothing }
        firstLine = nil
        if new.title != content.title || new.tab != content.tab { focus = nil }
        content = new
        settle()
        return .picture
    }

    // MARK: Drawing

    /// One row of the part that scrolls if the window is too low.
    private struct Line {
        var text = ""
        var style = CellStyle()
        var target: ScreenTarget?
        var isField = false
    }

    private var isAiry: Bool { size.rows > Self.airy }

    /// The first row below the title and the tabs.
    private var firstRow: Int { (content.tabs.isEmpty ? 1 : 2) + (isAiry ? content.tabs.isEmpty ? 1 : 2 : 0) }

    /// The rows for lines. The last row but one stays free, and the last row shows the keys.
    private var room: Int { max(1, size.rows - firstRow - 2) }

    private var area: (left: Int, width: Int) {
        (
            max(0, min(1, size.columns - 2), (size.columns - Self.width) / 2),
            max(1, min(Self.width, size.columns - 2))
        )
    }

    func painting(shake: Int) -> Painting {
        var canvas = Canvas(size: size)
        var targets: [(area: CellArea, target: ScreenTarget)] = []
        let (left, width) = area
        canvas.draw(content.title, x: left, y: 0, style: CellStyle(bold: true))
        if let person = ForeignText.lines(content.person, width: max(1, width - content.title.count - 2))
            .first
        {
            canvas.draw(person, x: left + width - cells(person), y: 0, style: CellStyle(dim: true))
        }
        if !content.tabs.isEmpty { drawTabs(on: &canvas, &targets, y: isAiry ? 2 : 1) }
        let y = firstRow
        let lines = lines(width)
        let shown = window(of: lines, room)
        for (row, line) in lines[shown].enumerated() {
            let isFocused = line.target != nil && line.target == focus
            var style = line.style
            if isFocused { style = CellStyle(style.colour, bold: style.isBold, reversed: true) }
            canvas.draw(line.text, x: left, y: y + row, style: style)
            if let target = line.target {
                targets.append((CellArea(x: left, y: y + row, width: cells(line.text), height: 1), target))
            }
        }
        var keys =
            size.columns < 48
            ? ["Tab", "Return", "Ctrl-C: quit"] : ["Tab: next", "Return: choose", "Ctrl-C: quit"]
        if shown != lines.indices { keys.append("PgUp/PgDn") }
        canvas.draw(keys.joined(separator: "  "), x: left, y: size.rows - 1, style: CellStyle(dim: true))
        return Painting(canvas: canvas, targets: targets)
    }

    private func drawTabs(
        on canvas: inout Canvas,
        _ targets: inout [(area: CellArea, target: ScreenTarget)],
        y: Int
    ) {
        var x = area.left
        for (index, text) in tabs.enumerated() {
            let isShown = index == content.tab
            canvas.draw(text, x: x, y: y, style: CellStyle(isShown ? .accent : .standard, bold: isShown))
            targets.append((CellArea(x: x, y: y, width: text.count, height: 1), .option(.tab, index)))
            x += text.count + Self.tabGap
        }
    }

    /// The text of each tab: all titles, or, if they do not fit, the title of the shown tab and the numbers
    /// of the others.
    private var tabs: [String] {
        let titles = content.tabs.enumerated().map { "\($0 + 1) \($1)" }
        let needed = titles.reduce(-Self.tabGap) { $0 + $1.count + Self.tabGap }
        guard needed > area.width else { return titles }
        return titles.enumerated().map { $0 == content.tab ? $1 : "\($0 + 1)" }
    }

    private func lines(_ width: Int) -> [Line] {
        var lines: [Line] = []
        // A message comes first, so that it is seen even on a long page.
        if let message = content.message {
            let style = CellStyle(message.kind == .error ? .warning : .standard)
            lines += ForeignText.lines(message.text, width: width).map { Line(text: $0, style: style) }
            lines.append(Line())
        }
        for text in content.text {
            lines += ForeignText.lines(text, width: width).map { Line(text: $0) }
        }
        if !content.text.isEmpty { lines.append(Line()) }
        for (index, row) in content.rows.enumerated() {
            let space = max(2, width - cells(row.text) - cells(row.trailing))
            let text = row.text + String(repeating: " ", count: space) + row.trailing
            // If both parts do not fit into one line, the text is broken into several lines.
            let parts = cells(text) > width ? ForeignText.lines(text, width: width) : [text]
            lines += parts.map { Line(text: $0, target: .option(.row, index)) }
        }
        if !content.rows.isEmpty { lines.append(Line()) }
        if let field = content.field {
            let text = "\(field.label): \(field.text)\(focus == nil ? "_" : "")"
            lines += ForeignText.lines(text, width: width).map { Line(text: $0, isField: true) }
            lines.append(Line())
        }
        for action in content.actions {
            let style = CellStyle(dim: content.isBusy)
            lines.append(Line(text: "[ \(action.title) ]", style: style, target: .control(action.id)))
        }
        if lines.last?.text.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// The visible lines: the first ones if the focus is among them, otherwise those around the focus.
    private func window(of lines: [Line], _ room: Int) -> Range<Int> {
        guard lines.count > room else { return lines.indices }
        if let firstLine {
            // The window may have another size since the person scrolled, and so the page other lines.
            let first = min(firstLine, lines.count - room)
            return first..<first + room
        }
        let place =
            lines.lastIndex { focus == nil ? $0.isField : $0.target == focus } ?? 0
        let first = place < room ? 0 : min(place - room / 2, lines.count - room)
        return first..<first + room
    }

    private func cells(_ text: String) -> Int { ForeignText.width(of: text) }

    // MARK: Input

    mutating func handle(_ event: TerminalEvent, send: (ScreenInput) -> Void) {
        switch event {
        case .character(let scalar), .pasted(let scalar): type(scalar, send)
        case .key(.delete): if content.field != nil { send(.delete) }
        case .key(.tab), .key(.down): move(by: 1)
        case .key(.backTab), .key(.up): move(by: -1)
        case .key(.pageDown): turn(by: room)
        case .key(.pageUp): turn(by: -room)
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

    /// The targets that can have the focus, in order; `nil` is the field.
    private var ring: [ScreenTarget?] {
        let rows = content.rows.indices.map { Optional(ScreenTarget.option(.row, $0)) }
        return (content.field == nil ? [] : [nil]) + rows + content.actions.map { .control($0.id) }
    }

    private mutating func settle() {
        if !ring.contains(focus) { focus = ring.first ?? nil }
    }

    private mutating func turn(by rows: Int) {
        let lines = lines(area.width)
        let first = window(of: lines, room).lowerBound + rows
        firstLine = max(0, min(first, lines.count - room))
    }

    private mutating func move(by step: Int) {
        firstLine = nil
        let ring = ring
        guard let place = ring.firstIndex(of: focus) else { return settle() }
        focus = ring[(place + step + ring.count) % ring.count]
    }
}
