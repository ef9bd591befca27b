internal import AdapterKit
internal import Foundation
internal import GRDB
internal import PortcullisCore
internal import Synchronization

/// Signals a namespace when its latest version has moved on, in this process or in another.
///
/// SQLite does not report the changes of other processes. So while there is a reader of signals, a small read
/// looks for changes a few times a second. A store that the system can watch (a file with inotify, a server
/// with a subscription) needs no such reads.
///
/// Nothing here waits for the database. A new reader begins with the numbers that were known last. So a
/// change that another process made shortly before may be signalled too. There may be a signal too many, but
/// never one too few.
final class ChangeWatch: Sendable {
    private struct State {
        var looking: Task<Void, Never>?
        /// The latest version of each namespace, as far as known.
        var latest: [String: Int64]
    }

    private static let interval = Duration.milliseconds(100)

    private let pool: DatabasePool
    private let signals = ChangeSignals()
    private let state: Mutex<State>

    /// - Parameter latest: the numbers that ``latest(in:)`` has found.
    init(_ pool: DatabasePool, latest: [String: Int64]) {
        self.pool = pool
        state = Mutex(State(latest: latest))
    }

    deinit { state.withLock { $0.looking }?.cancel() }

    func stream(of namespace: SecretNamespace) -> AsyncStream<Void> {
        state.withLock { state in
            if state.looking == nil { state.looking = keepLooking() }
            return signals.stream(in: namespace) { [weak self] in self?.rest() }
        }
    }

    /// Stops looking if no reader is left.
    private func rest() {
        let looking = state.withLock { state in
            let looking = signals.isHeard ? nil : state.looking
            if looking != nil { state.looking = nil }
            return looking
        }
        looking?.cancel()
    }

    private func keepLooking() -> Task<Void, Never> {
        Task { [weak self] in
            while (try? await Task.sleep(for: Self.interval)) != nil { self?.look() }
        }
    }

    /// Signals what has changed since the last look.
    private func look() {
        pool.asyncRead { [weak self] db in
            // A failed read is ignored, because the next read follows soon.
            guard let latest = try? Self.latest(in: db.get()) else { return }
            self?.tell(latest)
        }
    }

    /// Signals the changes up to these numbers. The numbers may arrive in any order.
    func tell(_ latest: [String: Int64]) {
        let news = state.withLock { state in
            let news = latest.filter { $0.value > state.latest[$0.key, default: 0] }
            // The numbers only grow, so a smaller number is older.
            state.latest.merge(news) { max($0, $1) }
            return news
        }
        signals.send(Set(news.keys.compactMap { try? SecretNamespace($0) }))
    }

    /// The latest version of each namespace.
    static func latest(in db: Database) throws -> [String: Int64] {
        let rows = try Row.fetchAll(db, sql: "SELECT name, latest FROM namespaces")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"], $0["latest"]) })
    }
}
