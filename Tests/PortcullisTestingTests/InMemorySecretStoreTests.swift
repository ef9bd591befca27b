import PortcullisCore
import PortcullisTesting
import Testing

@Suite("InMemorySecretStore (X-3)", .timeLimit(.minutes(5)))
struct InMemorySecretStoreTests {
    static let subject = SecretStoreSubject(
        lock: { ($0 as? InMemorySecretStore)?.lock() },
        unlock: { ($0 as? InMemorySecretStore)?.unlock() },
        places: {
            let storage = InMemorySecretStore.Storage()
            return SecretStoreSubject.Place(
                damage: { storage.damage($0) },
                open: { InMemorySecretStore(storage) }
            )
        }
    )

    @Test("X-3: the in-memory store keeps the contract", arguments: SecretStoreContract.allCases)
    func contract(_ clause: SecretStoreContract) async throws {
        let result = try await clause.check(Self.subject)
        // A dictionary waits for nothing.
        #expect((result == .kept) == ![.silentStreamsEnd, .waitsOffThePool].contains(clause))
    }

    @Test("X-3: the decorators keep the contract too", arguments: SecretStoreContract.allCases)
    func decorators(_ clause: SecretStoreContract) async throws {
        try await clause.check(
            SecretStoreSubject(places: {
                let storage = InMemorySecretStore.Storage()
                return SecretStoreSubject.Place(damage: { storage.damage($0) }) {
                    RecordingSecretStore(FailingSecretStore(InMemorySecretStore(storage)))
                }
            })
        )
    }

