public import PortcullisCore

/// What a person sees of the lock at an instant: its status, with what is chosen by label.
public struct GoalView: Sendable, Hashable {
    /// An app or a category that is chosen, and how far it is shut.
    public struct Item: Sendable, Hashable {
        /// The token's text.
        public var token: String
        /// What a person calls it.
        public var label: String
        /// Whether it is a category rather than an app.
        public var isCategory: Bool
        /// What the shield does to it; `nil` while no shield is up.
        public var state: ShieldCoverage.State?

        /// An item of these parts.
        public init(token: String, label: String, isCategory: Bool, state: ShieldCoverage.State?) {
            self.token = token
            self.label = label
            self.isCategory = isCategory
            self.state = state
        }

        /// Whether it is kept shut.
        public var isShut: Bool { state == .gated || state == .reactive }
    }

    /// What the goal is called.
    public var title: String
    /// Today, as the lock counts days.
    public var date: CivilDate
    /// How far the person got today, in the host's unit.
    public var progress: Double
    /// How far to get, in the same unit.
    public var goal: Double
    /// Why apps are open; `nil` while they are shut.
    public var reason: GoalStatus.Reason?
    /// What is chosen, in the order of labels.
    public var items: [Item]
    /// When the next day begins, since boot.
    public var nextDay: Duration
    /// Whether the last reading of the progress failed.
    public var isProgressUnknown: Bool

    /// A view of a status.
    ///
    /// - Parameters:
    ///   - status: the lock.
    ///   - title: what the goal is called.
    ///   - items: what is chosen.
    ///   - now: the time since boot at which the status was asked for.
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

    /// Whether today's goal was reached.
    public var isUnlocked: Bool { reason == .reached }

    /// What is kept shut.
    public var shut: [Item] { items.filter(\.isShut) }

    /// Whether two views tell the same, the time that passes aside.
    func tellsTheSame(as other: GoalView) -> Bool {
        var other = other
        other.nextDay = nextDay
        return self == other
    }
}

extension GoalView {
    /// A view of a status, with the labels of a catalogue.
    ///
    /// - Parameters:
    ///   - status: the lock.
    ///   - title: what the goal is called.
    ///   - catalogue: the labels; what it does not list goes by its token, and so does all without a catalogue.
    ///   - coverage: what the shield does; `nil` while none is up.
    ///   - now: the time since boot at which the status was asked for.
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
