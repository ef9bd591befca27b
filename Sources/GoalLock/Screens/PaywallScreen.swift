public import LockScreens
public import PortcullisCore

/// What a person gets for paying: a carousel of cards.
public struct PaywallScreen: ScreenModel {
    /// A feature on the carousel.
    public struct Card: Sendable, Hashable {
        /// The name of the symbol on it.
        public var symbol: String
        /// The feature's name.
        public var title: String
        /// What it does.
        public var text: String

        /// A card of these parts.
        public init(symbol: String, title: String, text: String) {
            self.symbol = symbol
            self.title = title
            self.text = text
        }

        /// The goal lock's own card.
        public static func appLock(_ strings: GoalStrings = .english) -> Card {
            Card(symbol: "lock.app.dashed", title: strings.appLock, text: strings.appLockCard)
        }
    }

    /// All that it shows.
    public struct Content: Sendable, Hashable {
        /// The cards, in order; the carousel goes round.
        public var cards: [Card]
        /// The place of the card in front.
        public var index: Int
        /// What a screen reader says of the place, such as "Card 3 of 8".
        public var accessibilityValue: String
        /// Whether a purchase runs.
        public var isBusy: Bool
        /// What went wrong.
        public var message: String?
        /// The text on the button that buys.
        public var subscribe: String
        /// The text on the button that leaves.
        public var close: String
    }

    /// What happens to it.
    public enum Event: Sendable, Hashable {
        /// On to the next card.
        case next
        /// Back to the one before.
        case previous
        /// To the card at this place; one that is not there is passed by.
        case show(Int)
        /// The person wants to buy.
        case subscribe
        /// The person leaves.
        case close
        /// A purchase ended.
        case purchased(Purchase, generation: UInt64)
    }

    /// How a purchase ended.
    public enum Purchase: Sendable, Hashable {
        /// It is paid for.
        case bought
        /// The person thought better of it.
        case cancelled
        /// It did not work.
        case failed(message: String)
    }

    /// What it wants done.
    public enum Effect: Sendable, Hashable {
        /// Sell it; answer with ``Event/purchased(_:generation:)``.
        case purchase(generation: UInt64)
        /// Close the screen.
        case finish(isBought: Bool)
    }

    private let strings: GoalStrings
    private let cards: [Card]
    private var index = 0
    private var isBusy = false
    private var message: String?
    private var generation: UInt64 = 0

    /// A paywall.
    ///
    /// - Parameters:
    ///   - cards: the host's features, seven beside the goal lock's own card, which comes first unless the host put
    ///     it elsewhere.
    ///   - strings: the texts.
    public init(cards: [Card], strings: GoalStrings = .english) {
        let own = Card.appLock(strings)
        self.cards = cards.contains { $0.title == own.title } ? cards : [own] + cards
        self.strings = strings
    }

    /// All that is to be shown now.
    public var content: Content {
        Content(
            cards: cards,
            index: index,
            accessibilityValue: strings.card(index + 1, of: cards.count),
            isBusy: isBusy,
            message: message,
            subscribe: strings.subscribe,
            close: strings.close
        )
    }

    /// Takes an event.
    public mutating func handle(_ event: Event, at _: Moment) -> [Effect] {
        switch event {
        case .next: index = (index + 1) % cards.count
        case .previous: index = (index + cards.count - 1) % cards.count
        case .show(let place): if cards.indices.contains(place) { index = place }
        case .subscribe:
            guard !isBusy else { break }
            isBusy = true
            message = nil
            generation += 1
            return [.purchase(generation: generation)]
        case .close:
            // A purchase that runs goes on; its answer comes too late for this screen.
            isBusy = false
            return [.finish(isBought: false)]
        case .purchased(let purchase, let generation):
            guard isBusy, generation == self.generation else { break }
            isBusy = false
            switch purchase {
            case .bought: return [.finish(isBought: true)]
            case .cancelled: break
            case .failed(let text): message = text
            }
        }
        return []
    }
}
