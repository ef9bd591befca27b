internal import PortcullisCore

/// A message of a run as JSON, for other programs. Existing keys do not change. New keys may be added.
///
/// | event | members |
/// | --- | --- |
/// | `status` | `date`, `title`, `progress`, `progressKnown` (`false` until the run has read it, and while it cannot be read or is of another date), `goal`, `unlocked`, `reason` (why no app should be shut, such as `reached`, `disabled`, `nothingSelected`; `null` if apps should be shut), `shut` (the number of shut apps and categories; if it is above zero and `reason` is not `null`, the shield could not be lifted), `apps`, `categories` (objects with `token` and `label`; with `state` while the shield is up; with `why` for a refused token), `untilNextDay` (seconds) |
/// | `day` | `date` |
/// | `started` | `token`, `label`, `denied` (`true`: the app did not start; `false`: it was stopped right after its start), `toGo` (the progress that is missing to the goal); reported at most every 5 s for each app |
/// | `problem`, `solved` | `about` (`progress`, `lock` or `shield`), `message` (only in `problem`) |
/// | `ended` | `reason` (`reached`, `released`, `inputEnded`, `signal`, `cancelled`), `signal` (its number) |
public struct GoalMessageRecord: Encodable, Sendable {
    /// An app or a category.
    struct Item: Encodable, Sendable {
        var token: String
        var label: String
        /// The state of the token; absent while no shield is up.
        var state: String?
        /// The reason why the token is refused.
        var why: String?

        init(_ item: GoalView.Item) {
            token = ForeignText.line(item.token)
            label = ForeignText.line(item.label)
            state = item.state?.name
            if case .refused(let reason) = item.state { why = ForeignText.line(reason) }
        }
    }

    /// The members of the event `status`, which describe the lock.
    public struct Status: Encodable, Sendable {
        var date: String
        var title: String
        var progress: Double
        var progressKnown: Bool
        var goal: Double
        var unlocked: Bool
        var reason: String?
        var shut: Int
        var apps: [Item]
        var categories: [Item]
        /// The seconds until the next day begins.
        var untilNextDay: Int64

        private enum Key: String, CodingKey {
            case date, title, progress, progressKnown, goal, unlocked, reason, shut, apps, categories
            case untilNextDay
        }

        /// Makes the members from a view. `now` is the present time since boot.
        public init(_ view: GoalView, now: Duration) {
            date = view.date.description
            title = ForeignText.line(view.title)
            progress = view.progress
            progressKnown = !view.isProgressUnknown
            goal = view.goal
            unlocked = view.isUnlocked
            reason = view.reason?.name
            shut = view.shut.count
            apps = view.items.filter { !$0.isCategory }.map(Item.init)
            categories = view.items.filter(\.isCategory).map(Item.init)
            untilNextDay = max(0, (view.nextDay - now).components.seconds)
        }

        /// Encodes the members of the JSON object.
        public func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Key.self)
            try members.encode(date, forKey: .date)
            try members.encode(title, forKey: .title)
            try members.encode(progress, forKey: .progress)
            try members.encode(progressKnown, forKey: .progressKnown)
            try members.encode(goal, forKey: .goal)
            try members.encode(unlocked, forKey: .unlocked)
            // The reason is written even if it is `null`, because `null` has a meaning: the apps are shut.
            try members.encode(reason, forKey: .reason)
            try members.encode(shut, forKey: .shut)
            try members.encode(apps, forKey: .apps)
            try members.encode(categories, forKey: .categories)
            try members.encode(untilNextDay, forKey: .untilNextDay)
        }
    }

    private struct Other: Encodable, Sendable {
        var event: String
        var date: String?
        var about: String?
        var message: String?
        var reason: String?
        var signal: Int32?
        var token: String?
        var label: String?
        var denied: Bool?
        var toGo: Double?
    }

    private enum Key: String, CodingKey { case event }

    private var other: Other
    private var status: Status?

    /// Makes the JSON of a message. `now` is the time since boot at which the message is reported.
    /// ``GoalMessage/stale(_:today:)`` becomes a `problem`, and ``GoalMessage/current`` becomes `solved`.
    public init(_ message: GoalMessage, now: Duration) {
        switch message {
        case .status(let view):
            other = Other(event: "status")
            status = Status(view, now: now)
        case .day(let date): other = Other(event: "day", date: date.description)
        case .started(let start, let view):
            other = Other(event: "started")
            other.token = ForeignText.line(start.token)
            other.label = ForeignText.line(start.label)
            other.denied = start.isDenied
            other.toGo = max(0, view.goal - view.progress)
        case .problem(let subject, let text):
            other = Other(event: "problem", about: subject.rawValue, message: ForeignText.line(text))
        case .solved(let subject): other = Other(event: "solved", about: subject.rawValue)
        case .stale(let date, let today):
            other = Other(
                event: "problem",
                about: GoalMessage.Subject.progress.rawValue,
                message: "the progress is of \(date): it says nothing about \(today)"
            )
        case .current: other = Other(event: "solved", about: GoalMessage.Subject.progress.rawValue)
        case .ended(let ending):
            other = Other(event: "ended", reason: ending.name)
            if case .signal(let number) = ending { other.signal = number }
        }
    }

    /// Encodes the members of the JSON object.
    public func encode(to encoder: any Encoder) throws {
        guard let status else { return try other.encode(to: encoder) }
        try status.encode(to: encoder)
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(other.event, forKey: .event)
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

extension GoalEnding {
    /// The ending's stable name in JSON.
    var name: String {
        switch self {
        case .reached: "reached"
        case .released: "released"
        case .inputEnded: "inputEnded"
        case .signal: "signal"
        case .cancelled: "cancelled"
        }
    }
}
