package import PortcullisCore

/// The rules of a run: they report each change once, and decide when the run ends.
package struct GoalRunRules: Sendable {
    /// An event of a run.
    package enum Event: Sendable, Hashable {
        /// The lock's present view, and whether the shield is as the lock's status says.
        case view(GoalView, isFollowed: Bool = true)
        /// Progress was read. It was measured on this date; `nil`: on the date of the reading.
        case read(CivilDate?)
        /// Progress could not be read.
        case trouble(ProgressTrouble)
        /// The lock's own problem; `nil`: the lock has no problem.
        case failure(String?)
        /// A shut app was started, at this time since boot.
        case started(GoalStart, Duration)
        /// The shield reported a problem, at this time since boot.
        case shieldTrouble(String, Duration)
        /// The source of progress has ended.
        case inputEnded
        /// The host ended the run, with this number.
        case signal(Int32)
    }

    /// The problem with today's progress. Only an unreadable line leaves the progress known.
    private enum Trouble: Hashable {
        case reading(ProgressTrouble.Reason)
        /// The progress was measured on another date.
        case otherDay(CivilDate)
    }

    /// The shortest time between two reports of one app's starts.
    private static let startInterval = Duration.seconds(5)
    /// The shortest time between two reports of the same shield problem. Such a problem can recur with each
    /// start of a program.
    private static let troubleInterval = Duration.seconds(60)

    /// Whether the run ends when today's goal is reached and the shield is down.
    package let isOnce: Bool
    /// The time since boot at which each app's start was last reported, by token.
    private var starts: [String: Duration] = [:]
    private var shieldTrouble: (text: String, at: Duration)?
    private var view: GoalView?
    private var measured: CivilDate?
    private var trouble: Trouble?
    /// Whether this run has read progress.
    package private(set) var hasRead = false
    /// Whether the view is newer than the first reading. An older view has the progress of an earlier run.
    private var showsReading = false
    private var failure: String?
    /// The reason why the run ended; `nil` while the run continues.
    package private(set) var ending: GoalEnding?

    package init(isOnce: Bool) { self.isOnce = isOnce }

    /// Handles an event and returns the messages to report. After the end of the run there are none.
    package mutating func take(_ event: Event) -> [GoalMessage] {
        guard ending == nil else { return [] }
        switch event {
        case .view(let view, let isFollowed): return take(view, isFollowed: isFollowed)
        case .read(let date):
            measured = date
            hasRead = true
            return withView { $0.check() }
        case .trouble(let trouble):
            measured = nil
            return withView { $0.tell(.problem(.progress, trouble.message), of: .reading(trouble.reason)) }
        case .failure(let text):
            defer { failure = text }
            if text == failure { return [] }
            return [text.map { .problem(.lock, $0) } ?? .solved(.lock)]
        case .started(let start, let moment):
            // A start is not reported if the shield is down by now. The goal may have been reached after the
            // start.
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

    private mutating func take(_ new: GoalView, isFollowed: Bool) -> [GoalMessage] {
        var new = new
        // The lock's status also reports failures of other runs. The view of this run shows the progress as
        // unknown only in three cases: this run has not read the progress yet, it could not read it, or the
        // progress that it has read is of another date.
        showsReading = hasRead
        new.isProgressUnknown = isUnknown
        let old = view
        view = new
        var messages: [GoalMessage] = []
        if let old, old.date != new.date {
            messages.append(.day(new.date))
            if measured != nil { messages += check() }
        }
        if let view, old.map({ !$0.tellsTheSame(as: view) }) ?? true { messages.append(.status(view)) }
        // If the shield could not be lifted, the run goes on and repeats the failed work.
        guard isFollowed else { return messages }
        if new.reason == .disabled { return messages + end(.released) }
        if isOnce, new.isUnlocked { return messages + end(.reached) }
        return messages
    }

    /// Whether today's progress is unknown.
    private var isUnknown: Bool { !showsReading || isTroubled }

    /// Whether a problem makes today's progress unknown. An unreadable line is skipped and leaves the
    /// progress known.
    private var isTroubled: Bool {
        if case .reading(.line) = trouble { return false }
        return trouble != nil
    }

    /// Checks whether the last reading belongs to today, and returns the messages to report.
    private mutating func check() -> [GoalMessage] {
        guard let measured, let date = view?.date, measured != date else {
            let (wasTroubled, before) = (isTroubled, trouble)
            trouble = nil
            let isUnknown = isUnknown
            view?.isProgressUnknown = isUnknown
            if case .otherDay = before { return [.current] }
            return wasTroubled ? [.solved(.progress)] : []
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

    /// Runs `body`, and adds a status message if `body` changed the view.
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
