#if HummingbirdLock
internal import AdapterKit
internal import Synchronization

/// Stores whether a session's content may be sent, and which of its tabs a person sees. Requests use the gate
/// without waiting.
///
/// When an event locks the session, the session closes the gate before it waits for anything.
final class SessionGate: Sendable {
    private struct State {
        var isOpen = false
        var isOver = false
        var heard: Duration
        var presence: PresenceRules
        /// Whether the session has told its lock that the person is absent.
        var isAbsenceTold = false
        var lockDue: Duration?
        var whole = (since: Duration.zero, byteCount: 0)
        /// The functions that end the responses that are being sent. The key is a response's number.
        var responses: [UInt64: @Sendable () -> Void] = [:]
        var lastResponse: UInt64 = 0

        var mayBeSent: Bool { isOpen && !isOver }

        func isLockDue(at now: Duration) -> Bool { lockDue.map { now >= $0 } ?? false }

        mutating func hear(_ tab: String, isVisible: Bool, at now: Duration) {
            heard = max(heard, now)
            presence.heard(tab, isVisible: isVisible, at: now)
        }

        /// If content may no longer be sent, removes the functions in `responses` and returns them. The
        /// result is empty while content may be sent.
        mutating func responsesToEnd() -> [@Sendable () -> Void] {
            guard !mayBeSent else { return [] }
            defer { responses = [:] }
            return Array(responses.values)
        }
    }

    /// The time in which a server passes a whole response on to the system, if the connection's send buffer
    /// has enough free space.
    private static let passingTime = Duration.milliseconds(50)
    /// The largest number of bytes of whole responses that the gate allows within `passingTime`.
    private static let maximumOfWhole = CollectedBody.limit

    private let state: Mutex<State>
    /// Signals each change that a page can see.
    let changes = Broadcaster<Void>()

    /// Makes the closed gate of a session to which a person has just signed in. The sign-in counts as a
    /// visible page until a tab reports.
    init(heartbeat: Duration, at now: Duration) {
        var presence = PresenceRules(heartbeat: heartbeat)
        presence.heard(PresenceRules.visit, isVisible: true, at: now)
        state = Mutex(State(heard: now, presence: presence))
    }

    /// Whether content may be sent: the session is signed in and not locked.
    var isOpen: Bool { state.withLock { $0.mayBeSent } }
    /// Whether the session has ended.
    var isOver: Bool { state.withLock { $0.isOver } }
    /// The time since boot at which a page last reported.
    var heard: Duration { state.withLock { $0.heard } }
    /// The time since boot at which the last reports of all visible tabs will be too old; `nil` if no tab is
    /// visible.
    var due: Duration? { state.withLock { $0.presence.due } }

    /// Opens or closes the gate. Closing it ends the responses that are being sent.
    ///
    /// - Returns: whether the gate was closed and is open now.
    func set(isOpen: Bool) -> Bool {
        let (responses, isOpened) = state.withLock { state in
            let isOpened = isOpen && !state.isOpen
            state.isOpen = isOpen
            return (state.responsesToEnd(), isOpened)
        }
        for end in responses { end() }
        return isOpened
    }

    /// Whether a visible tab has reported within the last heartbeat interval.
    func isPersonPresent(at now: Duration) -> Bool {
        state.withLock { state in
            let isPresent = state.presence.isPresent(at: now)
            if isPresent { state.isAbsenceTold = false }
            return isPresent
        }
    }

    /// Notes that the session has told its lock that the person is absent.
    func absenceWasTold(at now: Duration) {
        state.withLock { state in
            state.presence.removeSilentTabs(at: now)
            state.isAbsenceTold = !state.presence.isPresent(at: now)
        }
    }

    /// Sets the time since boot at which the present absence locks the session, by the timeout or by the idle
    /// time; `nil` if the person is present, or if the lock has neither of the two times.
    func setLockDue(_ due: Duration?) { state.withLock { $0.lockDue = due } }

    /// Whether the time at which the present absence locks the session has passed.
    func isLockDue(at now: Duration) -> Bool { state.withLock { $0.isLockDue(at: now) } }

    /// Whether the gate is open although the person is absent, and the session is late. A session is late if
    /// it has not told its lock of the absence, or has not locked when the lock was due. This happens when
    /// the session's timers fire late, such as after the machine slept.
    func isLate(at now: Duration) -> Bool {
        state.withLock { state in
            guard state.isOpen, !state.presence.isPresent(at: now) else { return false }
            return !state.isAbsenceTold || state.isLockDue(at: now)
        }
    }

    /// Records a tab's report that it is visible or hidden.
    func hear(_ tab: String, isVisible: Bool, at now: Duration) {
        state.withLock { $0.hear(tab, isVisible: isVisible, at: now) }
    }

    /// Records that a person opened a page, if content may be sent and the person was present until now.
    /// In this case the visit changes only this gate.
    ///
    /// - Returns: whether the visit was recorded. If it was not, the caller must report the visit to the
    ///   session.
    func visit(at now: Duration) -> Bool {
        state.withLock { state in
            guard state.mayBeSent, state.presence.isPresent(at: now) else { return false }
            state.hear(PresenceRules.visit, isVisible: true, at: now)
            return true
        }
    }

    /// Records that a page of the session opens the next page without a reported input of the person. The
    /// person counts as present while the pages change. If no visible page with a script has reported lately,
    /// the call does nothing. Without this condition a session could stay open although no person is present.
    func pageFollows(at now: Duration) {
        state.withLock { state in
            guard state.mayBeSent, state.presence.seesReportingTab(at: now) else { return }
            state.hear(PresenceRules.visit, isVisible: true, at: now)
        }
    }

    /// Returns whether a response may be given to the server as a whole. If it may, its bytes are counted.
    ///
    /// A client may send many requests and read no response. Then the server keeps the responses in memory,
    /// and goes on sending them after the gate has closed. So the gate limits the bytes of the whole
    /// responses that it allows within `passingTime`.
    func allowsWholeResponse(of byteCount: Int, at now: Duration) -> Bool {
        state.withLock { state in
            if now - state.whole.since >= Self.passingTime { state.whole = (now, 0) }
            guard state.whole.byteCount + byteCount <= Self.maximumOfWhole else { return false }
            state.whole.byteCount += byteCount
            return true
        }
    }

    /// Notes a response that is being sent.
    ///
    /// - Parameter end: ends the response. It is called once if the gate closes before the response is
    ///   removed.
    /// - Returns: the response's number, for ``removeResponse(_:)``; `nil` if content may no longer be sent.
    func addResponse(_ end: @escaping @Sendable () -> Void) -> UInt64? {
        state.withLock { state in
            guard state.mayBeSent else { return nil }
            state.lastResponse += 1
            state.responses[state.lastResponse] = end
            return state.lastResponse
        }
    }

    /// Removes a response that was sent or has failed.
    func removeResponse(_ number: UInt64) { _ = state.withLock { $0.responses.removeValue(forKey: number) } }

    /// Closes the gate for good, and ends the responses that are being sent.
    func end() {
        let responses = state.withLock { state in
            state.isOver = true
            return state.responsesToEnd()
        }
        for end in responses { end() }
    }
}
#endif
