package import AdapterKit
internal import Synchronization
public import PortcullisCore

/// A ``/PortcullisCore/SecretStore`` in one encrypted file: a sealed log.
///
/// Values and names are encrypted and authenticated with AES-256-GCM-SIV of libgcrypt. Without a key, these
/// can be read: the format's version, the parameters of the key derivation, the kinds and targets of the
/// slots, the handle of the anchor's counter, the numbers of commits, compactions, changes of the header and
/// seals, and padded sizes.
///
/// - Reading an item runs on the caller's thread, and takes one `pread` on Linux. The first read in each tick
///   of the system's clock (1 to 10 ms) also checks whether the store's file has changed, and whether the
///   lock's file is still at its path. The check takes two system calls. On other systems each read makes
///   this check, which takes three calls. In three cases the check takes a few more calls: soon after a
///   change, after a writer was killed, and if the file system's times are whole seconds. The store's own
///   queue reads new frames of other processes.
/// - The first twelve bytes of the lock's file hold the note of a failed sync and the counts of writes. They
///   are mapped into memory. Truncating the lock's file while a store is in use may end the process
///   (`SIGBUS`). If the lock's file is removed or replaced, the store changes to the file that is then at the
///   path. It does so at the next write, or at the first read of the next tick.
/// - A commit is one write and one data sync, however many changes it has. Commits that are pending at the
///   same time share one write and one sync. The file grows ahead of its frames, see
///   ``KeystoreConfiguration/growth``.
/// - Removed and replaced values leave the file at the next compaction. A compaction runs in ``compact()``.
///   It also runs by itself once removed and replaced values take more than 64 KiB, and more space than the
///   present values.
/// - A failed sync makes every later call fail with `durabilityUnknown`, until the store is opened again.
///
/// ``changes(in:)`` signals the changes of all processes of this machine. While there are listeners, one
/// thread waits for the system's notices about the file. If the system has no such notices, or the watch has
/// failed, ``capabilities`` lacks `signalsOtherProcesses`. Changes of other processes are then signalled when
/// a later call finds them.
public final class GcryptKeystore: TransactionalSecretStore {
    let configuration: KeystoreConfiguration
    let files: any KeystoreFiles
    let place: FilePlace
    let ring: KeyRing
    let lockFile: FileLock
    let worker: any BlockingQueue
    /// The thread of key derivations, which must not delay commits.
    let derivations = WorkerThread()
    let signals = WatchedSignals()
    let requests = Mutex<[CommitRequest]>([])
    /// The tick of the clock ``KeystoreFiles/now`` in which the last commit ended.
    let lastCommit = Atomic<UInt64>(0)
    let state: Mutex<State>

    /// The state that readers share with the store's queue.
    struct State: Sendable {
        var view: StoreView
        /// The error that every further call throws; `nil` while the store is usable.
        var failure: SecretStoreError?
        /// The error of the last automatic compaction, and the bytes that it would have freed; `nil` after a
        /// success.
        var compaction: (failure: SecretStoreError, deadBytes: UInt64)?
        /// The error of the last write to the anchors; `nil` after a success.
        var anchorFailure: SecretStoreError?
        /// The greatest ``/PortcullisCore/AnchorReason`` of the changes that are not yet recorded in the
        /// anchors; `nil` if no such change is known.
        var unwitnessed: AnchorReason?
        /// The error of the last attempt to strengthen a slot; `nil` after a success.
        var strengtheningFailure: SecretStoreError?
        /// Whether this store has begun a write.
        var hasWritten = false
        /// Whether a job that reads the file's changes is pending in the store's queue.
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

    /// Opens a store. Makes a missing store if the configuration says so.
    ///
    /// If a passphrase opens a slot with weaker Argon2id parameters than the configuration's, the slot gets
    /// the configuration's parameters. This takes one more derivation and one change of the header. If the
    /// change fails, the store is open nevertheless, and ``lastStrengtheningFailure`` has the error.
    ///
    /// - Throws: ``/PortcullisCore/SecretStoreError``: `missingStore`, `keyMissing`, `wrongKey`, `damaged`,
    ///   `rolledBack`, `newerFormat`, `untrustedFile`, `notPermitted`, `readOnly`, `diskFull`, `lockTimeout`;
    ///   `invalidName` for a path that ends in `.lock`, `.new`, `.tail` or `.protected-key`, like the names
    ///   of a store's own files. On an error the store's items are unchanged.
    public static func open(
        _ configuration: KeystoreConfiguration
    ) async throws(SecretStoreError) -> GcryptKeystore {
        try await open(configuration, files: POSIXFiles())
    }

    /// Opens a store as ``open(_:)`` does.
    ///
    /// - Parameter worker: the queue that does the store's work; `nil` for the queue of ``open(_:)``. With a
    ///   ``/AdapterKit/WorkerThread`` that was started, the store has a thread of its own. It then works even
    ///   if the system gives Dispatch no further threads.
    package static func open(
        _ configuration: KeystoreConfiguration,
        worker: (any BlockingQueue)?
    ) async throws(SecretStoreError) -> GcryptKeystore {
        guard let worker else { return try await open(configuration) }
        return try await open(configuration, files: POSIXFiles(), worker: worker)
    }

    package static func open(
        _ configuration: KeystoreConfiguration,
        files: any KeystoreFiles,
        worker: any BlockingQueue = WorkerQueue("portcullis.keystore")
    ) async throws(SecretStoreError) -> GcryptKeystore {
        let opener = StoreOpener(configuration: configuration, files: files)
        return try await worker.run { () throws(SecretStoreError) in
            let opened = try opener.open()
            var store = GcryptKeystore(opener, opened, worker)
            do throws(SecretStoreError) { try store.strengthen(opened, opener) } catch {
                // After a failed sync the object `store` is unusable. A new object can still read the bytes
                // on disk.
                if error.code == .durabilityUnknown {
                    store = GcryptKeystore(opener, try opener.open(), worker)
                }
                store.state.withLock { [error] in $0.strengtheningFailure = error }
            }
            try store.setUpCounter()
            return store
        }
    }

    /// The store's id. It is random, the same for all copies of the store, and no secret.
    public var id: [UInt8] { ring.storeID }

    /// Closes the store. Commits that have begun are finished; later calls fail with `closed`.
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

    /// The store is durable and shared by processes, and signals its own changes. It signals the changes of
    /// other processes if the system reports them.
    public var capabilities: SecretStoreCapabilities {
        let all: SecretStoreCapabilities = [
            .isDurable, .isShared, .signalsOwnChanges, .signalsOtherProcesses,
        ]
        return files.canWatch && signals.failure == nil ? all : all.subtracting(.signalsOtherProcesses)
    }

    /// The error of the last compaction that the store began by itself; `nil` after a success.
    ///
    /// The commits before the compaction are durable nevertheless. The store tries again when the number of
    /// bytes to free has doubled since the failure.
    public var lastCompactionFailure: SecretStoreError? { state.withLock { $0.compaction?.failure } }

    /// The error of writing the rollback anchor after the last change; `nil` after a success, or without an
    /// anchor.
    ///
    /// The change is durable nevertheless. But the anchor names an earlier frame, until a later write to the
    /// anchor succeeds. Until then an older copy of the file is not detected if it contains that frame.
    public var lastAnchorFailure: SecretStoreError? { state.withLock { $0.anchorFailure } }

    /// Writes the store's present state to all anchors.
    ///
    /// The change of the store is durable before this call. So a failure of this call does not make the
    /// change fail, and is only kept in ``lastAnchorFailure``.
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
