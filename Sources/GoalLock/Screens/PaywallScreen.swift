public import LockScreens
public import PortcullisCore

/// What a person gets for paying: a carousel of cards.
public struct PaywallScreen: ContentScreen {
    /// What happens to it.
    public enum Event: Sendable {
        /// What the person did.
        case input(ScreenInput)
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
    private let cards: [ScreenCard]
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
    public init(cards: [ScreenCard], strings: GoalStrings = .english) {
        let own = ScreenCard.appLock(strings)
        self.cards = cards.contains { $0.title == own.title } ? cards : [own] + cards
        self.strings = strings
    }

    /// ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that is to be shown now; title and symbol are those of the card in front.
    public var content: ScreenContent {
        let place = strings.card(index + 1, of: cards.count)
        return ScreenContent(
            title: cards[index].title,
            symbol: cards[index].symbol,
            cards: CardDeck(cards, index: index, accessibilityValue: place),
            message: message.map { ScreenMessage(.error, $0) },
            isBusy: isBusy,
            controls: [
                ScreenControl(.subscribe, title: strings.subscribe, role: .primary, isEnabled: !isBusy),
                ScreenControl(.close, title: strings.close, role: .cancel),
            ]
        )
    }

    /// Takes an event.
    public mutating func handle(_ event: Event, at _: Moment) -> [Effect] {
        switch event {
        case .input(.show(let place)): if cards.indices.contains(place) { index = place }
        case .input(.activate(.subscribe)):
            guard !isBusy else { break }
            isBusy = true
            message = nil
            generation += 1
            return [.purchase(generation: generation)]
        case .input(.activate(.close)):
            // A purchase that runs goes on; its answer comes too late for this screen.
            isBusy = false
            return [.finish(isBought: false)]
        case .input: break
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

extension ScreenCard {
    /// The goal lock's own card on a paywall.
    public static func appLock(_ strings: GoalStrings = .english) -> ScreenCard {
        ScreenCard(symbol: "lock.app.dashed", title: strings.appLock, text: strings.appLockCard)
    }
}
