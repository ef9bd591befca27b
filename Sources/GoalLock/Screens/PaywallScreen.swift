public import LockScreens
public import PortcullisCore

/// The screen that offers the paid features: a carousel of cards.
public struct PaywallScreen: ContentScreen {
    /// An event for the screen.
    public enum Event: Sendable {
        /// The person used the screen.
        case input(ScreenInput)
        /// A purchase ended.
        case purchased(Purchase, generation: UInt64)
    }

    /// The result of a purchase.
    public enum Purchase: Sendable, Hashable {
        /// The purchase succeeded.
        case bought
        /// The person cancelled the purchase.
        case cancelled
        /// The purchase failed.
        case failed(message: String)
    }

    /// An effect that the screen asks its driver for.
    public enum Effect: Sendable, Hashable {
        /// Start a purchase. Answer with ``Event/purchased(_:generation:)``.
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

    /// Makes a paywall.
    ///
    /// - Parameters:
    ///   - cards: the cards of the host's features. The goal lock's own card is put first if it is not in the
    ///     list. The list may have any number of cards.
    ///   - strings: the texts.
    public init(cards: [ScreenCard], strings: GoalStrings = .english) {
        let own = ScreenCard.appLock(strings)
        self.cards = cards.contains { $0.title == own.title } ? cards : [own] + cards
        self.strings = strings
    }

    /// Wraps an input in the event ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// The present content of the screen. Title and symbol are those of the front card.
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

    /// Handles an event and returns the effects.
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
            // A purchase that is under way continues, but this screen ignores its result.
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
    /// The goal lock's card on a paywall.
    public static func appLock(_ strings: GoalStrings = .english) -> ScreenCard {
        ScreenCard(symbol: "lock.app.dashed", title: strings.appLock, text: strings.appLockCard)
    }
}
