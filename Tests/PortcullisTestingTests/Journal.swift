import Synchronization

/// What several tasks noted, in order.
final class Journal<Entry: Sendable>: Sendable {
    private let notes = Mutex<[Entry]>([])
    var entries: [Entry] { notes.withLock { $0 } }
    func note(_ entry: Entry) { notes.withLock { $0.append(entry) } }
}
