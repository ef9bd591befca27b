internal import AdapterKit
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// The signals of changes, and the watch over the file for as long as they have readers.
final class WatchedSignals: Sendable {
    typealias WatchStart = () throws(SystemCallError) -> any FileWatch

    private struct Watching {
        var isOpen = true
        var watch: (any FileWatch)?
        var failure: SystemCallError?

        /// Gives the watch out to be ended.
        mutating func takeWatch() -> (any FileWatch)? {
            defer { watch = nil }
            return watch
        }
    }

    private let signals = ChangeSignals()
    private let watching = Mutex(Watching())

    /// Why there is no watch over the file; `nil` when there is one, or none was needed yet.
    var failure: SystemCallError? { watching.withLock { $0.failure } }

    /// Whether there is a reader.
    var isHeard: Bool { signals.isHeard }

    /// The namespaces that have readers.
    var observed: Set<SecretNamespace> { signals.observed }

    /// A new stream; the first one starts the watch.
    ///
    /// - Parameter start: starts the watch, which tells first of what happened before; `nil` where there is none.
    func stream(_ namespace: SecretNamespace, watch start: WatchStart?) -> AsyncStream<Void> {
        stream(watch: start) { [signals] whenEnded in signals.stream(in: namespace, whenEnded: whenEnded) }
    }

    /// As ``stream(_:watch:)``, of one item.
    func stream(of name: SecretName, watch start: WatchStart?) -> AsyncStream<Void> {
        stream(watch: start) { [signals] whenEnded in signals.stream(of: name, whenEnded: whenEnded) }
    }

    private func stream(
        watch start: WatchStart?,
        _ open: (@escaping @Sendable () -> Void) -> AsyncStream<Void>
    ) -> AsyncStream<Void> {
        watching.withLock { watching in
            let stream = open { [weak self] in self?.endIdleWatch() }
            guard watching.isOpen, watching.watch == nil, let start else { return stream }
            do throws(SystemCallError) {
                watching.watch = try start()
                watching.failure = nil
            } catch {
                watching.failure = error
            }
            return stream
        }
    }

    private func endIdleWatch() {
        let idle = watching.withLock { signals.isHeard ? nil : $0.takeWatch() }
        idle?.end()
    }

    /// Notes that the watch ended by itself; the next stream starts another one.
    func watchFailed(_ error: SystemCallError) {
        let watch = watching.withLock { watching in
            watching.failure = error
            return watching.takeWatch()
        }
        watch?.end()
    }

    func signal(_ namespaces: Set<SecretNamespace>) { signals.send(namespaces) }

    func signal(_ names: Set<SecretName>) { signals.send(names) }

    func end() {
        let watch = watching.withLock { watching in
            watching.isOpen = false
            return watching.takeWatch()
        }
        watch?.end()
        signals.finish()
    }
}
