import PortcullisCore
import PortcullisTesting
import SealingStore
import Synchronization

/// A storage below, a key, and clients that open it.
struct House {
    let storage: InMemorySecretStore.Storage
    /// What the clients stand on.
    private let spy: RecordingSecretStore<InMemorySecretStore>
    let key = SecretBytes(randomCount: 32)
    let name: SecretName
    let other: SecretName

    init() throws {
        storage = InMemorySecretStore.Storage()
        spy = RecordingSecretStore(InMemorySecretStore(storage))
        name = try SecretName("alice", in: SecretNamespace("accounts"))
        other = try SecretName("bob", in: SecretNamespace("accounts"))
    }

    var below: InMemorySecretStore { InMemorySecretStore(storage) }

    func client(
        under keys: [SecretBytes]? = nil,
        anchor: (any RollbackAnchor)? = nil
    ) async throws -> SealingStore<RecordingSecretStore<InMemorySecretStore>> {
        try await SealingStore.open(over: spy, under: keys ?? [key], creating: true, anchor: anchor)
    }

    /// The names of all items that a client ever wrote below.
    var allNames: Set<SecretName> {
        spy.calls.reduce(into: []) { names, call in
            switch call {
            case .write(let name, _, _): names.insert(name)
            case .commit(let changed): names.formUnion(changed)
            case .read, .readTogether, .remove, .names: break
            }
        }
    }

    /// What an item's name is below: the one that another client's write of it touches.
    func nameBelow(_ name: SecretName) async throws -> SecretName {
        let spy = RecordingSecretStore(below)
        let client = try await SealingStore.open(over: spy, under: [key], creating: true)
        let before = spy.calls.count
        _ = try await client.read(name)
        for call in spy.calls[before...] { if case .read(let name) = call { return name } }
        throw SecretStoreError(code: .unavailable, message: "nothing was read below")
    }

    /// Puts an item below back as it was.
    func put(_ item: StoredSecret?, at name: SecretName) async throws {
        guard let item else {
            _ = try await below.remove(name)
            return
        }
        _ = try await below.write(item.value, to: name, accessibility: item.accessibility)
    }
}

/// A store without its batches.
struct PlainStore: ForwardingSecretStore {
    let base: any SecretStore
}

/// An anchor in memory, which outlives its client.
final class MemoryAnchor: RollbackAnchor {
    let place = "memory"
    private let kept = Mutex<[UInt8]?>(nil)

    func records() throws(SecretStoreError) -> [UInt8]? { kept.withLock { $0 } }

    func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {
        kept.withLock { $0 = record }
    }
}

/// An anchor that has a counter.
struct CountingAnchor: RollbackAnchor {
    private struct Counter: RollbackCounter {
        func counts(_ reason: AnchorReason) -> Bool { true }

        func setUp(for store: [UInt8]) throws(SecretStoreError) -> UInt32 { 1 }

        func value(of counter: UInt32, store: [UInt8]) throws(SecretStoreError) -> UInt64? { 0 }

        func raise(_ counter: UInt32, store: [UInt8]) throws(SecretStoreError) {}
    }

    let base: MemoryAnchor
    var place: String { base.place }
    var counter: (any RollbackCounter)? { Counter() }

    func records() throws(SecretStoreError) -> [UInt8]? { try base.records() }

    func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {
        try base.keep(record, turn: turn, for: reason)
    }
}

extension SecretStore {
    func put(_ text: String, at name: SecretName) async throws {
        _ = try await write(SecretBytes(copying: text.utf8), to: name, accessibility: .afterFirstUnlock)
    }

    func text(at name: SecretName) async throws -> String? {
        try await read(name).map { item in
            item.value.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
        }
    }

    /// The code with which a read fails; `nil` where it does not.
    func failure(at name: SecretName) async -> SecretStoreErrorCode? {
        do throws(SecretStoreError) { _ = try await read(name) } catch { return error.code.portable }
        return nil
    }
}
