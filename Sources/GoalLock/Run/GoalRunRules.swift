package import PortcullisCore

/// The rules of a run of the goal lock: what is told of it, each change once, and when it is over.
package struct GoalRunRules: Sendable {
    /// What happens.
    package enum Event: Sendable, Hashable {
        /// The lock is so.
        case view(GoalView)
        /// Progress was read, and belongs to this date; `nil`: to the date on which it came.
        case read(CivilDate?)
        /// Progress could not be read.
        case trouble(ProgressTrouble)
        /// What is wrong with the lock itself; `nil`: nothing.
        case failure(String?)
        /// An app that is shut was started, at this time since boot.
        case started(GoalStart, Duration)
        /// The shield told of something that went wrong, at this time since boot.
        case shieldTrouble(String, Duration)
        /// There will be no more progress.
        case inputEnded
        /// A signal came.
        case signal(Int32)
    }

    /// Why nothing is known of today's progress.
    private enum Trouble: Hashable {
        case reading(ProgressTrouble.Reason)
        /// It was measured on another date.
        case otherDay(CivilDate)
    }

    /// How long nothing is told of an app that is started again and again.
    private static let startInterval = Duration.seconds(5)
    /// The same of trouble with the shield, which repeats itself with each start of a program.
    private static let troubleInterval = Duration.seconds(60)

    /// Whether reaching the goal is all that is asked for.
    package let isOnce: Bool
    /// When an app's start was told last, since boot.
    private var starts: [String: Duration] = [:]
    private var shieldTrouble: (text: String, at: Duration)?
    private var view: GoalView?
    private var measured: CivilDate?
    private var trouble: Trouble?
    private var failure: String?
    /// Why the run is over; `nil` while it goes on.
    package private(set) var ending: GoalEnding?

    package init(isOnce: Bool) { self.isOnce = isOnce }

    /// Takes an event, and returns what is to be told; nothing is after the end.
    package mutating func take(_ event: Event) -> [GoalMessage] {
        guard ending == nil else { return [] }
        switch event {
        case .view(let view): return take(view)
        case .read(let date):
            measured = date
            return withView { $0.check() }
        case .trouble(let trouble):
            measured = nil
            return withView { $0.tell(.problem(.progress, trouble.message), of: .reading(trouble.reason)) }
        case .failure(let text):
            defer { failure = text }
            if text == failure { return [] }
            return [text.map { .problem(.lock, $0) } ?? .solved(.lock)]
        case .started(let start, let moment):
            // One that was seen before the goal was reached, and comes after it, is open by now.
            guard let view, view.reason == nil else { return [] }
            if let last = starts[start.token], moment - last < Self.startInterval { return [] }
            starts[start.token] = moment
            return [.started(start, view)]
        case .shieldTrouble(let text, let moment):
            if let last = shieldTrouble, last.text == text, moment - last.at < Self.troubleInterval {
                return []
            }
            shieldTrouble = (text, moment)
            return [.problem(.shield, text)]
        case .inputEnded: return end(.inputEnded)
        case .signal(let number): return end(.signal(number))
        }
    }

    private mutating func take(_ new: GoalView) -> [GoalMessage] {
        var new = new
        // What this run could read, whatever another one told the lock.
        new.isProgressUnknown = isUnknown
        let old = view
        view = new
        var messages: [GoalMessage] = []
        if let old, old.date != new.date {
            messages.append(.day(new.date))
            if measured != nil { messages += check() }
        }
        if let view, old.map({ !$0.tellsTheSame(as: view) }) ?? true { messages.append(.status(view)) }
        if new.reason == .disabled { return messages + end(.released) }
        if isOnce, new.isUnlocked { return messages + end(.reached) }
        return messages
    }

    /// A line that was passed over says nothing about those that follow.
    private var isUnknown: Bool {
        if case .reading(.line) = trouble { return false }
        return trouble != nil
    }

    /// Whether what was read last says anything about today.
    private mutating func check() -> [GoalMessage] {
        guard let measured, let date = view?.date, measured != date else {
            let (wasUnknown, before) = (isUnknown, trouble)
            trouble = nil
            view?.isProgressUnknown = false
            if case .otherDay = before { return [.current] }
            return wasUnknown ? [.solved(.progress)] : []
        }
        return tell(.stale(measured, today: date), of: .otherDay(measured))
    }

    private mutating func tell(_ message: GoalMessage, of reason: Trouble) -> [GoalMessage] {
        let isNews = reason != trouble
        trouble = reason
        let isUnknown = isUnknown
        view?.isProgressUnknown = isUnknown
        return isNews ? [message] : []
    }

    /// Tells the status anew where it is another now.
    private mutating func withView(_ body: (inout GoalRunRules) -> [GoalMessage]) -> [GoalMessage] {
        let before = view
        let messages = body(&self)
        guard let view, view != before else { return messages }
        return messages + [.status(view)]
    }

    private mutating func end(_ ending: GoalEnding) -> [GoalMessage] {
        self.ending = ending
        return [.ended(ending)]
    }
}
