internal import LockScreens
internal import PortcullisCore

/// Draws a deck of cards in a terminal: the front card in a frame, and under it dots that show its place in
/// the deck.
struct CardFrame {
    let deck: CardDeck
    let glyphs: Glyphs

    /// Returns the front card with the dots under it. The frame is as high as the highest card needs, so that
    /// nothing moves when a card is turned.
    func canvas(width: Int) -> Canvas {
        let inner = max(1, width - 8)
        let texts = deck.cards.map { CellWidth.wrap(ForeignText.tidy($0.text), to: inner).count }
        let height = (texts.max() ?? 1) + 6
        var painting = Painting(canvas: Canvas(size: TerminalSize(columns: width, rows: height + 2)))
        let area = CellArea(x: 2, y: 0, width: width - 4, height: height)
        painting.frame(area, glyphs, style: CellStyle(dim: true))
        if deck.cards.count > 1 {
            painting.canvas.draw(glyphs.backward, x: 0, y: height / 2, style: CellStyle(.accent))
            painting.canvas.draw(glyphs.onward, x: width - 1, y: height / 2, style: CellStyle(.accent))
        }
        if let card = deck.front {
            painting.drawCentred(glyphs.symbol(card.symbol), y: 1, style: CellStyle(.accent))
            let title = CellWidth.cut(ForeignText.tidy(card.title), to: inner, ellipsis: glyphs.ellipsis)
            painting.drawCentred(title, y: 2, style: CellStyle(bold: true))
            for (offset, line) in CellWidth.wrap(ForeignText.tidy(card.text), to: inner).enumerated() {
                painting.drawCentred(line, y: 4 + offset)
            }
        }
        painting.canvas.draw(dots(width: width), x: 0, y: height + 1)
        return painting.canvas
    }

    /// A dot for each card. If the dots do not fit, the front card's place is shown in numbers.
    func dots(width: Int) -> Canvas {
        var painting = Painting(canvas: Canvas(size: TerminalSize(columns: width, rows: 1)))
        let dots = deck.cards.indices.map { $0 == deck.index ? glyphs.filledDot : glyphs.emptyDot }
        let text = dots.joined(separator: " ")
        let shown = CellWidth.of(text) <= width ? text : "\(deck.index &+ 1)/\(deck.cards.count)"
        painting.drawCentred(shown, y: 0, style: CellStyle(.accent))
        return painting.canvas
    }
}
