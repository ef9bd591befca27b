internal import AdapterKit
internal import Gcrypt
internal import PortcullisCore
internal import Synchronization

/// Stores the numbers that one client has seen, in items of the underlying store. A rollback anchor shows
/// whether the stored numbers are current.
///
/// The item numbers are in up to 256 items of the underlying store, the pages. One more item, the root, has
/// the numbers of the pages. Each page, and the root too, has its own number, which rises with each write.
/// The anchor's record of 128 bytes contains the client's id and the number of the root. The pages are
/// written first, then the root, then the anchor. A crash in between leaves pages that are newer than the
/// root requires, or a root that is newer than the anchor requires. Neither is an error. After the client has
/// loaded such items, its next call of ``keep(all:)`` writes the root and the anchor, even if it has seen no
/// new number.
final class SeenLedger: Sendable {
    static let pages = 256
    static let accessibility = Accessibility.afterFirstUnlockThisDeviceOnly
    private static let entrySize = 16 + 8 + 1

    private let anchor: LedgerAnchor
    private let base: any SecretStore
    private let keyring: Keyring
    private let seen: SeenNumbers
    private let space: SecretNamespace
    /// Lets one call of ``keep(all:)`` run at a time.
    private let turn = SerialTurn()
    /// The numbers of the pages and of the root.
    private struct Numbers: Sendable {
        /// For each page, the number of its last successful write. The root stores these numbers.
        var kept = Array(repeating: UInt64(0), count: pages)
        /// The last number of each page for which a write was begun. If the answer to a write is lost, the
        /// page may have this number. So a page with other content must get a higher number.
        var tried = Array(repeating: UInt64(0), count: pages)
        /// The last number of the root for which a write was begun.
        var root: UInt64 = 0
        /// Whether the loaded items are newer than the root or the anchor requires.
        var isAhead = false
    }

    private let numbers = Mutex(Numbers())

    static func page(of tag: NameTag) -> Int { Int(truncatingIfNeeded: tag.first) & (pages - 1) }

    static func open(
        _ port: any RollbackAnchor,
        _ claim: (any AnchorClaim)?,
        base: any SecretStore,
        keyring: Keyring,
        names: NameSeal,
        seen: SeenNumbers
    ) async throws(SecretStoreError) -> SeenLedger {
        let anchor = try await LedgerAnchor.open(port, claim, nameKey: keyring.nameKey)
        let ledger = SeenLedger(anchor, base, keyring, seen, try space(names))
        try await ledger.load()
        return ledger
    }

    /// The namespace of the numbers of all clients.
    static func space(_ names: NameSeal) throws(SecretStoreError) -> SecretNamespace {
        try names.ownSpace("seen")
    }

    private init(
        _ anchor: LedgerAnchor,
        _ base: any SecretStore,
        _ keyring: Keyring,
        _ seen: SeenNumbers,
        _ space: SecretNamespace
    ) {
        (self.anchor, self.base, self.keyring, self.seen, self.space) = (anchor, base, keyring, seen, space)
    }

    /// Loads the stored numbers. A store that is older than the anchor's record is refused with `rolledBack`.
    private func load() async throws(SecretStoreError) {
        defer { seen.beginKeeping() }
        let witness = anchor.witness
        guard keyring.generation >= witness.keyring else {
            throw .rolledBack("the sealing keys are older than the anchor witnessed")
        }
        guard let root = try await item("root") else {
            guard witness.number == 0 else { throw .rolledBack("what the anchor witnessed is missing") }
            return
        }
        guard root.number >= witness.number else {
            throw .rolledBack("the store is older than its anchor witnessed")
        }
        numbers.withLock { ($0.root, $0.isAhead) = (root.number, root.number > witness.number) }
        let bytes = root.value.sealedBytes
        guard bytes.count == Self.pages * 8 else { throw .damaged("the seen numbers are of another form") }
        for page in 0..<Self.pages {
            let least: UInt64 = bytes.number(at: page * 8)
            guard let item = try await item("\(page)") else {
                guard least == 0 else { throw .rolledBack("a page of seen numbers is missing") }
                continue
            }
            guard item.number >= least else {
                throw .rolledBack("a page of seen numbers is older than it was")
            }
            try take(item.value.sealedBytes)
            numbers.withLock { numbers in
                (numbers.kept[page], numbers.tried[page]) = (item.number, item.number)
                if item.number > least { numbers.isAhead = true }
            }
        }
    }

