public import PortcullisCore

/// A value that is kept as one item of a store and changed by compare-and-set.
///
/// Several processes may change the value. Each process reads the item, decides, and writes if the item still
/// has the version that was read. If the version has changed, the process waits (``BackOff``), reads again
/// and decides again. So no change is lost, and no decision is based on an old value.
public struct StoredValue<Value: Sendable, Failure: Error>: Sendable {
    /// The decision about a value: the change, and the answer that the call returns.
    public enum Change<Answer: Sendable>: Sendable {
        /// The value is written. After that, the call returns the answer.
        case write(Value, Answer)
        /// The item stays as it is, and the call returns the answer.
        case keep(Answer)
        /// The item is removed. After that, the call returns the answer.
        case remove(Answer)
    }

    /// Converts a value to an item's content and back, and an error of the store to an error of the caller.
    public struct Coding: Sendable {
        let encode: @Sendable (Value) throws(Failure) -> SecretBytes
        let decode: @Sendable (SecretBytes) throws(Failure) -> Value
        let failed: @Sendable (SecretStoreError) -> Failure

        /// Makes a coding of these functions.
        ///
        /// - Parameters:
        ///   - encode: makes the item's content from a value.
        ///   - decode: makes the value from an item's content; throws when it cannot understand the content.
        ///   - failed: makes the caller's error from an error of the store.
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

    /// Makes a value that is kept in a store.
    ///
    /// - Parameters:
    ///   - name: the item's name.
    ///   - store: the store that keeps the item.
    ///   - accessibility: the item's class; by default the item is readable once the store was unlocked for
    ///     the first time after a restart, and never leaves the device.
    ///   - backOff: the wait after a conflict with another writer; by default ``BackOff/standard``.
    ///   - coding: converts values and errors.
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

    /// Reads the value and its version; `nil` when there is no item.
    ///
    /// - Throws: the error that ``Coding`` makes from the store's error, or the error of ``Coding`` for a
    ///   content that it cannot understand.
    public func read() async throws(Failure) -> (value: Value, version: SecretVersion)? {
        guard let item = try await item() else { return nil }
        return (try coding.decode(item.value), item.version)
    }

    /// Reads the version of the item, whatever its content is; `nil` when there is no item.
    ///
    /// - Throws: the error that ``Coding`` makes from the store's error.
    public func version() async throws(Failure) -> SecretVersion? { try await item()?.version }

    private func item() async throws(Failure) -> StoredSecret? {
        do throws(SecretStoreError) { return try await store.read(name) } catch { throw coding.failed(error) }
    }

    /// Reads the item, asks `decide` for a decision, and carries the decision out. If another writer has
    /// changed the item meanwhile, the call starts again.
    ///
    /// - Parameters:
    ///   - known: the item as the caller last read it. If `decide` writes or removes this known item, that
    ///     change is tried before the item is read. This saves a read if no other writer has changed the
    ///     item. If `decide` keeps the item or throws, that decision is ignored: the item is read and
    ///     `decide` is called again.
    ///   - attempted: is called after each attempt to write or remove, with `true` if the change was made.
    ///     After an error its argument is `false`, although with some errors the change may have been made.
    ///   - decide: returns the decision about the value, which is `nil` when there is no item. It may be
    ///     called several times, and must not depend on an earlier call.
    /// - Returns: the answer of the final decision, and the item's version after that decision. The version
    ///   is `nil` when there is no item.
    /// - Throws: the error that `decide` or ``Coding`` throws, or that ``Coding`` makes from the store's
    ///   error.
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

    /// Makes a change if the precondition holds. Returns the answer and the item's new version. The version
    /// is `nil` after a removal. The whole result is `nil` when nothing was changed.
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
    /// - Throws: the error that ``Coding`` throws, or that it makes from the store's error.
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

    /// Removes the item, even if its content cannot be understood.
    ///
    /// - Parameter attempted: is called after the attempt, with `true` if the removal was made. After an
    ///   error its argument is `false`, although with some errors the item may have been removed.
    /// - Throws: the error that ``Coding`` makes from the store's error.
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