    @Test("K-8: locking keeps this store, and no other over the storage, from whenUnlocked items")
    func locks() async throws {
        let storage = InMemorySecretStore.Storage()
        let (one, other) = (InMemorySecretStore(storage), InMemorySecretStore(storage))
        let name = try SecretName("n", in: SecretNamespace("s"))
        let value = SecretBytes(copying: [1])
        try await one.write(value, to: name, accessibility: .whenUnlockedThisDeviceOnly)
        one.lock()
        for attempt in [0, 1] {
            let error = await #expect(throws: SecretStoreError.self) {
                if attempt == 0 {
                    _ = try await one.read(name)
                } else {
                    try await one.write(value, to: name, accessibility: .whenUnlocked)
                }
            }
            #expect(error?.code == .classLocked)
        }
        #expect(try await other.read(name) != nil)
        one.unlock()
        #expect(try await one.read(name) != nil)
    }

    @Test(
        "X-3: a damaged item is damaged in every store over the storage until it is written anew or removed"
    )
    func damage() async throws {
        let storage = InMemorySecretStore.Storage()
        let (one, other) = (InMemorySecretStore(storage), InMemorySecretStore(storage))
        let name = try SecretName("n", in: SecretNamespace("s"))
        let value = SecretBytes(copying: [1])
        storage.damage(name)
        #expect(try await one.read(name) == nil, "there was nothing to damage")
        for isRemoved in [true, false] {
            try await one.write(value, to: name, accessibility: .afterFirstUnlock)
            #expect(try await other.read(name) != nil)
            storage.damage(name)
            let error = await #expect(throws: SecretStoreError.self) { _ = try await other.read(name) }
            #expect(error?.code == .damaged)
            if isRemoved { try await one.remove(name) }
        }
        try await one.write(value, to: name, accessibility: .afterFirstUnlock)
        #expect(try await other.read(name) != nil)
    }

    @Test("a scripted failure comes once, before or after its effect; calls are recorded without values")
    func decoratorsScript() async throws {
        let failing = FailingSecretStore(InMemorySecretStore())
        let store = RecordingSecretStore(failing)
        let name = try SecretName("n", in: SecretNamespace("s"))
        let value = SecretBytes(copying: [1])

        failing.failNext(.write, with: SecretStoreError(code: .diskFull, message: "full"))
        let full = await #expect(throws: SecretStoreError.self) {
            try await store.write(value, to: name, accessibility: .afterFirstUnlock)
        }
        #expect(full?.code == .diskFull)
        #expect(try await store.read(name) == nil)

        failing.failNextAfterEffect(.write, with: SecretStoreError(code: .durabilityUnknown, message: "sync"))
        let unknown = await #expect(throws: SecretStoreError.self) {
            try await store.write(value, to: name, accessibility: .afterFirstUnlock)
        }
        #expect(unknown?.code == .durabilityUnknown)
        #expect(try await store.read(name) != nil)

        try await store.write(value, to: name, accessibility: .afterFirstUnlock)
        let write = SecretStoreCall.write(name, .afterFirstUnlock, if: .none)
        #expect(store.calls == [write, .read(name), write, .read(name), write])
        #expect(store.count(of: .write) == 3)
    }

    @Test("X-3: signals that were not taken are one")
    func mergedSignals() async throws {
        let store = InMemorySecretStore()
        let name = try SecretName("n", in: SecretNamespace("s"))
        let changes = store.changes(in: name.namespace)
        for byte in UInt8(0)..<3 {
            try await store.write(SecretBytes(copying: [byte]), to: name, accessibility: .afterFirstUnlock)
        }
        // In a cancelled task the stream ends behind what has come already.
        let taken = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        #expect(await taken.value == 1)
    }

    @Test("K-8: a store can be locked from the start, and says so")
    func lockedFromTheStart() async throws {
        let store = InMemorySecretStore(isLocked: true)
        #expect(store.isLocked)
        let name = try SecretName("n", in: SecretNamespace("s"))
        let change = SecretChange.write(
            SecretBytes(copying: [1]),
            to: name,
            accessibility: .whenUnlocked,
            if: .none
        )
        let error = await #expect(throws: SecretStoreError.self) { _ = try await store.commit([change]) }
        #expect(error?.code == .classLocked)
        store.unlock()
        #expect(!store.isLocked)
        _ = try await store.commit([change])
        #expect(try await store.read(name) != nil)
        #expect(!InMemorySecretStore().isLocked)
    }

    @Test("X-3: each operation is recorded as what it is, and can fail before and after its effect")
    func everyOperation() async throws {
        let failing = FailingSecretStore(InMemorySecretStore())
        let store = RecordingSecretStore(failing)
        let space = try SecretNamespace("s")
        let name = try SecretName("n", in: space)
        let value = SecretBytes(copying: [1])
        let change = SecretChange.write(value, to: name, accessibility: .afterFirstUnlock, if: .none)
        func perform(_ operation: SecretStoreOperation) async throws {
            switch operation {
            case .read: _ = try await store.read(name)
            case .write:
                _ = try await store.write(value, to: name, accessibility: .whenUnlocked, if: .absent)
            case .remove: _ = try await store.remove(name, if: .absent)
            case .names: _ = try await store.names(in: space)
            case .commit: _ = try await store.commit([change])
            }
        }
        for operation in SecretStoreOperation.allCases {
            failing.failNext(operation, with: SecretStoreError(code: .closed, message: "before"))
            failing.failNextAfterEffect(operation, with: SecretStoreError(code: .readOnly, message: "after"))
            for code in [SecretStoreError.Code.closed, .readOnly] {
                let error = await #expect(throws: SecretStoreError.self) { try await perform(operation) }
                #expect(error?.code == code)
            }
            try await perform(operation)
            #expect(store.count(of: operation) == 3)
        }
        let calls: [SecretStoreCall] = [
            .read(name), .write(name, .whenUnlocked, if: .absent), .remove(name, if: .absent), .names(space),
            .commit([name]),
        ]
        #expect(store.calls == calls.flatMap { [$0, $0, $0] })
        #expect(store.capabilities == InMemorySecretStore().capabilities)
        store.forgetCalls()
        failing.failNext(.read, with: SecretStoreError(code: .closed, message: "before"))
        let error = await #expect(throws: SecretStoreError.self) { _ = try await store.read([name, name]) }
        #expect(error?.code == .closed)
        #expect(store.calls == [.readTogether([name, name])] && store.count(of: .read) == 1)
        store.forgetCalls()
        #expect(store.calls.isEmpty && store.count(of: .read) == 0)
    }
}
