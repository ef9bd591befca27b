internal import PortcullisCore
internal import Synchronization

/// The highest number of each item that this client has seen, so that an older value is noticed.
///
/// What was not looked at for longest is forgotten when there is too much: one half at a time, so that each call takes the
/// same time.
final class SeenNumbers: Sendable {
    /// What is known of one item.
    struct Seen: Sendable {
        var number: UInt64
        /// The version below that has the number; 0 where it is not known.
        var version: UInt64
        /// Whether it was there; otherwise its removal was seen, and nothing up to the number may come back.
        var isThere: Bool
    }

    private struct State {
        var recent: [NameTag: Seen] = [:]
        var earlier: [NameTag: Seen] = [:]
        /// Names whose numbers rose since they were kept last.
        var unkept: Set<NameTag> = []
        var isKeeping = false
    }

    private let half: Int
    private let state = Mutex(State())

    /// - Parameter limit: how many names are remembered at least.
    init(limit: Int) { half = max(limit, 1) }

    subscript(_ tag: NameTag) -> Seen? {
        state.withLock { state in
            if let seen = state.recent[tag] { return seen }
            guard let seen = state.earlier[tag] else { return nil }
            put(seen, at: tag, &state)
            return seen
        }
    }

    /// Notes that an item is there with a number.
    func note(_ tag: NameTag, number: UInt64, version: SecretVersion?) {
        note(tag, Seen(number: number, version: version?.rawValue ?? 0, isThere: true))
    }

    /// Notes that an item with a number was removed.
    func noteRemoval(_ tag: NameTag, of number: UInt64) {
        note(tag, Seen(number: number, version: 0, isThere: false))
    }

    func note(_ tag: NameTag, _ new: Seen) {
        state.withLock { state in
            let known = state.recent[tag] ?? state.earlier[tag]
            if let known {
                // What is known of a later number, or of the removal of this one, is not taken back.
                if known.number > new.number { return }
                if known.number == new.number, !known.isThere || (new.isThere && new.version == 0) { return }
            }
            put(new, at: tag, &state)
            if state.isKeeping { state.unkept.insert(tag) }
        }
    }

    private func put(_ seen: Seen, at tag: NameTag, _ state: inout State) {
        state.recent[tag] = seen
        guard state.recent.count > half else { return }
        state.earlier = state.recent
        state.recent = [:]
    }

    /// From now on ``takeUnkept()`` gives what is noted.
    func beginKeeping() { state.withLock { $0.isKeeping = true } }

    /// The names whose numbers rose since the last call.
    func takeUnkept() -> Set<NameTag> {
        state.withLock { state in
            defer { state.unkept = [] }
            return state.unkept
        }
    }

    /// Gives back names that could not be kept.
    func putBack(_ tags: Set<NameTag>) { state.withLock { $0.unkept.formUnion(tags) } }

    /// All that is known of names whose tag lies in a page.
    func page(_ page: Int) -> [NameTag: Seen] {
        state.withLock { state in
            state.earlier.merging(state.recent) { $1 }.filter { SeenLedger.page(of: $0.key) == page }
        }
    }
}
