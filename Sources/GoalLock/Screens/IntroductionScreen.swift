public import LockScreens
public import PortcullisCore

/// The screen that introduces the feature once.
public struct IntroductionScreen: ContentScreen {
    /// An event for the screen.
    public enum Event: Sendable {
        /// The screen appeared.
        case appeared
        /// The screen disappeared.
        case disappeared
        /// The wait of ``Effect/tick(after:generation:)`` is over.
        case tick(generation: UInt64)
        /// The person used the screen.
        case input(ScreenInput)
    }

    /// An effect that the screen asks its driver for.
    public enum Effect: Sendable, Hashable {
        /// Record that the feature was introduced.
        case note
        /// Send ``Event/tick(generation:)`` after this time.
        case tick(after: Duration, generation: UInt64)
        /// Dismiss the screen and open the settings.
        case openSettings
    }

    /// The time between two moves of the row of icons.
    public static let tick = Duration.milliseconds(10)
    private static let ticksPerIcon = 100

    private let strings: GoalStrings
    private let icons: [ScreenIcon]
    private let movesByItself: Bool
    private var ticks = 0
    private var generation: UInt64 = 0
    private var isShown = false
    private var isNoted = false

    /// Makes the introduction in its state before it appears.
    ///
    /// - Parameters:
    ///   - icons: the host's list of apps.
    ///   - movesByItself: whether the row of icons moves. Pass `false` if the person asked for less motion.
    ///   - strings: the texts.
    public init(icons: [ScreenIcon], movesByItself: Bool = true, strings: GoalStrings = .english) {
        self.icons = icons
        self.movesByItself = movesByItself
        self.strings = strings
    }

    /// Wraps an input in the event ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// The present content of the screen.
    public var content: ScreenContent {
        ScreenContent(
            title: strings.introductionTitle,
            symbol: "lock.app.dashed",
            icons: icons.isEmpty ? nil : IconRow(icons, offset: Double(ticks) / Double(Self.ticksPerIcon)),
            controls: [ScreenControl(.getStarted, title: strings.getStarted, role: .primary)],
            texts: [.paragraph(strings.introductionText)]
        )
    }

    /// Handles an event and returns the effects.
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
            // The position is counted in whole ticks, so that it stays exact for hours.
            ticks = (ticks + 1) % (icons.count * Self.ticksPerIcon)
            return [nextTick]
        case .input(.activate(.getStarted)):
            guard isShown else { return [] }
            isShown = false
            return [.openSettings]
        case .input:
            return []
        }
    }

    /// Whether an effect only waits. Only ``Effect/tick(after:generation:)`` does. A task that carries out a
    /// wait does not keep the screen alive. So the moving row of icons does not keep a closed screen alive.
    public static func isWait(_ effect: Effect) -> Bool {
        if case .tick = effect { true } else { false }
    }

    private var nextTick: Effect { .tick(after: Self.tick, generation: generation) }
}
