internal import AdapterKit
internal import Gcrypt
internal import PortcullisCore
internal import Synchronization

/// A commit that was decided and sealed before its turn in the store's queue.
///
/// The queue's thread takes some time to wake up. Meanwhile the caller's thread prepares the commit. The
/// queue uses the prepared commit if it is alone in its frame, and if nothing was written since. Otherwise
/// the queue decides and seals the commit itself.
struct PreparedCommit: Sendable {
    let decision: Decision
    let content: FrameContent
    let frame: [UInt8]
    private let log: LogFile
    private let sequence: UInt64
    private let lastTag: [UInt8]
    private let epoch: UInt32
    private let locks: Int

    /// The largest size in bytes of a commit that is prepared. Sealing a larger commit would keep a thread of
    /// Swift's pool for long.
    static let largest = 16 * 1024

    /// Whether the commit was prepared for the present state of the store. The caller holds the lock, and has
    /// read `view` with the lock held.
    func fits(_ view: StoreView, _ ring: KeyRing) -> Bool {
        // The tag of a frame depends on all frames before it. So if the last tags are equal, all frames are
        // equal.
        log === view.log && sequence == view.cursor.sequence && lastTag == view.cursor.lastTag
            && epoch == view.header.classEpoch && locks == ring.locks
    }

    /// Hands the prepared commit of a request over from the caller's thread to the store's queue.
    final class Handover: Sendable {
        private let state = Mutex<PreparedCommit?>(nil)

        var commit: PreparedCommit? {
            get { state.withLock(\.self) }
            set { state.withLock { $0 = newValue } }
        }
    }
}

extension PreparedCommit {
    /// Decides and seals a commit. The result is `nil` if the commit changes nothing, if it fails, or if the
    /// view cannot be used now, for example while it is being read anew. In these cases the queue decides the
    /// commit.
    init?(
        _ changes: [SecretChange],
        _ state: borrowing Mutex<GcryptKeystore.State>,
        _ ring: KeyRing,
        _ path: String
    ) {
        locks = ring.locks
        // The view and the versions are read at one moment, so that they belong together.
        let read = state.withLock { state -> (StoreView, [SecretName: UInt64])? in
            let view = state.view
            guard state.failure == nil, !view.freshness.isDoubtful, view.ending == .clean else { return nil }
            var versions: [SecretName: UInt64] = [:]
            for change in changes { versions[change.name] = view.index[change.name]?.version }
            return (view.head, versions)
        }
        guard let (view, versions) = read else { return nil }
        log = view.log
        (sequence, lastTag, epoch) = (view.cursor.sequence, view.cursor.lastTag, view.header.classEpoch)
        var draft = CommitDraft(lastVersion: view.cursor.lastVersion, ring: ring, epoch: epoch, path: path) {
            versions[$0]
        }
        guard case .success(let decision) = draft.decide(changes), !draft.content.isEmpty,
            let frame = try? view.frame(of: draft.content)
        else { return nil }
        (self.decision, content, self.frame) = (decision, draft.content, frame)
    }
}
