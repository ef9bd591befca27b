public import LockScreens
public import PortcullisCore

/// The introduction of the feature, shown once.
public struct IntroductionScreen: ContentScreen {
    /// What happens to it.
    public enum Event: Sendable {
        /// It is on the screen.
        case appeared
        /// It is not any more.
        case disappeared
        /// The time that ``Effect/tick(after:generation:)`` asked for has passed.
        case tick(generation: UInt64)
        /// What the person did.
        case input(ScreenInput)
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
    private let icons: [ScreenIcon]
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
    public init(icons: [ScreenIcon], movesByItself: Bool = true, strings: GoalStrings = .english) {
        self.icons = icons
        self.movesByItself = movesByItself
        self.strings = strings
    }

    /// ``Event/input(_:)``.
    public static func input(_ input: ScreenInput) -> Event { .input(input) }

    /// All that is to be shown now.
    public var content: ScreenContent {
        ScreenContent(
            title: strings.introductionTitle,
            symbol: "lock.app.dashed",
            icons: icons.isEmpty ? nil : IconRow(icons, offset: Double(ticks) / Double(Self.ticksPerIcon)),
            controls: [ScreenControl(.getStarted, title: strings.getStarted, role: .primary)],
            texts: [.paragraph(strings.introductionText)]
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
        case .input(.activate(.getStarted)):
            guard isShown else { return [] }
            isShown = false
            return [.openSettings]
        case .input:
            return []
        }
    }

    /// Only a tick: a row of icons that moves keeps no screen alive.
    public static func isWait(_ effect: Effect) -> Bool {
        if case .tick = effect { true } else { false }
    }

    private var nextTick: Effect { .tick(after: Self.tick, generation: generation) }
}
