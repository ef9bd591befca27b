import PortcullisCore
import PortcullisTesting
import Synchronization

/// A right notifier whose answers are written down, with the minutes on its clock.
struct TranscribedNotifier: SchedulingNotifier {
    let inner: FaultyNotifier
    let transcript: Transcript
    let clock: ManualClock
    let start: Duration

    static func subject(_ transcript: Transcript) -> NotifierSubject {
        NotifierSubject { clock in place(clock, transcript) }
    }

    /// One whose clock stands where it is.
    static func runningSubject(_ transcript: Transcript) -> NotifierSubject {
        let clock = ManualClock()
        return NotifierSubject(running: clock) { place(clock, transcript) }
    }

    private static func place(_ clock: ManualClock, _ transcript: Transcript) -> NotifierSubject.Place {
        let inner = FaultyNotifier(clock, .none)
        let notifier = Self(inner: inner, transcript: transcript, clock: clock, start: clock.now.wall)
        let polls = Polls()
        return .init(
            notifier: notifier,
            delivered: { polls.isToBeJudged(inner.shown) ? notifier.delivered : inner.shown },
            setStuck: { isStuck in
                transcript.note("reader stuck: \(isStuck)")
                inner.setStuck(isStuck)
            },
            forbid: {
                transcript.note("forbid")
                inner.forbid()
            }
        )
    }

    /// Tells the look at what was delivered that is judged from those that wait for it.
    private final class Polls: Sendable {
        private let last = Mutex<(fence: String, looks: Int)>(("", 1))

        func isToBeJudged(_ shown: [LockNotification]) -> Bool {
            let fence = shown.last { isFence($0) }?.id ?? ""
            return last.withLock { last in
                last = last.fence == fence ? (fence, last.looks + 1) : (fence, 1)
                return last.looks == 2
            }
        }
    }

    private static func isFence(_ note: LockNotification) -> Bool { note.id.hasPrefix("contract.fence") }

    private var delivered: [LockNotification] {
        let all = inner.shown
        let fences = all.filter(Self.isFence)
        let notes = all.filter { !Self.isFence($0) }
        var others = [("one more", notes + [LockNotification(id: "ghost", title: "", body: "")])]
        if notes.count > 1 { others.append(("the other way round", notes.reversed())) }
        if !notes.isEmpty {
            others.append(("another title", Self.changing(notes) { $0.title += "!" }))
            others.append(("another body", Self.changing(notes) { $0.body += "!" }))
        }
        let seen = transcript.answer(
            "delivered \(time(clock.now.wall))",
            notes,
            as: "\(notes.map { "\($0.id) \($0.title.debugDescription) \($0.body.debugDescription)" })",
            or: others
        )
        return fences + seen
    }

    private static func changing(
        _ notes: [LockNotification],
        _ change: (inout LockNotification) -> Void
    ) -> [LockNotification] {
        var notes = notes
        change(&notes[0])
        return notes
    }

    func requestAuthorization() async -> Bool {
        let isAllowed = await inner.requestAuthorization()
        let other = ("\(!isAllowed)", !isAllowed)
        return transcript.answer("request authorization", isAllowed, as: "\(isAllowed)", or: [other])
    }

    func deliver(_ notification: LockNotification) async throws(NotifierError) {
        if Self.isFence(notification) { return try await inner.deliver(notification) }
        try await take(notification, at: nil) { () throws(NotifierError) in
            try await inner.deliver(notification)
        }
    }

    func deliver(_ notification: LockNotification, at wall: Duration) async throws(NotifierError) {
        try await take(notification, at: wall) { () throws(NotifierError) in
            try await inner.deliver(notification, at: wall)
        }
    }

    private func take(
        _ notification: LockNotification,
        at wall: Duration?,
        _ deliver: () async throws(NotifierError) -> Void
    ) async throws(NotifierError) {
        let due = wall.map { $0 == .zero ? " at the epoch" : " at \(time($0))" } ?? ""
        try await transcript.call(
            "deliver \(notification.id)\(due)",
            as: { "done" },
            or: { result in
                result.others(
                    NotifierError(code: .unavailable, message: "bent"),
                    NotifierError(code: .systemFailure, message: "bent")
                )
            },
            deliver
        )
    }

    func withdraw(_ ids: Set<String>) async {
        transcript.note("withdraw \(ids.sorted()) \(time(clock.now.wall))")
        await inner.withdraw(ids)
    }

    func pending() async -> [PendingNotification] {
        let pending = await inner.pending()
        var others: [(String, [PendingNotification])] = []
        func add(_ text: String, _ change: (inout [PendingNotification]) -> Void) {
            var other = pending
            change(&other)
            others.append((text, other))
        }
        let ghost = LockNotification(id: "ghost", title: "", body: "")
        add("one more") { $0.append(PendingNotification(notification: ghost, wall: .seconds(1_000_000))) }
        if pending.count > 1 { add("the other way round") { $0.reverse() } }
        if !pending.isEmpty {
            add("one less") { $0.removeLast() }
            add("another time") { $0[0].wall += .seconds(1) }
            add("another title") { $0[0].notification.title += "!" }
        }
        let text = pending.map { "\($0.notification.id) at \(time($0.wall))" }
        return transcript.answer("pending \(time(clock.now.wall))", pending, as: "\(text)", or: others)
    }

    /// Minutes since the beginning.
    private func time(_ wall: Duration) -> String {
        let seconds = (wall - start).components.seconds
        return "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s")
    }
}
