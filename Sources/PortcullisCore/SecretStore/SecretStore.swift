/// Keeps small secrets. Each item is one value under one name, and changes as a whole.
///
/// This port requires only abilities that are common to a keychain, an encrypted file and a cluster.
/// ``capabilities`` lists the optional abilities of a store.
///
/// ## For callers
/// - A missing item is an ordinary result (`nil`, ``WriteOutcome/conflict(current:)``), never an error. An
///   item that exists but cannot be read is an error, never "no item".
/// - When a call returns, its effect is durable, and every later call of every process sees it.
/// - To change an item without losing another writer's change, read the item and write it with
///   ``WritePrecondition/version(_:)``. After a conflict, read the item again.
/// - Cancelling the task does not stop a write that has begun: the write returns its real outcome.
///
/// ## For implementers
/// - Each call is one atomic step: readers see the old value or the new one, even after a crash at any instant.
/// - Each write gives the item a version that it never had before, even if the item was removed and written
///   again. An old version must not match by accident.
/// - A failed call changed nothing, with two exceptions. After ``SecretStoreErrorCode/durabilityUnknown``
///   the store holds the old or the new value when it is opened again. After
///   ``SecretStoreErrorCode/outcomeUnknown`` the next read that succeeds shows the old or the new value.
/// - A write or a removal without a precondition does not depend on the bytes that are there: it also works on
///   a damaged item. A person who logs out removes a damaged record in this way. Only where the damage is to
///   the whole store may the call throw ``SecretStoreErrorCode/damaged``. The call changes no other item.
/// - Names are plain text: a namespace of 1 to 128 bytes of U+0021 to U+007E, a name of 1 to 512 bytes of
///   UTF-8 without control characters. `/`, `.`, `..`, `*`, `%`, quotes and, in names, blanks are ordinary
///   characters. No name leads to a place outside of the store, and no two names mean the same item. If the
///   platform gives such characters a meaning, or accepts only shorter names, the store encodes the names.
/// - Values of 0 to 1 MiB must work. Concurrent calls may take effect in any order that fits their outcomes.
/// - No call blocks a thread of Swift's shared pool or the main actor.
/// - The contract suite in `PortcullisTesting` checks these rules.
public protocol SecretStore: Sendable {
    /// The optional capabilities of this store.
    var capabilities: SecretStoreCapabilities { get }

    /// Reads one item.
    ///
    /// - Returns: the value, version and accessibility class; `nil` when there is no such item.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/classLocked`` when the item's class is
    ///   locked; ``SecretStoreErrorCode/damaged`` when the item exists and its bytes are damaged; otherwise a
    ///   code that says why the store cannot be used.
    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret?

    /// Writes one item, if the precondition holds at the instant of writing.
    ///
    /// - Parameters:
    ///   - value: the whole new value.
    ///   - name: the item's name.
    ///   - accessibility: the item's accessibility class from now on.
    ///   - precondition: the condition for the write; if it does not hold, nothing changes.
    /// - Returns: the new version, or a conflict with the present version.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/classLocked`` when the class is locked and
    ///   cannot be written; ``SecretStoreErrorCode/tooLarge``; otherwise a code that says why the store
    ///   cannot be used.
    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome

    /// Removes one item, if the precondition holds at the instant of removing.
    ///
    /// - Returns: ``RemoveOutcome/removed``; ``RemoveOutcome/absent`` when the item did not exist and the
    ///   precondition did not require that it exists; or a conflict.
    /// - Throws: ``SecretStoreError`` with a code that says why the store cannot be used.
    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome

    /// Returns the names of all items in a namespace, sorted. Items whose class is locked are included.
    ///
    /// - Throws: ``SecretStoreError`` with a code that says why the store cannot be used.
    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName]

    /// A stream with a signal after each change in a namespace. The changes of other processes are signalled
    /// only with the capability ``SecretStoreCapabilities/signalsOtherProcesses``.
    ///
    /// The stream never fails and carries no data: the reader reads the items again. Signals that the reader
    /// has not yet received are merged into one. A store that cannot signal returns a stream that ends at
    /// once.
    func changes(in namespace: SecretNamespace) -> AsyncStream<Void>

    /// A stream with a signal after each change of one item. In all other respects the stream is like that of
    /// ``changes(in:)``.
    ///
    /// A store that cannot tell which item changed also signals the changes of other items of the namespace.
    /// The default implementation returns ``changes(in:)``, so each change in a namespace wakes all listeners
    /// of the namespace. A store for a server with thousands of listeners needs its own implementation.
    func changes(to name: SecretName) -> AsyncStream<Void>
}

extension SecretStore {
    /// The default: returns a stream with the signals of the item's whole namespace.
    public func changes(to name: SecretName) -> AsyncStream<Void> { changes(in: name.namespace) }

    /// Writes one item without a precondition.
    @discardableResult
    public func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await write(value, to: name, accessibility: accessibility, if: .none)
    }

    /// Removes one item without a precondition.
    @discardableResult
    public func remove(_ name: SecretName) async throws(SecretStoreError) -> RemoveOutcome {
        try await remove(name, if: .none)
    }
}

/// The optional capabilities of a ``SecretStore``.
public struct SecretStoreCapabilities: OptionSet, Hashable, Sendable {
    /// The capabilities as bits.
    public let rawValue: UInt32
    /// Makes a set from these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// ``SecretStore/changes(in:)`` signals the changes of this process.
    public static let signalsOwnChanges = SecretStoreCapabilities(rawValue: 1 << 0)
    /// ``SecretStore/changes(in:)`` signals the changes of other processes too.
    public static let signalsOtherProcesses = SecretStoreCapabilities(rawValue: 1 << 1)
    /// Items outlive the process.
    public static let isDurable = SecretStoreCapabilities(rawValue: 1 << 2)
    /// Several processes, or several instances in one process, share the items.
    public static let isShared = SecretStoreCapabilities(rawValue: 1 << 3)
}
