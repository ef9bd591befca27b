internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// A signal after each change in a namespace; see ``/PortcullisCore/SecretStore``.
    ///
    /// A file that cannot be read any more, or is gone, is signalled in every namespace: reading says what is wrong.
    /// The stream ends when the store is closed.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        signals.stream(namespace, watch: watchStart)
    }

    /// A signal after each change of an item; see ``/PortcullisCore/SecretStore``.
    ///
    /// What another process changes is signalled to all items of its namespace.
    public func changes(to name: SecretName) -> AsyncStream<Void> {
        signals.stream(of: name, watch: watchStart)
    }

    private var watchStart: WatchedSignals.WatchStart? {
        guard files.canWatch else { return nil }
        return { () throws(SystemCallError) in
            // Weak, because the watch has a thread, and lives until the store or the last listener is gone.
            try self.files.watch(self.place.path) { [weak self] failure in self?.fileChanged(failure) }
        }
    }

    /// Why the changes of other processes are not signalled at once any more, though there are listeners;
    /// `nil` when they are.
    ///
    /// Each new listener tries again.
    public var lastWatchFailure: SecretStoreError? { signals.failure.map { .system($0, place.path) } }

    /// Called on the watch's thread, also for what this process wrote.
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
        // Those that come while one waits for the store's queue are seen by that one.
        if isFirst { worker.enqueue { [weak self] in self?.look() } }
    }

    private func look() {
        state.withLock { $0.isLookPending = false }
        do throws(SecretStoreError) { try refresh() } catch {
            // Listeners cannot be told an error, but they find it when they read.
            signals.signal(signals.observed)
        }
    }
}
