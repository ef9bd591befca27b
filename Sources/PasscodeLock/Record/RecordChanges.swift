internal import AdapterKit
internal import Synchronization

/// Counts and announces the changes that a service makes to the user's record. The copies of a service share
/// this value.
///
/// Not every store signals changes. With this value, the code that uses the service learns at least of the
/// service's own changes.
final class RecordChanges: Sendable {
    private let made = Mutex<UInt64>(0)
    private let broadcaster = Broadcaster<Void>()

    /// The number of changes so far. If the number has risen since a read began, the result of that read may
    /// be out of date.
    var count: UInt64 { made.withLock { $0 } }

    /// A stream with a signal after each announced change. Signals that are not read yet are merged into one.
    func signals() -> AsyncStream<Void> { broadcaster.stream(buffering: .bufferingNewest(1)) }

    /// Counts a change that was made, or may have been made.
    ///
    /// - Parameter isAnnounced: whether the streams of ``signals()`` get a signal, so that their readers read
    ///   the record again.
    func note(isAnnounced: Bool) {
        made.withLock { $0 += 1 }
        if isAnnounced { broadcaster.send(()) }
    }
}
