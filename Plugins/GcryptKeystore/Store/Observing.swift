internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Signals each change in a namespace; see ``/PortcullisCore/SecretStore``.
    ///
    /// If the file is gone or cannot be read any more, every namespace gets a signal, and the next read
    /// throws the reason. The stream ends when the store is closed.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        signals.stream(namespace, watch: watchStart)
    }

    /// Signals each change of an item; see ``/PortcullisCore/SecretStore``.
    ///
    /// If another process changes an item, the listeners of all items in the same namespace get a signal.
    public func changes(to name: SecretName) -> AsyncStream<Void> {
        signals.stream(of: name, watch: watchStart)
    }

    private var watchStart: WatchedSignals.WatchStart? {
        guard files.canWatch else { return nil }
        return { () throws(SystemCallError) in
            // The watch's thread keeps this closure as long as there are listeners. The closure's reference
            // to the store is weak, so that the closure does not keep the store alive.
            try self.files.watch(self.place.path) { [weak self] failure in self?.fileChanged(failure) }
        }
    }

    /// The error that ended the watch over the file, or kept it from starting; `nil` while there is no error.
    ///
    /// After this error, listeners get no immediate signals of other processes' changes. The next listener
    /// starts a new watch.
    public var lastWatchFailure: SecretStoreError? { signals.failure.map { .system($0, place.path) } }

    /// Handles a notice of the watch. This runs on the watch's thread. The watch also reports writes of this
    /// process.
    private func fileChanged(_ failure: SystemCallError?) {
        if let failure {
            signals.watchFailed(failure)
            signals.signal(signals.observed)
            return
        }
        let isFirst = state.withLock { state in
            defer { state.isLookPending = true }
            return !state.isLookPending
        }
        // One pending job handles all notices that come before it runs, so only the first notice enqueues a
        // job.
        if isFirst { worker.enqueue { [weak self] in self?.look() } }
    }

    private func look() {
        state.withLock { $0.isLookPending = false }
        do throws(SecretStoreError) { try refresh() } catch {
            // A stream cannot carry the error. So every listener gets a signal, and its next read throws the
            // error.
            signals.signal(signals.observed)
        }
    }
}
