internal import PortcullisCore
internal import Synchronization

/// The streams that signal changes, and the watch over the file for as long as there are any.
final class ChangeSignals: Sendable {
    typealias WatchStart = () throws(SystemCallError) -> any FileWatch

    private struct Listeners {
        var next: UInt64 = 0
        var open = true
        var bySpace: [SecretNamespace: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var watch: (any FileWatch)?
        var failure: SystemCallError?

        /// Gives the watch out to be ended, once there is no listener.
        mutating func takeIdleWatch() -> (any FileWatch)? {
            guard bySpace.isEmpty else { return nil }
            defer { watch = nil }
            return watch
        }
    }

    private let listeners = Mutex(Listeners())

    /// Why there is no watch over the file; `nil` when there is one, or none was needed yet.
    var failure: SystemCallError? { listeners.withLock { $0.failure } }

    /// Whether there is a listener.
    var isHeard: Bool { listeners.withLock { !$0.bySpace.isEmpty } }

    /// The namespaces that have listeners.
    var observed: Set<SecretNamespace> { listeners.withLock { Set($0.bySpace.keys) } }

    /// A new listener; the first one starts the watch.
    ///
    /// - Parameter start: starts the watch, which tells first of what happened before; `nil` where there is none.
    func stream(_ namespace: SecretNamespace, watch start: WatchStart?) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = listeners.withLock { listeners -> UInt64? in
            guard listeners.open else { return nil }
            listeners.next += 1
            listeners.bySpace[namespace, default: [:]][listeners.next] = continuation
            if listeners.watch == nil, let start {
                do throws(SystemCallError) {
                    listeners.watch = try start()
                    listeners.failure = nil
                } catch {
                    listeners.failure = error
                }
            }
            return listeners.next
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id, namespace) }
        return stream
    }

    private func remove(_ id: UInt64, _ namespace: SecretNamespace) {
        let idle = listeners.withLock { listeners in
            listeners.bySpace[namespace]?[id] = nil
            if listeners.bySpace[namespace]?.isEmpty == true { listeners.bySpace[namespace] = nil }
            return listeners.takeIdleWatch()
        }
        idle?.end()
    }

    /// Notes that the watch ended by itself; the next listener starts another one.
    func watchFailed(_ error: SystemCallError) {
        let watch = listeners.withLock { listeners in
            defer { listeners.watch = nil }
            listeners.failure = error
            return listeners.watch
        }
        watch?.end()
    }

    func signal(_ namespaces: Set<SecretNamespace>) {
        let hearing = listeners.withLock { listeners in
            namespaces.flatMap { namespace in (listeners.bySpace[namespace] ?? [:]).values }
        }
        for continuation in hearing { continuation.yield() }
    }

    func end() {
        let (hearing, watch) = listeners.withLock { listeners in
            let hearing = listeners.bySpace.values.flatMap(\.values)
            listeners.bySpace = [:]
            listeners.open = false
            return (hearing, listeners.takeIdleWatch())
        }
        watch?.end()
        for continuation in hearing { continuation.finish() }
    }
}
