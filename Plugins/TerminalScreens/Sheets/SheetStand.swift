internal import LockScreens

/// The focus on a sheet, and the meaning of keys and clicks.
struct SheetStand: Sendable {
    var size: TerminalSize
    let painter: ScreenPainter
    private(set) var focus: ScreenTarget? { didSet { remember() } }
    /// The line that had the focus last.
    private(set) var anchor: ScreenTarget?
    private var buttons: Set<ScreenTarget> = []

    init(size: TerminalSize, abilities: TerminalAbilities, focus: ScreenTarget? = nil) {
        self.size = size
        self.painter = ScreenPainter(abilities)
        self.focus = focus
    }

    var glyphs: Glyphs { painter.glyphs }

    func painting(of sheet: Sheet) -> Painting {
        painter.paint(sheet, size: size, focus: focus, anchor: anchor)
    }

    private mutating func remember() {
        if let focus, !buttons.contains(focus) { anchor = focus }
    }

    /// A target for a line of text. The arrow keys can move the focus to this target.
    static func stop(_ index: Int) -> ScreenTarget { .option(line, index) }
    /// The control id of all targets for lines of text.
    static let line = ControlID("line")

    /// Moves the focus to the first target, if the target with the focus no longer exists or is a disabled
    /// row.
    ///
    /// A disabled button keeps the focus. A row that is disabled only during an operation counts as enabled.
    mutating func settle(on sheet: Sheet) {
        let ring = ring(of: sheet)
        buttons = Set(sheet.buttons.map { .control($0.id) })
        let isThere = focus.map { ring.contains($0) || buttons.contains($0) } ?? false
        if !isThere { focus = Self.first(of: sheet) ?? ring.first }
    }

    mutating func setFocus(_ target: ScreenTarget?, on sheet: Sheet) {
        settle(on: sheet)
        focus = target
        settle(on: sheet)
    }

    private static func first(of sheet: Sheet) -> ScreenTarget? {
        for line in sheet.body {
            if case .item(let target, true) = line.kind { return target }
        }
        return sheet.buttons.first(where: \.isEnabled).map { .control($0.id) }
    }

    /// The targets that can have the focus, in order. Lines of text are among them if the sheet scrolls.
    private func ring(of sheet: Sheet) -> [ScreenTarget] {
        let layout = SheetLayout(sheet, size: size, focus: focus, glyphs: glyphs)
        let scrolls = layout.bodyHeight < sheet.body.count
        let lines = sheet.body.enumerated().compactMap { index, line -> ScreenTarget? in
            switch line.kind {
            case .item(let target, let isEnabled): isEnabled ? target : nil
            case .text: scrolls ? Self.stop(index) : nil
            case .heading: nil
            }
        }
        return lines + sheet.buttons.filter(\.isEnabled).map { .control($0.id) }
    }

    /// Handles an event.
    ///
    /// - Returns: the target that the person activated; `nil` for none.
    mutating func handle(_ event: TerminalEvent, on sheet: Sheet) -> ScreenTarget? {
        settle(on: sheet)
        switch event {
        case .key(.down), .key(.tab): move(by: 1, on: sheet)
        case .key(.up), .key(.backTab): move(by: -1, on: sheet)
        case .key(.right): if isOnButton(of: sheet) { move(by: 1, on: sheet) }
        case .key(.left): if isOnButton(of: sheet) { move(by: -1, on: sheet) }
        case .key(.pageDown): jump(by: page(on: sheet), on: sheet)
        case .key(.pageUp): jump(by: -page(on: sheet), on: sheet)
        case .key(.home): jump(by: -Int.max / 2, on: sheet)
        case .key(.end): jump(by: Int.max / 2, on: sheet)
        case .key(.enter), .character(" "): return focus.flatMap { isInert($0) ? nil : $0 }
        case .press(0, let x, let y):
            guard let target = painting(of: sheet).target(x: x, y: y) else { return nil }
            focus = target
            return target
        case .key(.delete), .key(.escape), .character, .pasted, .control, .press, .focus, .ignored: break
        }
        return nil
    }

    private func isInert(_ target: ScreenTarget) -> Bool {
        if case .option(Self.line, _) = target { true } else { false }
    }

    func isOnButton(of sheet: Sheet) -> Bool {
        sheet.buttons.contains { focus == .control($0.id) }
    }

    private func page(on sheet: Sheet) -> Int {
        max(1, SheetLayout(sheet, size: size, focus: focus, glyphs: glyphs).bodyHeight - 1)
    }

    private mutating func move(by step: Int, on sheet: Sheet) {
        let ring = ring(of: sheet)
        guard !ring.isEmpty else { return }
        let place = focus.flatMap { ring.firstIndex(of: $0) } ?? 0
        focus = ring[(place + step + ring.count) % ring.count]
    }

    /// Moves the focus within the lines, and stops at the first and the last line.
    private mutating func jump(by step: Int, on sheet: Sheet) {
        let lines = ring(of: sheet).dropLast(sheet.buttons.count(where: \.isEnabled))
        guard !lines.isEmpty else { return }
        let place = focus.flatMap { lines.firstIndex(of: $0) } ?? (step < 0 ? lines.count : 0)
        focus = lines[min(max(0, place + step), lines.count - 1)]
    }
}
