internal import PortcullisCore

/// A new store, with the functions that check the store for each clause.
struct SecretStoreProbe {
    let subject: SecretStoreSubject
    let place: SecretStoreSubject.Place
    let store: any SecretStore
    let space: SecretNamespace
    let otherSpace: SecretNamespace

    init(_ subject: SecretStoreSubject) async throws {
        self.subject = subject
        self.place = try await subject.makePlace()
        self.store = try await place.open()
        self.space = try SecretNamespace("contract")
        self.otherSpace = try SecretNamespace("contract.other")
    }

    /// The store as a store with batches; `nil` if it does not support batches.
    var transactional: (any TransactionalSecretStore)? { transactional(store) }

    /// Returns an open store as a store with batches; `nil` if it does not support batches.
    ///
    /// The downcast is needed because only the store's type shows whether the store supports batches.
    func transactional(_ opening: any SecretStore) -> (any TransactionalSecretStore)? {
        opening as? any TransactionalSecretStore
    }

    /// Opens the store once more.
    func open() async throws -> any SecretStore { try await place.open() }

    /// Opens the store once more. Returns `nil` if the store is neither durable nor shared, or if the subject
    /// cannot open the store twice.
    func openAgain() async throws -> (any SecretStore)? {
        let outlives = !store.capabilities.isDisjoint(with: [.isDurable, .isShared])
        return outlives && subject.canReopen ? try await open() : nil
    }

    func name(_ text: String, in space: SecretNamespace? = nil) throws -> SecretName {
        try SecretName(text, in: space ?? self.space)
    }

    @discardableResult
    func put(
        _ bytes: [UInt8],
        _ name: SecretName,
        as accessibility: Accessibility = .afterFirstUnlockThisDeviceOnly,
        if precondition: WritePrecondition = .none,
        on other: (any SecretStore)? = nil
    ) async throws -> SecretVersion {
        let outcome = try await (other ?? store).write(
            SecretBytes(copying: bytes),
            to: name,
            accessibility: accessibility,
            if: precondition
        )
        guard case .written(let version) = outcome else {
            throw Finding("writing \(name) if \(precondition) gave \(outcome)")
        }
        return version
    }

    func outcome(
        ofWriting bytes: [UInt8],
        to name: SecretName,
        if precondition: WritePrecondition,
        on other: (any SecretStore)? = nil
    ) async throws -> WriteOutcome {
        try await (other ?? store).write(
            SecretBytes(copying: bytes),
            to: name,
            accessibility: .afterFirstUnlock,
            if: precondition
        )
    }

    func expect(
        _ bytes: [UInt8]?,
        at name: SecretName,
        version: SecretVersion? = nil,
        accessibility: Accessibility? = nil,
        on other: (any SecretStore)? = nil
    ) async throws {
        let stored = try await (other ?? store).read(name)
        guard let bytes else {
            return try require(stored == nil, "\(name) should not be there, but is")
        }
        guard let stored else { throw Finding("\(name) should be there, but is not") }
        // The message does not show the bytes, because the store under test may hold real items.
        try require(
            stored.value.matches(SecretBytes(copying: bytes)),
            "\(name) holds another value (\(stored.value.count) bytes, expected \(bytes.count))"
        )
        if let version { try requireEqual(stored.version, version, "version of \(name)") }
        if let accessibility { try requireEqual(stored.accessibility, accessibility, "class of \(name)") }
    }

    func expectNames(
        _ texts: [String],
        in space: SecretNamespace? = nil,
        on other: (any SecretStore)? = nil
    ) async throws {
        let names = try await (other ?? store).names(in: space ?? self.space)
        // The comparison is by bytes, because Swift treats two Unicode forms of one text as equal strings.
        try require(
            names.map { Array($0.name.utf8) } == texts.map { Array($0.utf8) },
            "names: expected \(texts), were \(names.map(\.name))"
        )
    }

    /// Runs the work in several tasks at once and returns the results.
    func atOnce<Result: Sendable>(
        _ count: Int,
        _ work: @escaping @Sendable @concurrent (Int) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for index in 0..<count { group.addTask { try await work(index) } }
            var results: [Result] = []
            for try await result in group { results.append(result) }
            return results
        }
    }
}
