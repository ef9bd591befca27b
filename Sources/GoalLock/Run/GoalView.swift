public import PortcullisCore

/// The lock at an instant as a person sees it: its status, and the chosen apps by label.
public struct GoalView: Sendable, Hashable {
    /// A chosen app or category, and the shield's state for it.
    public struct Item: Sendable, Hashable {
        /// The token's text.
        public var token: String
        /// The app's or category's label.
        public var label: String
        /// Whether the item is a category rather than an app.
        public var isCategory: Bool
        /// The shield's state for the item; `nil` while no shield is up.
        public var state: ShieldCoverage.State?

        /// Makes an item.
        public init(token: String, label: String, isCategory: Bool, state: ShieldCoverage.State?) {
            self.token = token
            self.label = label
            self.isCategory = isCategory
            self.state = state
        }

        /// Whether the shield keeps the item shut.
        public var isShut: Bool { state == .gated || state == .reactive }
    }

    /// The goal's name.
    public var title: String
    /// Today's date. The date changes at the lock's start of days, which need not be midnight.
    public var date: CivilDate
    /// Today's progress, in the host's unit.
    public var progress: Double
    /// The goal, in the host's unit.
    public var goal: Double
    /// The reason why apps are open; `nil` while they are shut.
    public var reason: GoalStatus.Reason?
    /// The chosen items: the apps, then the categories, each group sorted by label.
    public var items: [Item]
    /// The time since boot at which the next day begins.
    public var nextDay: Duration
    /// Whether today's progress is unknown: it could not be read, or was measured on another date, or the run
    /// has not read it yet.
    public var isProgressUnknown: Bool

    /// Makes a view of a status.
    ///
    /// - Parameters:
    ///   - status: the lock's status.
    ///   - title: the goal's name.
    ///   - items: the chosen items.
    ///   - now: the time since boot at which the status was read.
    public init(_ status: GoalStatus, title: String, items: [Item], now: Duration) {
        self.title = title
        date = status.date
        progress = status.progress
        goal = status.goal
        reason = status.reason
        self.items = items
        nextDay = now + status.untilNextDay
        isProgressUnknown = status.isProgressUnreadable
    }

    /// Whether today's goal is reached.
    public var isUnlocked: Bool { reason == .reached }

    /// The items that the shield keeps shut.
    public var shut: [Item] { items.filter(\.isShut) }

    /// Whether two views are equal, except for the time of the next day.
    func tellsTheSame(as other: GoalView) -> Bool {
        var other = other
        other.nextDay = nextDay
        return self == other
    }
}

extension GoalView {
    /// Makes a view of a status, with the labels of a catalogue.
    ///
    /// - Parameters:
    ///   - status: the lock's status.
    ///   - title: the goal's name.
    ///   - catalogue: the labels; `nil`: there are none. The label of a token that is not in the catalogue is
    ///     the token's own text.
    ///   - coverage: the coverage of the shield; `nil` while no shield is up.
    ///   - now: the time since boot at which the status was read.
    public init(
        _ status: GoalStatus,
        title: String,
        catalogue: ShieldCatalogue?,
        coverage: ShieldCoverage?,
        now: Duration
    ) {
        let labels = CatalogueLabels(catalogue)
        let selection = status.selection
        let apps = selection.apps.map { token in
            Item(
                token: token.rawValue,
                label: labels.label(of: token),
                isCategory: false,
                state: coverage?.apps[token]
            )
        }
        let categories = selection.categories.map { token in
            Item(
                token: token.rawValue,
                label: labels.label(of: token),
                isCategory: true,
                state: coverage?.categories[token]
            )
        }
        func sorted(_ items: [Item]) -> [Item] {
            items.sorted { ($0.label.lowercased(), $0.token) < ($1.label.lowercased(), $1.token) }
        }
        self.init(status, title: title, items: sorted(apps) + sorted(categories), now: now)
    }
}
