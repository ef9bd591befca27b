import PortcullisCore
import PortcullisTesting
import Synchronization

/// A store in memory that records its calls and the written items.
final class SpyStore: TransactionalSecretStore {
    private struct State {
        var calls: [String] = []
        var texts: [String] = []
        var sizes: [Int] = []
        /// The largest value that there is room for.
        var room = Int.max
        /// The read to hold next: a part of the names of its namespaces.
        var held: String?
        /// The item that cannot be read.
        var damaged: SecretName?
        var atRead: @Sendable () async -> Void = {}
    }

    /// The gate at which the read of ``holdNext(_:)`` waits.
    let gate = Gate()

    private let store = InMemorySecretStore()
    private let state = Mutex(State())

    /// The calls since the previous call of this method, by kind and namespace, without names.
    func takeCalls() -> [String] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    /// The sizes of the items that were written since the previous call of this method.
    func takeSizes() -> [Int] {
        state.withLock { state in
            defer { state.sizes = [] }
            return state.sizes
        }
    }

    /// Every name and value that was ever written.
    var texts: [String] { state.withLock { $0.texts } }

    /// Sets whether the store has no room left.
    func setFull(_ isFull: Bool) { setRoom(isFull ? -1 : .max) }

    /// Sets the largest value that there is room for.
    func setRoom(_ bytes: Int) { state.withLock { $0.room = bytes } }

    /// Holds the next read of namespaces with this text at the gate, after it has read. So its result may be
    /// out of date when the gate opens.
    func holdNext(_ part: String) {
        gate.close()
        state.withLock { $0.held = part }
    }

    /// Makes an item one that cannot be read.
    func damage(_ name: SecretName) { state.withLock { $0.damaged = name } }

    /// Does something before each read from now on.
    func atRead(_ body: @escaping @Sendable () async -> Void) { state.withLock { $0.atRead = body } }

    private func takeRoom(_ bytes: Int) throws(SecretStoreError) {
        if bytes > state.withLock({ $0.room }) {
            throw SecretStoreError(code: .diskFull, message: "no space is left")
        }
    }

    var capabilities: SecretStoreCapabilities { store.capabilities }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await reading([name]) { () async throws(SecretStoreError) in try await store.read(name) }
    }

    func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        try await reading(names) { () async throws(SecretStoreError) in try await store.read(names) }
    }

    private func reading<Found>(
        _ names: [SecretName],
        _ read: () async throws(SecretStoreError) -> Found
    ) async throws(SecretStoreError) -> Found {
        let spaces = names.map { "\($0.namespace)" }.joined(separator: " and ")
        let (isHeld, isDamaged, atRead) = state.withLock { state in
            state.calls.append("read \(spaces)")
            let isHeld = state.held.map { spaces.contains($0) } ?? false
            if isHeld { state.held = nil }
            return (isHeld, names.contains { $0 == state.damaged }, state.atRead)
        }
        if isDamaged { throw SecretStoreError(code: .damaged, message: "the item is damaged") }
        await atRead()
        let found = try await read()
        if isHeld { _ = await gate.pass() }
        return found
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        note("write", name, value)
        try takeRoom(value.count)
        return try await store.write(value, to: name, accessibility: accessibility, if: precondition)
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        state.withLock { $0.calls.append("remove \(name.namespace)") }
        return try await store.remove(name, if: precondition)
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await store.names(in: namespace)
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { store.changes(in: namespace) }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        var size = 0
        for case .write(let value, let name, _, _) in changes {
            note("commit", name, value)
            size += value.count
        }
        try takeRoom(size)
        return try await store.commit(changes)
    }

    private func note(_ call: String, _ name: SecretName, _ value: SecretBytes) {
        let text = value.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        state.withLock { state in
            state.calls.append("\(call) \(name.namespace)")
            state.texts += [name.name, text]
            state.sizes.append(name.name.utf8.count + value.count)
        }
    }
}
