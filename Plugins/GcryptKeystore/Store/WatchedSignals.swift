internal import AdapterKit
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// Sends signals of changes, and watches the file while the signals have listeners.
final class WatchedSignals: Sendable {
    typealias WatchStart = () throws(SystemCallError) -> any FileWatch

    private struct Watching {
        var isOpen = true
        var watch: (any FileWatch)?
        var failure: SystemCallError?

        /// Removes the watch from the state and returns it. The caller must end the watch.
        mutating func takeWatch() -> (any FileWatch)? {
            defer { watch = nil }
            return watch
        }
    }

    private let signals = ChangeSignals()
    private let watching = Mutex(Watching())

    /// The error that ended the watch or kept it from starting; `nil` while there is no error.
    var failure: SystemCallError? { watching.withLock { $0.failure } }

    /// Whether there is a listener.
    var isHeard: Bool { signals.isHeard }

    /// The namespaces that have listeners.
    var observed: Set<SecretNamespace> { signals.observed }

    /// Makes a stream of a namespace's changes. If no watch is running, the call starts one.
    ///
    /// - Parameter start: starts the watch; `nil` if the system has no watches. The watch sends its first
    ///   notice at once, so that changes from before the start are read too.
    func stream(_ namespace: SecretNamespace, watch start: WatchStart?) -> AsyncStream<Void> {
        stream(watch: start) { [signals] whenEnded in signals.stream(in: namespace, whenEnded: whenEnded) }
    }

    /// Makes a stream of one item's changes. The parameter `start` is that of ``stream(_:watch:)``.
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

    /// Notes that the watch ended by an error. The next stream starts another watch.
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
