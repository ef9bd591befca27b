internal import Synchronization

/// Reports to another thread whether a task was cancelled.
final class CancellationNote: Sendable {
    private let cancelled = Atomic(false)
    var isSet: Bool { cancelled.load(ordering: .relaxed) }
    func set() { cancelled.store(true, ordering: .relaxed) }
}
