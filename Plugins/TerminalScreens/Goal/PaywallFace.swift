public import GoalLock
internal import LockScreens
internal import PortcullisCore

/// The paywall in a terminal: one card of the carousel at a time, and dots that show its place.
///
/// Left and right move the carousel, up and down the focus between the buttons; a digit shows the card of that place.
public struct PaywallFace: TerminalFace {
    private var stand: SheetStand
    private var content: PaywallScreen.Content

    private static let subscribe = ControlID("subscribe")
    private static let close = ControlID("close")

    /// A paywall with its first content.
    public init(
        _ content: PaywallScreen.Content,
        size: TerminalSize,
        abilities: TerminalAbilities = TerminalAbilities()
    ) {
        self.content = content
        stand = SheetStand(size: size, abilities: abilities, focus: .control(Self.subscribe))
    }

    /// The terminal's size.
    public var size: TerminalSize {
        get { stand.size }
        set { stand.size = newValue }
    }

    /// Takes other content.
    public mutating func present(_ new: PaywallScreen.Content) -> FaceChange {
        guard new != content else { return .nothing }
        content = new
        return .picture
    }

    /// The screen as it looks now.
    public func painting(shake: Int) -> Painting { stand.painting(of: sheet) }

    // MARK: Drawing

    private var sheet: Sheet {
        let card = content.cards[content.index]
        let glyphs = stand.glyphs
        let width = SheetLayout.width(size)
        let message = content.message.map { ForeignText.tidy($0) } ?? (content.isBusy ? glyphs.working : "")
        var sheet = Sheet(
            title: ForeignText.tidy(card.title),
            buttons: [
                ScreenControl(Self.subscribe, title: content.subscribe, isEnabled: !content.isBusy),
                ScreenControl(Self.close, title: content.close, role: .cancel),
            ],
            hints: ["left and right turn the cards", "esc leaves", "return chooses", "tab moves"]
        )
        let news = Sheet.text(
            message,
            width: width,
            style: content.message == nil ? CellStyle(dim: true) : CellStyle(.warning),
            isCentred: true
        )
        let frame = frame(of: card, width: min(width, 46))
        let isFramed = SheetLayout.isRoomy(size) && frame.size.rows + news.count + 8 <= size.rows
        // What stays under the title has no room there where the text scrolls.
        sheet.head = isFramed ? news : []
        sheet.body =
            isFramed ? [] : news + Sheet.text(ForeignText.tidy(card.text), width: width, isCentred: true)
        // The frame has the title in it.
        if isFramed { sheet.title = "" }
        sheet.bands = [isFramed ? frame : dots(width: width)]
        return sheet
    }

    /// The card in front with the dots under it, as high as the highest card so that nothing jumps.
    private func frame(of card: PaywallScreen.Card, width: Int) -> Canvas {
        let glyphs = stand.glyphs
        let inner = max(1, width - 8)
        let texts = content.cards.map { CellWidth.wrap(ForeignText.tidy($0.text), to: inner).count }
        let height = (texts.max() ?? 1) + 6
        var painting = Painting(canvas: Canvas(size: TerminalSize(columns: width, rows: height + 2)))
        let area = CellArea(x: 2, y: 0, width: width - 4, height: height)
        painting.frame(area, glyphs, style: CellStyle(dim: true))
        if content.cards.count > 1 {
            painting.canvas.draw(glyphs.backward, x: 0, y: height / 2, style: CellStyle(.accent))
            painting.canvas.draw(glyphs.onward, x: width - 1, y: height / 2, style: CellStyle(.accent))
        }
        painting.drawCentred(glyphs.symbol(card.symbol), y: 1, style: CellStyle(.accent))
        let title = CellWidth.cut(ForeignText.tidy(card.title), to: inner, ellipsis: glyphs.ellipsis)
        painting.drawCentred(title, y: 2, style: CellStyle(bold: true))
        for (offset, line) in CellWidth.wrap(ForeignText.tidy(card.text), to: inner).enumerated() {
            painting.drawCentred(line, y: 4 + offset)
        }
        painting.canvas.draw(dots(width: width), x: 0, y: height + 1)
        return painting.canvas
    }

    /// A dot for each card, or where they do not fit the place in numbers.
    private func dots(width: Int) -> Canvas {
        let glyphs = stand.glyphs
        var painting = Painting(canvas: Canvas(size: TerminalSize(columns: width, rows: 1)))
        let dots = content.cards.indices.map { $0 == content.index ? glyphs.filledDot : glyphs.emptyDot }
        let text = dots.joined(separator: " ")
        let shown = CellWidth.of(text) <= width ? text : "\(content.index + 1)/\(content.cards.count)"
        painting.drawCentred(shown, y: 0, style: CellStyle(.accent))
        return painting.canvas
    }

    // MARK: Input

    /// Takes what the terminal sent.
    public mutating func handle(_ event: TerminalEvent, send: (PaywallScreen.Event) -> Void) {
        switch event {
        case .key(.left): return send(.previous)
        case .key(.right): return send(.next)
        case .key(.home): return send(.show(0))
        case .key(.end): return send(.show(content.cards.count - 1))
        case .key(.escape): return send(.close)
        case .character(let scalar) where ("1"..."9").contains(scalar):
            return send(.show(Int(scalar.value) - 0x31))
        default: break
        }
        switch stand.handle(event, on: sheet) {
        case .control(Self.subscribe): send(.subscribe)
        case .control(Self.close): send(.close)
        default: break
        }
    }
}
