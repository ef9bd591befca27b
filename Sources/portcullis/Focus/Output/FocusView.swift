internal import GoalLock
internal import PortcullisCore

/// What a person sees of the lock at an instant.
struct FocusView: Sendable, Hashable {
    /// An app or a category that is chosen, and how far it is shut.
    struct Item: Sendable, Hashable {
        var token: String
        var label: String
        var isCategory: Bool
        /// `nil` while no shield is up.
        var state: ShieldCoverage.State?

        /// Whether it is kept shut.
        var isShut: Bool { state == .gated || state == .reactive }
    }

    var title: String
    var date: CivilDate
    var progress: Double
    var goal: Double
    /// Why apps are open; `nil` while they are shut.
    var reason: GoalStatus.Reason?
    /// What is chosen, in the order of labels.
    var items: [Item]
    /// When the next day begins, since boot.
    var nextDay: Duration
    /// Whether the last reading of the progress failed.
    var isProgressUnknown: Bool

    /// A view of a status.
    ///
    /// - Parameters:
    ///   - status: the lock.
    ///   - title: what the goal is called.
    ///   - items: what is chosen.
    ///   - now: the time since boot at which the status was asked for.
    init(_ status: GoalStatus, title: String, items: [Item], now: Duration) {
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
    var isUnlocked: Bool { reason == .reached }

    /// What is kept shut.
    var shut: [Item] { items.filter(\.isShut) }

    /// Whether two views tell the same, the time that passes aside.
    func tellsTheSame(as other: FocusView) -> Bool {
        var other = other
        other.nextDay = nextDay
        return self == other
    }
}

extension GoalStatus.Reason {
    /// The reason's stable name in JSON.
    var name: String {
        switch self {
        case .disabled: "disabled"
        case .notEntitled: "notEntitled"
        case .notAuthorized: "notAuthorized"
        case .nothingSelected: "nothingSelected"
        case .reached: "reached"
        }
    }
}

extension ShieldCoverage.State {
    /// The state's stable name in JSON.
    var name: String {
        switch self {
        case .gated: "gated"
        case .reactive: "reactive"
        case .unresolved: "unresolved"
        case .refused: "refused"
        }
    }
}