    private func take(_ bytes: [UInt8]) throws(SecretStoreError) {
        guard bytes.count % Self.entrySize == 0 else {
            throw .damaged("the seen numbers are of another form")
        }
        for start in stride(from: 0, to: bytes.count, by: Self.entrySize) {
            let tag = NameTag(first: bytes.number(at: start), second: bytes.number(at: start + 8))
            let number: UInt64 = bytes.number(at: start + 16)
            seen.note(tag, .init(number: number, version: 0, isThere: bytes[start + 24] != 0))
        }
    }

    private func name(_ part: String) throws(SecretStoreError) -> SecretName {
        try SecretName("\(Base64URL.text(anchor.client)).\(part)", in: space)
    }

    private func binding(_ part: String) -> Binding {
        Self.binding(anchor.client, part)
    }

    static func binding(_ client: [UInt8], _ part: String) -> Binding {
        Binding(kind: .ledger, name: client + Array(part.utf8), accessibility: accessibility)
    }

    private func item(_ part: String) async throws(SecretStoreError) -> (value: SecretBytes, number: UInt64)?
    {
        guard let stored = try await base.read(try name(part)) else { return nil }
        let envelope = try Envelope(stored.value)
        return (try await keyring.open(envelope, binding(part)), envelope.number)
    }

    private func put(_ value: SecretBytes, _ part: String, _ number: UInt64) async throws(SecretStoreError) {
        let key = keyring.beginWrite()
        defer { keyring.endWrite(key) }
        let sealed = try Envelope.seal(value, number: number, under: keyring.sealing, binding(part))
        try await base.write(sealed, to: try name(part), accessibility: Self.accessibility)
    }

    /// Stores the numbers that were seen since the last call, and records the generation of the sealing keys.
    /// Nothing is written if there is no new number and no new generation, and if the loaded items were not
    /// ahead of the root or the anchor.
    ///
    /// - Parameter all: whether every page is written, even a page without new numbers.
    func keep(all: Bool = false) async throws(SecretStoreError) {
        await turn.begin()
        defer { turn.end() }
        let tags = seen.takeUnkept()
        do throws(SecretStoreError) {
            let touched = all ? Set(0..<Self.pages) : Set(tags.map(Self.page(of:)))
            // A change of the sealing keys is recorded too. Otherwise earlier keys that are put back would be
            // accepted after a restart.
            let isKeyringNews = keyring.generation > anchor.witness.keyring
            let isAhead = numbers.withLock { $0.isAhead }
            if !touched.isEmpty || isKeyringNews || isAhead { try await keep(touched) }
        } catch {
            seen.putBack(tags)
            throw error
        }
    }

    private func keep(_ touched: Set<Int>) async throws(SecretStoreError) {
        let contents = seen.pages(touched)
        for page in touched.sorted() {
            let content = contents[page] ?? [:]
            let number = numbers.withLock { $0.tried[page] } + 1
            if content.isEmpty, number == 1 { continue }
            var bytes: [UInt8] = []
            for (tag, seen) in content {
                bytes.append(tag.first)
                bytes.append(tag.second)
                bytes.append(seen.number)
                bytes.append(UInt8(seen.isThere ? 1 : 0))
            }
            numbers.withLock { $0.tried[page] = number }
            try await put(SecretBytes(copying: bytes), "\(page)", number)
            numbers.withLock { $0.kept[page] = number }
        }
        var root: [UInt8] = []
        for number in numbers.withLock({ $0.kept }) { root.append(number) }
        let witnessed = anchor.witness.number
        // A process may be killed after it has written the root and before it writes the anchor. In that case
        // the root's number is higher than the anchor's. The new number must be higher than both.
        let number = numbers.withLock { numbers in
            numbers.root = max(numbers.root, witnessed) + 1
            return numbers.root
        }
        try await put(SecretBytes(copying: root), "root", number)
        try await anchor.keep(number: number, keyring: keyring.generation)
        numbers.withLock { $0.isAhead = false }
    }
}
