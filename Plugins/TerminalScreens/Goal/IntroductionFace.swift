public import GoalLock
internal import LockScreens
internal import PortcullisCore

/// The introduction of the goal lock in a terminal.
///
/// The row of apps moves by whole cells: most ticks of the model change nothing here, and cost nothing.
public struct IntroductionFace: TerminalFace {
    private var stand: SheetStand
    private var content: IntroductionScreen.Content
    private let labels: [String]
    /// Cells from one app to the next.
    private let pitch: Int

    private static let start = ControlID("start")
    private static let widest = 16

    /// An introduction with its first content.
    public init(
        _ content: IntroductionScreen.Content,
        size: TerminalSize,
        abilities: TerminalAbilities = TerminalAbilities()
    ) {
        self.content = content
        let stand = SheetStand(size: size, abilities: abilities, focus: .control(Self.start))
        self.stand = stand
        let labels = content.icons.map { icon in
            let symbol = stand.glyphs.symbol(icon.symbol)
            let label = ForeignText.line(icon.label, or: icon.symbol)
            let text = symbol.isEmpty ? label : symbol + " " + label
            return CellWidth.cut(text, to: Self.widest, ellipsis: stand.glyphs.ellipsis)
        }
        self.labels = labels
        // The text, a blank and a frame on both sides, and a gap.
        pitch = (labels.map { CellWidth.of($0) }.max() ?? 0) + 5
    }

    /// The terminal's size.
    public var size: TerminalSize {
        get { stand.size }
        set { stand.size = newValue }
    }

    /// Takes other content, and says whether the row has moved by a cell.
    public mutating func present(_ new: IntroductionScreen.Content) -> FaceChange {
        let (old, before) = (content, shift)
        content = new
        guard shift == before else { return .picture }
        var same = old
        same.offset = new.offset
        return same == new ? .nothing : .picture
    }

    /// By how many cells the row has moved.
    private var shift: Int { Int(content.offset * Double(pitch)) }

    /// The screen as it looks now.
    public func painting(shake: Int) -> Painting { stand.painting(of: sheet) }

    private var sheet: Sheet {
        let width = SheetLayout.width(size)
        var sheet = Sheet(
            symbol: content.symbol,
            title: content.title,
            body: Sheet.text(content.text, width: min(width, 56), isCentred: true),
            buttons: [ScreenControl(Self.start, title: content.button)],
            hints: ["return goes on"]
        )
        if !labels.isEmpty { sheet.bands = [row(isFramed: true), row(isFramed: false)] }
        return sheet
    }

    /// The row of apps from edge to edge, as much of it as fits.
    private func row(isFramed: Bool) -> Canvas {
        let width = size.columns
        let strip = Canvas(size: TerminalSize(columns: width, rows: isFramed ? 3 : 1))
        var painting = Painting(canvas: strip)
        let first = shift / pitch
        let count = width / pitch + 2
        for place in 0..<count {
            // Fewer apps than fit stand there once, unless they move.
            let isOnce = labels.count * pitch <= width && content.offset == 0
            if isOnce, place >= labels.count { break }
            let label = labels[(first + place) % labels.count]
            let start = isOnce ? (width - labels.count * pitch + 1) / 2 : 0
            let x = start + place * pitch - shift % pitch
            let room = pitch - 5
            if isFramed {
                let area = CellArea(x: x, y: 0, width: room + 4, height: 3)
                painting.frame(area, stand.glyphs, style: CellStyle(dim: true))
            }
            let inset = (room - CellWidth.of(label)) / 2
            painting.canvas.draw(label, x: x + 2 + inset, y: isFramed ? 1 : 0, style: CellStyle(.accent))
        }
        return painting.canvas
    }

    /// Takes what the terminal sent; Esc goes on as well, because there is nothing else to do here.
    public mutating func handle(_ event: TerminalEvent, send: (IntroductionScreen.Event) -> Void) {
        let isChosen = stand.handle(event, on: sheet) == .control(Self.start)
        if isChosen || event == .key(.escape) || event == .key(.enter) { send(.getStarted) }
    }
}
