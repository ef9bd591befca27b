internal import PortcullisCore
internal import Synchronization

/// The streams of those who want to hear of changes.
final class ChangeSignals: Sendable {
    private struct Listeners {
        var next: UInt64 = 0
        var open = true
        var bySpace: [SecretNamespace: [UInt64: AsyncStream<Void>.Continuation]] = [:]
    }

    private let listeners = Mutex(Listeners())

    func stream(_ namespace: SecretNamespace) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = listeners.withLock { listeners -> UInt64? in
            guard listeners.open else { return nil }
            listeners.next += 1
            listeners.bySpace[namespace, default: [:]][listeners.next] = continuation
            return listeners.next
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.bySpace[namespace]?.removeValue(forKey: id) }
        }
        return stream
    }

    func signal(_ namespaces: Set<SecretNamespace>) {
        let hearing = listeners.withLock { listeners in
            namespaces.flatMap { namespace in (listeners.bySpace[namespace] ?? [:]).values }
        }
        for continuation in hearing { continuation.yield() }
    }

    func end() {
        let hearing = listeners.withLock { listeners in
            defer { listeners.bySpace = [:] }
            listeners.open = false
            return listeners.bySpace.values.flatMap(\.values)
        }
        for continuation in hearing { continuation.finish() }
    }
}
