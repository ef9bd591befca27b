internal import PortcullisCore
internal import Synchronization

/// Remembers the highest number of each item that this client has seen, so that an older value is detected.
///
/// If there are too many names, the names that were unused for longest are forgotten. The names are in two
/// halves. When the newer half is full, the older half is dropped as a whole. So no call has to search for
/// the names to forget.
final class SeenNumbers: Sendable {
    /// The last state of one item that this client has seen.
    struct Seen: Sendable {
        var number: UInt64
        /// The first version that the underlying store has told for this number; 0 if no version is known.
        var version: UInt64
        /// Whether the item existed. If `false`, the removal of the item was seen. A value with this number
        /// or a lower number then counts as rolled back.
        var isThere: Bool
        /// The ``Envelope/fingerprint(of:)`` of the value; 0 if it is not known. The ``SeenLedger`` stores no
        /// fingerprints.
        var fingerprint: UInt64 = 0

        /// Whether the two states are different values with one number, or with one version.
        func contradicts(_ other: Seen) -> Bool {
            guard isThere, other.isThere else { return false }
            guard number == other.number else { return version != 0 && version == other.version }
            return fingerprint != 0 && other.fingerprint != 0 && fingerprint != other.fingerprint
        }
    }

    private struct State {
        var recent: [NameTag: Seen] = [:]
        var earlier: [NameTag: Seen] = [:]
        /// The names with new numbers since ``takeUnkept()`` was last called.
        var unkept: Set<NameTag> = []
        var isKeeping = false
    }

    private let half: Int
    private let state = Mutex(State())

    /// Makes a memory without numbers.
    ///
    /// - Parameter limit: the least number of names that are remembered.
    init(limit: Int) { half = max(limit, 1) }

    subscript(_ tag: NameTag) -> Seen? {
        state.withLock { state in
            if let seen = state.recent[tag] { return seen }
            guard let seen = state.earlier[tag] else { return nil }
            put(seen, at: tag, &state)
            return seen
        }
    }

    /// Notes that an item exists with this number and this sealed value.
    ///
    /// Each write gives an item a new number and a new version. So two values with one number or one version
    /// show that the underlying store has gone wrong.
    ///
    /// - Throws: `rolledBack` if the state that was seen last is another value with this number, or has this
    ///   version and another number.
    func note(
        _ tag: NameTag,
        _ sealed: SecretBytes,
        number: UInt64,
        version: SecretVersion?
    ) throws(SecretStoreError) {
        guard note(tag, Seen(sealed, number: number, version: version)) else { throw .twoValues }
    }

    /// Notes that an item with this number was removed.
    func noteRemoval(_ tag: NameTag, of number: UInt64) {
        note(tag, Seen(number: number, version: 0, isThere: false))
    }

    /// Notes a state. Returns `false`, and notes nothing, if the state contradicts the remembered one.
    @discardableResult
    func note(_ tag: NameTag, _ new: Seen) -> Bool {
        state.withLock { state in
            var new = new
            let known = state.recent[tag] ?? state.earlier[tag]
            if let known {
                if known.contradicts(new) { return false }
                // The remembered state is kept if its number is higher than the new number. If the numbers
                // are equal, the remembered state is kept in two cases: it is a removal, or the new state is
                // an existing item whose version is unknown.
                if known.number > new.number { return true }
                if known.number == new.number, !known.isThere || (new.isThere && new.version == 0) {
                    return true
                }
                // The first version that was seen with a number stays. If a later one replaced it, the
                // underlying store could show this value under the version of an earlier value. A change that
                // demands the earlier value's version would then be made.
                if known.number == new.number, new.isThere, known.version != 0 {
                    new.version = known.version
                }
            }
            put(new, at: tag, &state)
            // The ledger stores only the number and the presence. A new version alone needs no write.
            let isNews = known?.number != new.number || known?.isThere != new.isThere
            if state.isKeeping, isNews { state.unkept.insert(tag) }
            return true
        }
    }

    private func put(_ seen: Seen, at tag: NameTag, _ state: inout State) {
        state.recent[tag] = seen
        guard state.recent.count > half else { return }
        state.earlier = state.recent
        state.recent = [:]
    }

    /// Begins to collect the names with new numbers for ``takeUnkept()``.
    func beginKeeping() { state.withLock { $0.isKeeping = true } }

    /// Returns the names with new numbers since the last call.
    func takeUnkept() -> Set<NameTag> {
        state.withLock { state in
            defer { state.unkept = [] }
            return state.unkept
        }
    }

    /// Puts back names whose numbers could not be stored, for the next ``takeUnkept()``.
    func putBack(_ tags: Set<NameTag>) { state.withLock { $0.unkept.formUnion(tags) } }

    /// The last seen states of all names that belong to these pages, by page.
    ///
    /// Each name is visited once, however many pages there are. Meanwhile the mutex is free, so reads and
    /// writes of the store do not wait.
    func pages(_ pages: Set<Int>) -> [Int: [NameTag: Seen]] {
        let (recent, earlier) = state.withLock { ($0.recent, $0.earlier) }
        var contents: [Int: [NameTag: Seen]] = [:]
        for states in [earlier, recent] {
            for (tag, seen) in states {
                let page = SeenLedger.page(of: tag)
                if pages.contains(page) { contents[page, default: [:]][tag] = seen }
            }
        }
        return contents
    }
}

extension SeenNumbers.Seen {
    /// The state of an item that exists with this sealed value.
    init(_ sealed: SecretBytes, number: UInt64, version: SecretVersion?) {
        self.init(
            number: number,
            version: version?.rawValue ?? 0,
            isThere: true,
            fingerprint: Envelope.fingerprint(of: sealed)
        )
    }
}
