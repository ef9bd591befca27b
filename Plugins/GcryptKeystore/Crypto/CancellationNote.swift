internal import Synchronization

/// Whether a task was cancelled, readable from another thread.
final class CancellationNote: Sendable {
    private let cancelled = Atomic(false)
    var isSet: Bool { cancelled.load(ordering: .relaxed) }
    func set() { cancelled.store(true, ordering: .relaxed) }
}
