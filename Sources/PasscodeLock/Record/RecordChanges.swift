internal import AdapterKit
internal import Synchronization

/// The changes that one service, and the copies of it, made to the user's record.
///
/// A store need not signal: what is changed here is known here all the same.
final class RecordChanges: Sendable {
    private let made = Mutex<UInt64>(0)
    private let broadcaster = Broadcaster<Void>()

    /// How many were made; a read that began at another count may be out of date.
    var count: UInt64 { made.withLock { $0 } }

    /// A signal after each change that is announced; signals that are not taken yet are merged into one.
    func signals() -> AsyncStream<Void> { broadcaster.stream(buffering: .bufferingNewest(1)) }

    /// Notes a change that was made, or may have been.
    ///
    /// - Parameter isAnnounced: whether those who follow the record have to read it again.
    func note(isAnnounced: Bool) {
        made.withLock { $0 += 1 }
        if isAnnounced { broadcaster.send(()) }
    }
}
