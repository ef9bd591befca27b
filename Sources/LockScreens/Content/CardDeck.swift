/// A card with a symbol, a title and a text.
public struct ScreenCard: Sendable, Hashable, Codable {
    /// The name of the card's symbol.
    public var symbol: String
    /// The card's title.
    public var title: String
    /// The card's text.
    public var text: String

    /// Makes a card.
    public init(symbol: String, title: String, text: String) {
        self.symbol = symbol
        self.title = title
        self.text = text
    }
}

/// A row of cards, one of which is in front. The row is circular: the first card follows the last.
public struct CardDeck: Sendable, Hashable, Codable {
    /// The cards, in order.
    public var cards: [ScreenCard]
    /// The index of the front card, from 0 on.
    public var index: Int
    /// The text with which a screen reader announces the front card's position, such as "Card 3 of 8".
    public var accessibilityValue: String

    /// Makes a deck.
    public init(_ cards: [ScreenCard], index: Int, accessibilityValue: String) {
        self.cards = cards
        self.index = index
        self.accessibilityValue = accessibilityValue
    }

    /// The front card; `nil` if the index is outside of the deck.
    public var front: ScreenCard? { cards.indices.contains(index) ? cards[index] : nil }

    /// The index of the card `step` positions ahead, or back if `step` is negative. The first card follows
    /// the last.
    public func index(turnedBy step: Int) -> Int {
        guard !cards.isEmpty else { return 0 }
        let front = min(max(index, 0), cards.count - 1)
        let place = (front + step % cards.count) % cards.count
        return place < 0 ? place + cards.count : place
    }
}
