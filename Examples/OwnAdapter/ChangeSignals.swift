internal import Foundation
internal import GRDB
internal import PortcullisCore
internal import Synchronization

/// Tells listeners when the latest version of their namespace has moved on, whoever moved it.
///
/// SQLite tells a process nothing of the changes of others. So while somebody listens, one small read a few times a
/// second looks for them; a store whose system can watch it (a file with inotify, a server with a subscription) needs no
/// such reads.
///
/// Nothing here waits for the database. Whoever begins to listen is measured by the numbers that were known last, so a
/// change of another process from shortly before may be signalled too: a signal too many, and never one too few.
final class ChangeSignals: Sendable {
    private struct Listener {
        var namespace: String
        var seen: Int64
        var continuation: AsyncStream<Void>.Continuation
    }

    private struct State {
        var listeners: [UInt64: Listener] = [:]
        var last: UInt64 = 0
        var looking: Task<Void, Never>?
        /// The latest version of each namespace, as far as known.
        var latest: [String: Int64]
    }

    private static let interval = Duration.milliseconds(100)

    private let pool: DatabasePool
    private let state: Mutex<State>

    /// - Parameter latest: what ``latest(in:)`` has found.
    init(_ pool: DatabasePool, latest: [String: Int64]) {
        self.pool = pool
        state = Mutex(State(latest: latest))
    }

    deinit {
        state.withLock { state in
            state.looking?.cancel()
            for listener in state.listeners.values { listener.continuation.finish() }
        }
    }

    func stream(of namespace: SecretNamespace) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let name = namespace.rawValue
        let id = state.withLock { state in
            state.last += 1
            let seen = state.latest[name, default: 0]
            state.listeners[state.last] = Listener(namespace: name, seen: seen, continuation: continuation)
            if state.looking == nil { state.looking = keepLooking() }
            return state.last
        }
        continuation.onTermination = { [weak self] _ in self?.forget(id) }
        return stream
    }

    private func forget(_ id: UInt64) {
        state.withLock { state in
            state.listeners[id] = nil
            guard state.listeners.isEmpty else { return }
            state.looking?.cancel()
            state.looking = nil
        }
    }

    private func keepLooking() -> Task<Void, Never> {
        Task { [weak self] in
            while (try? await Task.sleep(for: Self.interval)) != nil { self?.look() }
        }
    }

    /// Signals what has changed since each listener was told last.
    private func look() {
        guard state.withLock({ !$0.listeners.isEmpty }) else { return }
        pool.asyncRead { [weak self] db in
            // A read that fails says nothing; the next one may.
            guard let latest = try? Self.latest(in: db.get()) else { return }
            self?.tell(latest)
        }
    }

    /// Signals what has changed up to these numbers, which may arrive in any order.
    func tell(_ latest: [String: Int64]) {
        let news = state.withLock { state in
            var news: [AsyncStream<Void>.Continuation] = []
            // They only grow.
            state.latest.merge(latest) { max($0, $1) }
            for (id, listener) in state.listeners {
                guard let number = latest[listener.namespace], number > listener.seen else { continue }
                state.listeners[id]?.seen = number
                news.append(listener.continuation)
            }
            return news
        }
        for continuation in news { continuation.yield() }
    }

    /// The latest version of each namespace.
    static func latest(in db: Database) throws -> [String: Int64] {
        let rows = try Row.fetchAll(db, sql: "SELECT name, latest FROM namespaces")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"], $0["latest"]) })
    }
}
