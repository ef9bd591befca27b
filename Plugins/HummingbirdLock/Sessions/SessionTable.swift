#if HummingbirdLock
internal import PortcullisCore
internal import Synchronization

/// The sessions by their tokens; bounded in all and for each user, and without those that have expired.
final class SessionTable: Sendable {
    private let sessions = Mutex<[String: WebSession]>([:])
    private let configuration: WebLockConfiguration
    private let clock: any LockClock

    init(_ configuration: WebLockConfiguration, clock: any LockClock) {
        self.configuration = configuration
        self.clock = clock
    }

    var count: Int { sessions.withLock { $0.count } }

    /// The session of a token; one that has expired ends.
    func session(_ token: String) -> WebSession? {
        guard let session = sessions.withLock({ $0[token] }) else { return nil }
        guard !session.gate.isOver else { return nil }
        guard isAlive(session, at: clock.now.sinceBoot) else {
            Task { await session.end() }
            return nil
        }
        return session
    }

    private func isAlive(_ session: WebSession, at now: Duration) -> Bool {
        now - session.gate.heard < configuration.idleLife && now - session.began < configuration.life
    }

    /// Adds a session.
    ///
    /// - Returns: whether there was room for it.
    func add(_ session: WebSession) async -> Bool {
        let now = clock.now.sinceBoot
        let (isAdded, ended) = sessions.withLock { sessions -> (Bool, [WebSession]) in
            var ended: [WebSession] = []
            let others = sessions.values.filter { $0.user == session.user }
            if others.count >= configuration.maximumSessionsOfUser {
                ended += others.sorted { $0.gate.heard < $1.gate.heard }
                    .prefix(others.count - configuration.maximumSessionsOfUser + 1)
            }
            if sessions.count - ended.count >= configuration.maximumSessions {
                ended += sessions.values.filter { !isAlive($0, at: now) }
            }
            for session in ended { sessions[session.token] = nil }
            guard sessions.count < configuration.maximumSessions else { return (false, ended) }
            sessions[session.token] = session
            return (true, ended)
        }
        for session in ended { await session.end() }
        return isAdded
    }

    func remove(_ session: WebSession) { sessions.withLock { $0[session.token] = nil } }
}
#endif
