import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

actor DictionaryStore: SecretStore {
    nonisolated var capabilities: SecretStoreCapabilities { [] }
    private var items: [SecretName: StoredSecret] = [:]
    /// Of the whole store: a version must not come back with an item that was removed and made again.
    private var latest: UInt64 = 0

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? { items[name] }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        let current = items[name]?.version
        guard holds(precondition, for: current) else { return .conflict(current: current) }
        latest += 1
        let version = SecretVersion(latest)
        items[name] = StoredSecret(value: value, version: version, accessibility: accessibility)
        return .written(version)
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        let current = items[name]?.version
        guard holds(precondition, for: current) else { return .conflict(current: current) }
        return items.removeValue(forKey: name) == nil ? .absent : .removed
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        items.keys.filter { $0.namespace == namespace }.sorted()
    }

    nonisolated func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        AsyncStream { $0.finish() }
    }

    private func holds(_ precondition: WritePrecondition, for current: SecretVersion?) -> Bool {
        switch precondition {
        case .none: true
        case .absent: current == nil
        case .version(let version): current == version
        }
    }
}

private typealias MyStore = DictionaryStore

/// The code of the guides for who writes an adapter or swaps one, as they show it.
@Suite("Guides: adapters", .timeLimit(.minutes(5)))
struct AdapterGuide {
    @Test("DictionaryStore keeps the contract", arguments: SecretStoreContract.allCases)
    func contract(_ clause: SecretStoreContract) async throws {
        try await clause.check(SecretStoreSubject(fresh: { DictionaryStore() }))
    }

    @Suite("In a list of requirements", .timeLimit(.minutes(5)))
    struct ByID {
        @Test("X-3: keeps the contract", arguments: SecretStoreContract.allCases)
        func contract(_ clause: SecretStoreContract) async throws {
            try await clause.check(SecretStoreSubject(fresh: { MyStore() }))
        }
    }

    @Suite("Opened again", .timeLimit(.minutes(5)))
    struct Reopened {
        @Test("X-3: keeps the contract", arguments: SecretStoreContract.allCases)
        func contract(_ clause: SecretStoreContract) async throws {
            let result = try await clause.check(
                SecretStoreSubject(reopening: {
                    let storage = InMemorySecretStore.Storage()
                    return { InMemorySecretStore(storage) }
                })
            )
            if case .notApplicable(let reason) = result {
                print("\(clause.id) does not apply: \(reason)")
            }
        }
    }

    @Test("a store on weaker ground")
    func weaker() async throws {
        let keychain = SecretStoreSubject(
            unsupported: [.valueSizes, .namesByteForByte],
            fresh: { DictionaryStore() }
        )
        #expect(try await SecretStoreContract.valueSizes.check(keychain) != .kept)
    }

    @Test("time that a test moves")
    func time() async throws {
        do {
            let clock = ManualClock()
            let backends = Backends(
                secrets: InMemorySecretStore(),
                sealer: FastPasscodeSealer(),
                clock: clock
            )
            await clock.advance(by: .seconds(60))  // a minute passes, at once
            #expect(backends.clock.now == clock.now)
        }
        let clock = ManualClock()
        let service = try PasscodeService(
            user: .device,
            backends: Backends(secrets: InMemorySecretStore(), sealer: FastPasscodeSealer(), clock: clock),
            session: InMemorySession(),
            configuration: PasscodeConfiguration(appName: "Ledger")
        )
        let (passcode, wrong) = (SecretBytes(copying: "834912".utf8), SecretBytes(copying: "000000".utf8))
        try await service.set(passcode)
        for _ in 0..<5 { _ = try await service.verify(wrong) }
        #expect(try await service.status().retryAfter == .seconds(60))
        await clock.advance(by: .seconds(60))
        #expect(try await service.verify(passcode).isRight)
    }

    @Test("a process that is killed, and a store that fails")
    func faults() async throws {
        let storage = InMemorySecretStore.Storage()
        let before = InMemorySecretStore(storage)
        let after = InMemorySecretStore(storage)
        let name = try SecretName("item", in: SecretNamespace("tests"))
        try await before.write(SecretBytes("value"), to: name, accessibility: .afterFirstUnlock)
        #expect(try await after.read(name) != nil)

        let failing = FailingSecretStore(InMemorySecretStore(storage))
        failing.failNext(.write, with: SecretStoreError(code: .diskFull, message: "no space left"))
        let error = await #expect(throws: SecretStoreError.self) {
            try await failing.write(SecretBytes("value"), to: name, accessibility: .afterFirstUnlock)
        }
        #expect(error?.code == .diskFull)
    }
}

extension SecretBytes {
    fileprivate convenience init(_ text: String) { self.init(copying: text.utf8) }
}
