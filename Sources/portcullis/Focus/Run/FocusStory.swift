internal import GoalLock
internal import PortcullisCore

/// Decides what is told of a run, and when it is over: each change once.
struct FocusStory: Sendable {
    /// What happens.
    enum Event: Sendable, Hashable {
        /// The lock is so.
        case view(FocusView)
        /// Progress was read, and belongs to this date; `nil`: to the date on which it came.
        case read(CivilDate?)
        /// Progress could not be read.
        case trouble(ProgressTrouble)
        /// What is wrong with the lock itself; `nil`: nothing.
        case failure(String?)
        /// An app that is shut was started, at this time since boot.
        case started(FocusStart, Duration)
        /// The shield told of something that went wrong, at this time since boot.
        case shieldTrouble(String, Duration)
        /// There will be no more progress.
        case inputEnded
        /// A signal came.
        case signal(Int32)
    }

    /// How long nothing is told of an app that is started again and again.
    private static let startInterval = Duration.seconds(5)
    /// The same of trouble with the shield, which repeats itself with each start of a program.
    private static let troubleInterval = Duration.seconds(60)

    /// Whether reaching the goal is all that is asked for.
    let isOnce: Bool
    /// When an app's start was told last, since boot.
    private var starts: [String: Duration] = [:]
    private var shieldTrouble: (text: String, at: Duration)?
    private var view: FocusView?
    private var measured: CivilDate?
    private var trouble: ProgressTrouble.Reason?
    private var failure: String?
    /// Why the run is over; `nil` while it goes on.
    private(set) var ending: FocusEnding?

    init(isOnce: Bool) { self.isOnce = isOnce }

    /// Takes an event; nothing is told after the end.
    mutating func hear(_ event: Event) -> [FocusMessage] {
        guard ending == nil else { return [] }
        switch event {
        case .view(let view): return hear(view)
        case .read(let date):
            measured = date
            return withView { $0.check() }
        case .trouble(let trouble):
            measured = nil
            return withView { $0.tell(.problem(.progress, trouble.message), of: trouble.reason) }
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

    private mutating func hear(_ new: FocusView) -> [FocusMessage] {
        var new = new
        // What this run could read, whatever another one told the lock.
        new.isProgressUnknown = isUnknown
        let old = view
        view = new
        var messages: [FocusMessage] = []
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
        if case .line = trouble { return false }
        return trouble != nil
    }

    /// Whether what was read last says anything about today.
    private mutating func check() -> [FocusMessage] {
        guard let measured, let date = view?.date, measured != date else {
            let (wasUnknown, before) = (isUnknown, trouble)
            trouble = nil
            view?.isProgressUnknown = false
            if case .otherDay = before { return [.current] }
            return wasUnknown ? [.solved(.progress)] : []
        }
        return tell(.stale(measured, today: date), of: .otherDay(measured))
    }

    private mutating func tell(_ message: FocusMessage, of reason: ProgressTrouble.Reason) -> [FocusMessage] {
        let isNews = reason != trouble
        trouble = reason
        let isUnknown = isUnknown
        view?.isProgressUnknown = isUnknown
        return isNews ? [message] : []
    }

    /// Tells the status anew where it is another now.
    private mutating func withView(_ body: (inout FocusStory) -> [FocusMessage]) -> [FocusMessage] {
        let before = view
        let messages = body(&self)
        guard let view, view != before else { return messages }
        return messages + [.status(view)]
    }

    private mutating func end(_ ending: FocusEnding) -> [FocusMessage] {
        self.ending = ending
        return [.ended(ending)]
    }
}
