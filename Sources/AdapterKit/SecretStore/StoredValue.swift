public import PortcullisCore

/// One value that is kept as one item of a store, and changed by compare-and-set.
///
/// Several processes may change it. Each reads, decides on what it found, and writes if that is still the item's version;
/// a writer that was overtaken reads again and decides anew, after a pause that grows (``BackOff``). So no change is lost,
/// and a decision never rests on an old value.
public struct StoredValue<Value: Sendable, Failure: Error>: Sendable {
    /// What is made of the value.
    public enum Change<Answer: Sendable>: Sendable {
        /// This value is written, then the answer given.
        case write(Value, Answer)
        /// The item stays as it is.
        case keep(Answer)
        /// The item is removed, then the answer given.
        case remove(Answer)
    }

    /// How a value becomes an item, and a failure of the store a failure of the caller.
    public struct Coding: Sendable {
        let encode: @Sendable (Value) throws(Failure) -> SecretBytes
        let decode: @Sendable (SecretBytes) throws(Failure) -> Value
        let failed: @Sendable (SecretStoreError) -> Failure

        /// A coding of these parts.
        ///
        /// - Parameters:
        ///   - encode: the item's content.
        ///   - decode: the value of an item; throws where it cannot be understood.
        ///   - failed: what an error of the store is to the caller.
        public init(
            encode: @escaping @Sendable (Value) throws(Failure) -> SecretBytes,
            decode: @escaping @Sendable (SecretBytes) throws(Failure) -> Value,
            failed: @escaping @Sendable (SecretStoreError) -> Failure
        ) {
            (self.encode, self.decode, self.failed) = (encode, decode, failed)
        }
    }

    private let name: SecretName
    private let store: any SecretStore
    private let accessibility: Accessibility
    private let backOff: BackOff
    private let coding: Coding

    /// A value in a store.
    ///
    /// - Parameters:
    ///   - name: the item's name.
    ///   - store: where it is kept.
    ///   - accessibility: when it can be read; default: from the first unlock on, on this device only.
    ///   - backOff: how long a writer that was overtaken waits; default: ``BackOff/standard``.
    ///   - coding: how it is encoded.
    public init(
        _ name: SecretName,
        in store: any SecretStore,
        accessibility: Accessibility = .afterFirstUnlockThisDeviceOnly,
        backOff: BackOff = .standard,
        coding: Coding
    ) {
        (self.name, self.store, self.accessibility) = (name, store, accessibility)
        (self.backOff, self.coding) = (backOff, coding)
    }

    /// The value and its version; `nil` when there is no item.
    ///
    /// - Throws: what ``Coding`` makes of the store's error, or throws for a content that it cannot understand.
    public func read() async throws(Failure) -> (value: Value, version: SecretVersion)? {
        guard let item = try await item() else { return nil }
        return (try coding.decode(item.value), item.version)
    }

    /// The version of the item, whatever its content; `nil` when there is none.
    ///
    /// - Throws: what ``Coding`` makes of the store's error.
    public func version() async throws(Failure) -> SecretVersion? { try await item()?.version }

    private func item() async throws(Failure) -> StoredSecret? {
        do throws(SecretStoreError) { return try await store.read(name) } catch { throw coding.failed(error) }
    }

    /// Reads, decides, and writes or removes if the item has not changed since it was read; starts again otherwise.
    ///
    /// - Parameters:
    ///   - known: what the item was when the caller saw it last. A change of it is tried before the item is read, which
    ///     saves the read where no other writer came in between. What else is decided on it, to keep it or to throw, does
    ///     not count: the item is read, and it is decided anew.
    ///   - attempted: is called after each attempt to write or remove with whether it was made. One that threw was not, as
    ///     far as is known: some errors leave that open.
    ///   - decide: what is to be made of the value, `nil` when there is no item. It may be called several times, and
    ///     depends on nothing that an earlier call did.
    /// - Returns: the answer of the decision that holds, and the item's version then; `nil` when there is none.
    /// - Throws: what `decide` throws, or ``Coding`` makes of the store's error.
    public func update<Answer: Sendable>(
        known: (value: Value, version: SecretVersion)? = nil,
        attempted: (Bool) -> Void = { _ in },
        _ decide: (Value?) throws(Failure) -> Change<Answer>
    ) async throws(Failure) -> (answer: Answer, version: SecretVersion?) {
        if let known, let change = try? decide(known.value),
            let outcome = try await make(change, if: .version(known.version), attempted)
        {
            return outcome
        }
        var attempts = 0
        while true {
            let found = try await read()
            let change = try decide(found?.value)
            if case .keep(let answer) = change { return (answer, found?.version) }
            let condition = found.map { WritePrecondition.version($0.version) } ?? .absent
            if let outcome = try await make(change, if: condition, attempted) { return outcome }
            await backOff.wait(after: attempts)
            attempts += 1
        }
    }

    /// - Returns: the answer and the item's version; `nil` where nothing was changed.
    private func make<Answer: Sendable>(
        _ change: Change<Answer>,
        if condition: WritePrecondition,
        _ attempted: (Bool) -> Void
    ) async throws(Failure) -> (answer: Answer, version: SecretVersion?)? {
        switch change {
        case .keep: return nil
        case .write(let value, let answer):
            return try await write(value, if: condition, attempted).map { (answer, $0) }
        case .remove(let answer):
            return try await remove(if: condition, attempted) ? (answer, nil) : nil
        }
    }

    /// Writes a value under a precondition.
    ///
    /// - Returns: the new version; `nil` when the precondition does not hold.
    /// - Throws: what ``Coding`` throws, or makes of the store's error.
    public func write(_ value: Value, if condition: WritePrecondition) async throws(Failure) -> SecretVersion?
    {
        try await write(value, if: condition) { _ in }
    }

    private func write(
        _ value: Value,
        if condition: WritePrecondition,
        _ attempted: (Bool) -> Void
    ) async throws(Failure) -> SecretVersion? {
        let content = try coding.encode(value)
        var version: SecretVersion?
        defer { attempted(version != nil) }
        do throws(SecretStoreError) {
            let outcome = try await store.write(
                content,
                to: name,
                accessibility: accessibility,
                if: condition
            )
            if case .written(let new) = outcome { version = new }
            return version
        } catch {
            throw coding.failed(error)
        }
    }

    /// Removes the item whatever its content, also one that cannot be understood.
    ///
    /// - Parameter attempted: is called afterwards with whether it was made, as in ``update(known:attempted:_:)``.
    /// - Throws: what ``Coding`` makes of the store's error.
    public func erase(attempted: (Bool) -> Void = { _ in }) async throws(Failure) {
        _ = try await remove(if: .none, attempted)
    }

    private func remove(
        if condition: WritePrecondition,
        _ attempted: (Bool) -> Void
    ) async throws(Failure) -> Bool {
        var isMade = false
        defer { attempted(isMade) }
        do throws(SecretStoreError) {
            if case .conflict = try await store.remove(name, if: condition) { return false }
            isMade = true
            return true
        } catch {
            throw coding.failed(error)
        }
    }
}
