public import LockScreens
public import PortcullisCore

/// The introduction of the feature, shown once.
public struct IntroductionScreen: ScreenModel {
    /// An app's icon in the row.
    public struct Icon: Sendable, Hashable {
        /// The icon's name, as the host's user interface knows it.
        public var symbol: String
        /// What a screen reader says of it.
        public var label: String

        /// An icon of these parts.
        public init(symbol: String, label: String) {
            self.symbol = symbol
            self.label = label
        }
    }

    /// All that it shows.
    public struct Content: Sendable, Hashable {
        /// The symbol on top.
        public var symbol: String
        /// The title.
        public var title: String
        /// The text beneath.
        public var text: String
        /// The row of icons; it goes round.
        public var icons: [Icon]
        /// How far the row has moved, in widths of an icon: at least 0 and less than their number.
        public var offset: Double
        /// The text on the button.
        public var button: String
    }

    /// What happens to it.
    public enum Event: Sendable, Hashable {
        /// It is on the screen.
        case appeared
        /// It is not any more.
        case disappeared
        /// The time that ``Effect/tick(after:generation:)`` asked for has passed.
        case tick(generation: UInt64)
        /// "Get Started".
        case getStarted
    }

    /// What it wants done.
    public enum Effect: Sendable, Hashable {
        /// Note that the feature was introduced.
        case note
        /// Send ``Event/tick(generation:)`` after this time.
        case tick(after: Duration, generation: UInt64)
        /// Dismiss the screen and open the settings.
        case openSettings
    }

    /// How often the row moves.
    public static let tick = Duration.milliseconds(10)
    private static let ticksPerIcon = 100

    private let strings: GoalStrings
    private let icons: [Icon]
    private let movesByItself: Bool
    private var ticks = 0
    private var generation: UInt64 = 0
    private var isShown = false
    private var isNoted = false

    /// An introduction before it appears.
    ///
    /// - Parameters:
    ///   - icons: the host's list of apps.
    ///   - movesByItself: `false` where the person asked for less motion.
    ///   - strings: the texts.
    public init(icons: [Icon], movesByItself: Bool = true, strings: GoalStrings = .english) {
        self.icons = icons
        self.movesByItself = movesByItself
        self.strings = strings
    }

    /// All that is to be shown now.
    public var content: Content {
        Content(
            symbol: "lock.app.dashed",
            title: strings.introductionTitle,
            text: strings.introductionText,
            icons: icons,
            offset: Double(ticks) / Double(Self.ticksPerIcon),
            button: strings.getStarted
        )
    }

    /// Takes an event.
    public mutating func handle(_ event: Event, at _: Moment) -> [Effect] {
        switch event {
        case .appeared:
            guard !isShown else { return [] }
            isShown = true
            generation += 1
            var effects: [Effect] = isNoted ? [] : [.note]
            isNoted = true
            if movesByItself, icons.count > 1 { effects.append(nextTick) }
            return effects
        case .disappeared:
            isShown = false
            return []
        case .tick(let generation):
            guard isShown, icons.count > 1, generation == self.generation else { return [] }
            // Counted in whole ticks, so that the row goes round for hours without losing its place.
            ticks = (ticks + 1) % (icons.count * Self.ticksPerIcon)
            return [nextTick]
        case .getStarted:
            guard isShown else { return [] }
            isShown = false
            return [.openSettings]
        }
    }

    /// Only a tick: a row of icons that moves keeps no screen alive.
    public static func isWait(_ effect: Effect) -> Bool {
        if case .tick = effect { true } else { false }
    }

    private var nextTick: Effect { .tick(after: Self.tick, generation: generation) }
}
