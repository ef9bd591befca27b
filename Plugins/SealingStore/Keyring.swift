internal import AdapterKit
internal import Gcrypt
internal import PortcullisCore
internal import Synchronization

/// The keys of a store, as this client last read them from their item in the underlying store.
final class Keyring: Sendable {
    private struct State {
        var item: KeyringItem
        var wrappingKeys: [SecretBytes]
    }

    private typealias Stored = StoredValue<KeyringItem, SecretStoreError>

    private static let accessibility = Accessibility.afterFirstUnlockThisDeviceOnly
    private let base: any SecretStore
    private let state: Mutex<State>
    private let writes = WritesUnderWay()
    /// The name of the keys' item in the underlying store. The name is the same in every store and is not
    /// encrypted, because the keys that encrypt names are in this item.
    static var itemName: SecretName { .library("keyring", in: .library("sealing")) }

    private init(_ base: any SecretStore, _ item: KeyringItem, _ wrappingKeys: [SecretBytes]) {
        self.base = base
        state = Mutex(State(item: item, wrappingKeys: wrappingKeys))
    }

    static func open(
        over base: any SecretStore,
        under wrappingKeys: [SecretBytes],
        creating: Bool
    ) async throws(SecretStoreError) -> Keyring {
        let stored = Self.stored(base, wrappingKeys)
        if !creating {
            guard let item = try await stored.read()?.value else {
                throw SecretStoreError(
                    code: .sealingNotSetUp,
                    message: "the store holds no sealing keys yet"
                )
            }
            return Keyring(base, item, wrappingKeys)
        }
        let made = try KeyringItem.made(under: wrappingKeys)
        let item = try await stored.update { (found) throws(SecretStoreError) in
            if let found { .keep(found) } else { .write(made, made) }
        }.answer
        return Keyring(base, item, wrappingKeys)
    }

    private static func stored(_ base: any SecretStore, _ wrappingKeys: [SecretBytes]) -> Stored {
        Stored(
            itemName,
            in: base,
            accessibility: accessibility,
            coding: .init(
                encode: { (item) throws(SecretStoreError) in try item.value() },
                decode: { (value) throws(SecretStoreError) in
                    try KeyringItem(value, under: wrappingKeys)
                },
                failed: { $0 }
            )
        )
    }

    var nameKey: SecretBytes { state.withLock { $0.item.keys.nameKey } }
    var generation: UInt64 { state.withLock { $0.item.generation } }
    /// The newest value key, which seals values, and its id.
    var sealing: (id: UInt32, key: SealingKey) { state.withLock { $0.item.keys.sealing } }

    private func key(_ id: UInt32) -> SealingKey? { state.withLock { $0.item.keys.valueKeys[id]?.key } }

    /// Opens a value. If the value's key is unknown, the keys are read again first.
    func open(_ envelope: Envelope, _ binding: Binding) async throws(SecretStoreError) -> SecretBytes {
        var key = key(envelope.key)
        if key == nil {
            try await refresh()
            key = self.key(envelope.key)
        }
        guard let key else { throw .damaged("an item is sealed under a key that there is not") }
        guard let value = try envelope.open(key, binding) else {
            throw .damaged("an item was altered, or belongs elsewhere")
        }
        return value
    }

    /// Notes that a write begins, which seals under the newest value key. Returns the id of that key for
    /// ``endWrite(_:)``.
    func beginWrite() -> UInt32 {
        let key = sealing.id
        writes.begin(under: key)
        return key
    }

    func endWrite(_ key: UInt32) { writes.end(under: key) }

    /// Waits until the writes have ended that may have sealed under an older value key than the newest one. A
    /// write must not wait like this, because it would wait for its own end.
    func waitForEarlierWrites() async { await writes.wait(forThoseBefore: sealing.id) }

    /// Reads the keys again from the underlying store.
    func refresh() async throws(SecretStoreError) {
        // Another read may begin later, end earlier and find newer keys. So the keys are compared with those
        // that were known before this read began.
        let (wrappingKeys, least) = state.withLock { ($0.wrappingKeys, $0.item.generation) }
        guard let found = try await Self.stored(base, wrappingKeys).read()?.value else {
            throw .rolledBack("the sealing keys are missing that were there")
        }
        guard found.generation >= least else {
            throw .rolledBack("the sealing keys are older than was seen before")
        }
        take(found)
    }

    private func take(_ found: KeyringItem) {
        state.withLock { if found.generation > $0.item.generation { $0.item = found } }
    }

    /// Changes the stored keys. If new wrapping keys are given, they are kept for the next read.
    func change(
        wrappingKeys new: [SecretBytes]? = nil,
        _ change: (inout KeyringItem) throws(SecretStoreError) -> Void
    ) async throws(SecretStoreError) {
        let known = state.withLock { $0.wrappingKeys }
        let least = generation
        let changed = try await Self.stored(base, known).update { (found) throws(SecretStoreError) in
            guard var item = found, item.generation >= least else {
                throw .rolledBack("the sealing keys are older than was seen before")
            }
            try change(&item)
            item.generation += 1
            return .write(item, item)
        }.answer
        if let new { state.withLock { $0.wrappingKeys = new } }
        take(changed)
    }
}
