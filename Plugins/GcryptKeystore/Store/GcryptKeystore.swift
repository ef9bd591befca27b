package import AdapterKit
internal import Synchronization
public import PortcullisCore

/// A ``/PortcullisCore/SecretStore`` in one encrypted file: a sealed log.
///
/// Values and names are encrypted and authenticated with AES-256-GCM-SIV of libgcrypt; nothing but the format's
/// version, key derivation numbers and padded sizes can be read without a key. Several processes may use one file.
///
/// - Reading an item does not leave the caller's thread, and is one `pread` on Linux. Once in a tick of the system's clock
///   (1 to 10 ms), and elsewhere each time, it looks at the file, too: with two calls, or some more soon after a change,
///   where a writer was killed, and where the file system's times are whole seconds. Where another process changed the
///   file, the store's own queue reads on.
/// - The first twelve bytes of the lock's file, which count the writes, are mapped into memory. Truncating
///   that file while a store is in use may end the process (`SIGBUS`).
/// - A commit is one write and one data sync, however many changes it has; commits that wait together share them. The
///   file grows ahead of what is written, see ``KeystoreConfiguration/growth``.
/// - Removed and replaced values leave the file at the next compaction: by ``compact()``, or by itself once they
///   take more space than what is alive.
/// - A failed sync makes every later call fail with `durabilityUnknown`, until the store is opened again.
///
/// ``changes(in:)`` signals the changes of all processes of this machine. While it has listeners, the system
/// tells the store of changes to its file, which takes one thread. On systems that cannot, and once it has
/// failed, changes of other processes are signalled when a call comes across them, and ``capabilities`` says
/// so.
public final class GcryptKeystore: TransactionalSecretStore {
    let configuration: KeystoreConfiguration
    let files: any KeystoreFiles
    let place: FilePlace
    let ring: KeyRing
    let lockFile: FileLock
    let worker: any BlockingQueue
    /// For derivations, so that they hold up no commit.
    let derivations = WorkerThread()
    let signals = WatchedSignals()
    let requests = Mutex<[CommitRequest]>([])
    let state: Mutex<State>

    /// What readers and the store's queue share.
    struct State: Sendable {
        var view: StoreView
        /// Why nothing works any more.
        var failure: SecretStoreError?
        /// Why the last automatic compaction failed, and how much it would have given back.
        var compaction: (failure: SecretStoreError, deadBytes: UInt64)?
        /// Why the anchor was not written last time.
        var anchorFailure: SecretStoreError?
        /// What was changed that no anchor was told of, as far as that is known.
        var unwitnessed: AnchorReason?
        /// Why the slot that was opened last is weaker than it should be.
        var strengtheningFailure: SecretStoreError?
        /// Whether the store's queue is going to look at what happened to the file.
        var isLookPending = false
    }

    private init(_ opener: StoreOpener, _ opened: StoreOpener.Opened, _ worker: any BlockingQueue) {
        configuration = opener.configuration.withoutCredential
        files = opener.files
        place = opener.place
        ring = opened.ring
        lockFile = opened.lock
        self.worker = worker
        state = Mutex(State(view: opened.view))
    }

    deinit { signals.end() }

    /// Opens a store, and makes it if it is not there and the configuration says so.
    ///
    /// A passphrase's slot whose Argon2id numbers are weaker than the configuration's gets the configuration's: its wrap
    /// is made anew, which takes one more derivation and one change of the header. Where that cannot be done the store
    /// is open all the same, and ``lastStrengtheningFailure`` says why.
    ///
    /// - Throws: ``/PortcullisCore/SecretStoreError``: `missingStore`, `keyMissing`, `wrongKey`, `damaged`,
    ///   `rolledBack`, `newerFormat`, `untrustedFile`, `notPermitted`, `readOnly`, `diskFull`, `lockTimeout`;
    ///   what was there is untouched. `invalidName` for a path that ends in `.lock`, `.new` or `.tail`, as the files do that
    ///   a store keeps beside itself.
    public static func open(
        _ configuration: KeystoreConfiguration
    ) async throws(SecretStoreError) -> GcryptKeystore {
        try await open(configuration, files: POSIXFiles())
    }

    /// Opens it as ``open(_:)`` does.
    ///
    /// - Parameter worker: does its work; a ``/AdapterKit/WorkerThread`` that is started has a thread where Dispatch gets
    ///   none.
    package static func open(
        _ configuration: KeystoreConfiguration,
        worker: any BlockingQueue
    ) async throws(SecretStoreError) -> GcryptKeystore {
        try await open(configuration, files: POSIXFiles(), worker: worker)
    }

    package static func open(
        _ configuration: KeystoreConfiguration,
        files: any KeystoreFiles,
        worker: any BlockingQueue = WorkerQueue("portcullis.keystore")
    ) async throws(SecretStoreError) -> GcryptKeystore {
        let opener = StoreOpener(configuration: configuration, files: files)
        return try await worker.run { () throws(SecretStoreError) in
            let opened = try opener.open()
            let store = GcryptKeystore(opener, opened, worker)
            do throws(SecretStoreError) { try store.strengthen(opened, opener) } catch {
                // A handle whose sync failed is of no use. What is on disk can still be read by a new one.
                let isUsable = error.code != .durabilityUnknown
                let usable = isUsable ? store : GcryptKeystore(opener, try opener.open(), worker)
                usable.state.withLock { [error] in $0.strengtheningFailure = error }
                return usable
            }
            return store
        }
    }

    /// Ends the use of the store: commits that were begun are finished, later calls fail with `closed`.
    public func close() async {
        _ = try? await worker.run { () throws(SecretStoreError) in
            self.state.withLock {
                $0.failure = SecretStoreError(
                    code: .closed,
                    message: "the store was closed",
                    path: self.place.path
                )
            }
        }
        ring.lock()
        signals.end()
    }

    /// Durable, shared by processes, signals the changes of this process and, where the system tells of them, of others.
    public var capabilities: SecretStoreCapabilities {
        let all: SecretStoreCapabilities = [
            .isDurable, .isShared, .signalsOwnChanges, .signalsOtherProcesses,
        ]
        return files.canWatch && signals.failure == nil ? all : all.subtracting(.signalsOtherProcesses)
    }

    /// Why the last compaction that the store began by itself failed; `nil` when it did not.
    ///
    /// Commits are durable all the same. It is tried again once it would give back twice as much.
    public var lastCompactionFailure: SecretStoreError? { state.withLock { $0.compaction?.failure } }

    /// Why the rollback anchor could not be written after the last change; `nil` when it was, or there is none.
    ///
    /// The change is durable all the same, but an older file would not be noticed back to the last witness.
    public var lastAnchorFailure: SecretStoreError? { state.withLock { $0.anchorFailure } }

    /// Has the anchors witness how far the store got, if there are any.
    ///
    /// The change is durable by now: a witness that fails must not make it look as if it were not.
    func witness(for reason: AnchorReason) {
        let anchors = configuration.anchors(files)
        if anchors.isEmpty { return }
        let (head, reason) = state.withLock { ($0.view.head, max($0.unwitnessed ?? .other, reason)) }
        var failure: SecretStoreError?
        for anchor in anchors {
            do throws(SecretStoreError) { try Anchor(port: anchor, ring: ring).note(head, for: reason) } catch
            {
                failure = failure ?? error
            }
        }
        state.withLock { [failure] state in
            state.anchorFailure = failure
            state.unwitnessed = failure == nil ? nil : reason
        }
    }
}
