/// A card with a symbol, a title and a text.
public struct ScreenCard: Sendable, Hashable, Codable {
    /// The name of the symbol on it.
    public var symbol: String
    /// What it is about.
    public var title: String
    /// What it says.
    public var text: String

    /// A card of these parts.
    public init(symbol: String, title: String, text: String) {
        self.symbol = symbol
        self.title = title
        self.text = text
    }
}

/// Cards of which one is in front; after the last comes the first.
public struct CardDeck: Sendable, Hashable, Codable {
    /// The cards, in order.
    public var cards: [ScreenCard]
    /// The place of the card in front, from 0 on.
    public var index: Int
    /// What a screen reader says of the place, such as "Card 3 of 8".
    public var accessibilityValue: String

    /// A deck of these parts.
    public init(_ cards: [ScreenCard], index: Int, accessibilityValue: String) {
        self.cards = cards
        self.index = index
        self.accessibilityValue = accessibilityValue
    }

    /// The card in front; `nil` where there is none at its place.
    public var front: ScreenCard? { cards.indices.contains(index) ? cards[index] : nil }

    /// The place of the card so many places on, or back where `step` is negative; the first follows the last.
    public func index(turnedBy step: Int) -> Int {
        guard !cards.isEmpty else { return 0 }
        let front = min(max(index, 0), cards.count - 1)
        let place = (front + step % cards.count) % cards.count
        return place < 0 ? place + cards.count : place
    }
}
