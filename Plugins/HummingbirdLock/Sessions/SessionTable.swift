#if HummingbirdLock
internal import PortcullisCore
internal import Synchronization

/// The sessions by their tokens. Their number is limited, in total and for each user. Sessions that have
/// expired are removed.
final class SessionTable: Sendable {
    private struct State {
        private(set) var byToken: [String: WebSession] = [:]
        private var byUser: [UserID: [String: WebSession]] = [:]

        mutating func add(_ session: WebSession) {
            byToken[session.token] = session
            byUser[session.user, default: [:]][session.token] = session
        }

        mutating func remove(_ session: WebSession) {
            byToken[session.token] = nil
            byUser[session.user]?[session.token] = nil
            if byUser[session.user]?.isEmpty == true { byUser[session.user] = nil }
        }

        func sessions(of user: UserID) -> [WebSession] { byUser[user].map { Array($0.values) } ?? [] }
    }

    private let state = Mutex(State())
    /// The task that ends expired sessions; `nil` while it does not run.
    private let sweeping = Mutex<Task<Void, Never>?>(nil)
    private let shared: SharedConfiguration
    private let clock: any LockClock

    init(_ shared: SharedConfiguration, clock: any LockClock) {
        self.shared = shared
        self.clock = clock
    }

    var count: Int { state.withLock { $0.byToken.count } }

    /// Returns the session of a token; `nil` if there is none, or if the session has ended or expired. The
    /// call also ends an expired session.
    func session(_ token: String) -> WebSession? {
        guard let session = state.withLock({ $0.byToken[token] }) else { return nil }
        guard !session.gate.isOver else { return nil }
        guard isAlive(session, at: clock.now.sinceBoot) else {
            Task { await session.end() }
            return nil
        }
        return session
    }

    private func isAlive(_ session: WebSession, at now: Duration) -> Bool { now < end(of: session) }

    /// The time since boot at which a session expires, if no page reports again.
    private func end(of session: WebSession) -> Duration {
        min(session.gate.heard + shared.value.idleLife, session.began + shared.value.life)
    }

    /// Adds a session. If the user has too many sessions, the session whose pages were silent the longest
    /// ends.
    ///
    /// - Returns: whether the session was added. It is not added if the table is full.
    func add(_ session: WebSession) async -> Bool {
        let now = clock.now.sinceBoot
        let (isAdded, ended) = state.withLock { state -> (Bool, [WebSession]) in
            var ended: [WebSession] = []
            let others = state.sessions(of: session.user)
            if others.count >= shared.value.maximumSessionsOfUser {
                ended += others.sorted { $0.gate.heard < $1.gate.heard }
                    .prefix(others.count - shared.value.maximumSessionsOfUser + 1)
            }
            if state.byToken.count - ended.count >= shared.value.maximumSessions {
                ended += state.byToken.values.filter { !isAlive($0, at: now) }
            }
            for session in ended { state.remove(session) }
            guard state.byToken.count < shared.value.maximumSessions else { return (false, ended) }
            state.add(session)
            return (true, ended)
        }
        for session in ended { await session.end() }
        if isAdded { sweep() }
        return isAdded
    }

    /// Starts the task that ends expired sessions. The task runs as long as there are sessions. It ends
    /// expired sessions that get no more requests, and closes their streams.
    private func sweep() {
        sweeping.withLock { sweeping in
            guard sweeping == nil else { return }
            sweeping = Task.detached { [weak self, clock] in
                while let due = await self?.nextSweep() {
                    do { try await clock.sleep(until: .sinceBoot(due)) } catch { return }
                }
            }
        }
    }

    /// Ends expired sessions.
    ///
    /// - Returns: the time since boot of the next sweep; `nil` while there is no session. Many sessions may
    ///   expire one after the other, so there is at most one sweep a minute.
    private func nextSweep() async -> Duration? {
        let now = clock.now.sinceBoot
        for session in state.withLock({ Array($0.byToken.values) }) where !isAlive(session, at: now) {
            await session.end()
        }
        return sweeping.withLock { sweeping in
            let ends = state.withLock { $0.byToken.values.map { end(of: $0) } }
            guard let next = ends.min() else {
                sweeping = nil
                return nil
            }
            return max(next, now + .seconds(60))
        }
    }

    /// Ends all sessions of a user. After the call none of these sessions sends content, even if the actor of
    /// a session is busy.
    func endAll(of user: UserID) {
        for session in state.withLock({ $0.sessions(of: user) }) {
            session.gate.end()
            Task { await session.end() }
        }
    }

    deinit { sweeping.withLock(\.self)?.cancel() }

    func remove(_ session: WebSession) { state.withLock { $0.remove(session) } }
}
#endif
