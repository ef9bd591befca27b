/// Keeps small secrets: each item is one value under one name, changed as a whole.
///
/// The smallest promise that a keychain, an encrypted file and a cluster can all give. What a store offers
/// beyond it is said as data in ``capabilities``.
///
/// ## For callers
/// - An item that does not exist is an answer (`nil`, ``WriteOutcome/conflict(current:)``), never an error; an
///   item that exists but cannot be read is an error, never "no item".
/// - When a call returns, its effect is durable and visible to every later call of every process.
/// - To change an item without losing another's change, read it, and write with
///   ``WritePrecondition/version(_:)``; on a conflict read again.
/// - Cancelling the task does not stop a write that was begun: it returns its real outcome.
///
/// ## For implementers
/// - Each call is one atomic step: readers see the old value or the new one, also after a crash at any instant.
/// - Each write gives the item a version it has never had before, also after the item was removed and made
///   again: a version read long ago must not match by accident.
/// - A failed call changed nothing, with two exceptions. After ``SecretStoreErrorCode/durabilityUnknown`` the old or
///   the new value will be found when the store is opened again; after ``SecretStoreErrorCode/outcomeUnknown``, at the
///   next read that succeeds.
/// - Names are text and nothing more: a namespace of 1 to 128 bytes of U+0021 to U+007E, a name of 1 to 512
///   bytes of UTF-8 with anything but control characters. `/`, `.`, `..`, `*`, `%`, quotes and, in names,
///   blanks are ordinary characters: no name leads out of the store's place, and none stands for another. A
///   store whose platform reads them in another way, or takes fewer bytes, encodes them.
/// - Values of 0 to 1 MiB must work. Order of concurrent calls is any order that fits their outcomes.
/// - No call blocks a thread of Swift's shared pool or the main actor.
/// - Prove it with the contract suite in `PortcullisTesting`.
public protocol SecretStore: Sendable {
    /// What this store can do beyond the required.
    var capabilities: SecretStoreCapabilities { get }

    /// Reads one item.
    ///
    /// - Returns: value, version and class, or `nil` when there is no such item.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/classLocked`` when its class is locked;
    ///   ``SecretStoreErrorCode/damaged`` when it is there and cannot be trusted; the codes of an unusable
    ///   store otherwise.
    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret?

    /// Writes one item, if the precondition holds at the instant of writing.
    ///
    /// - Parameters:
    ///   - value: the whole new value.
    ///   - name: the item.
    ///   - accessibility: its class from now on.
    ///   - precondition: what must hold, or nothing is changed.
    /// - Returns: the new version, or a conflict with the version that is there.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/classLocked`` when the class cannot be written
    ///   while locked; ``SecretStoreErrorCode/tooLarge``; the codes of an unusable store otherwise.
    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome

    /// Removes one item, if the precondition holds at the instant of removing.
    ///
    /// - Returns: ``RemoveOutcome/removed``; ``RemoveOutcome/absent`` when there was nothing and nothing was
    ///   asked of it; or a conflict.
    /// - Throws: the codes of an unusable store.
    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome

    /// The names of all items in a namespace, sorted; also of those whose class is locked.
    ///
    /// - Throws: the codes of an unusable store.
    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName]

    /// A signal after each change in a namespace, by this process or, where ``SecretStoreCapabilities`` says
    /// so, by another one.
    ///
    /// It never fails and carries no data: the listener reads the items again. Signals that were not taken
    /// yet are merged into one. A store that cannot signal returns a stream that ends at once.
    func changes(in namespace: SecretNamespace) -> AsyncStream<Void>

    /// As ``changes(in:)``, after each change of one item.
    ///
    /// A store that does not know which item was changed also signals for others of its namespace. Without an
    /// implementation of its own it is ``changes(in:)``. A server with a listener for each of thousands of items needs more:
    /// otherwise each change wakes them all.
    func changes(to name: SecretName) -> AsyncStream<Void>
}

extension SecretStore {
    /// The signals of the item's namespace.
    public func changes(to name: SecretName) -> AsyncStream<Void> { changes(in: name.namespace) }

    /// Writes one item whatever was there before.
    @discardableResult
    public func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await write(value, to: name, accessibility: accessibility, if: .none)
    }

    /// Removes one item whatever its version.
    @discardableResult
    public func remove(_ name: SecretName) async throws(SecretStoreError) -> RemoveOutcome {
        try await remove(name, if: .none)
    }
}

/// What a ``SecretStore`` can do beyond the required, as data.
public struct SecretStoreCapabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32
    /// A set of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// ``SecretStore/changes(in:)`` signals the changes of this process.
    public static let signalsOwnChanges = SecretStoreCapabilities(rawValue: 1 << 0)
    /// ``SecretStore/changes(in:)`` signals the changes of other processes too.
    public static let signalsOtherProcesses = SecretStoreCapabilities(rawValue: 1 << 1)
    /// Items outlive the process.
    public static let isDurable = SecretStoreCapabilities(rawValue: 1 << 2)
    /// Several processes, or several instances in one, share the items.
    public static let isShared = SecretStoreCapabilities(rawValue: 1 << 3)
}
