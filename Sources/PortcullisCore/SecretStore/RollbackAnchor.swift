/// Keeps a record of a store's latest state in a place outside of the store. The record reveals that the
/// store is missing, or that an older, shorter or different store has replaced it.
///
/// An anchor without a ``counter`` protects only against an attacker who can restore an older store but
/// cannot change the record. The record is not secret. The store authenticates the record with the store's
/// key. Only readers with that key can check the record.
///
/// ## For callers
/// - Calls block. Make them on your own thread, one after the other.
/// - Call ``keep(_:turn:for:)`` after the change is durable, and ``records()`` before the store is read.
///   The anchor may then be behind the store but never ahead of it.
///
/// ## For implementers
/// - The thread that calls can change from call to call. Several processes may call at the same time.
/// - If a process is killed during a call, a whole record must remain. A process that calls at the same time
///   must find a whole record: the new record or the previous record.
/// - ``records()`` returns `nil` only if certainly no record was ever kept. After `nil` the caller accepts a
///   new store. If a record cannot be read, ``records()`` throws.
/// - ``records()`` may be called before each ``keep(_:turn:for:)`` too, so an anchor that is slow to read
///   should cache the records.
/// - An anchor that wears out or is slow may skip the record for some values of ``AnchorReason``. A rollback
///   of the skipped changes is then not detected.
public protocol RollbackAnchor: Sendable {
    /// The name of the record's place in messages: the path, or another name if there is no path.
    var place: String { get }

    /// The counter that records are bound to; `nil`, the default, if the anchor has none.
    ///
    /// The first time a store is opened with this anchor, the store sets the counter up and notes this in the
    /// header of its file. From then on the store counts as rolled back if its record is missing, or if the
    /// counter is missing or was replaced. The store keeps this rule until the caller tells the store to
    /// forget the counter.
    var counter: (any RollbackCounter)? { get }

    /// Claims the anchor for one client of a store, such as a process, so that no two clients keep records in
    /// it at the same time. A store whose clients may share an anchor does not call this method.
    ///
    /// The call does not wait. The claim ends when the returned object is deallocated, at the latest when the
    /// process ends.
    ///
    /// - Returns: the claim; `nil`, the default, if the anchor has no claims.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/lockTimeout`` if another client holds the claim; the
    ///   errors of ``keep(_:turn:for:)``.
    func claim() throws(SecretStoreError) -> (any AnchorClaim)?

    /// Returns the latest record (128 bytes), or the latest two records one after the other in any order.
    ///
    /// - Returns: `nil` when nothing was ever kept.
    /// - Throws: ``SecretStoreError`` when the record cannot be read: ``SecretStoreErrorCode/notPermitted``,
    ///   ``SecretStoreErrorCode/unavailable``, ``SecretStoreErrorCode/systemFailure``, or a code of the anchor's own.
    func records() throws(SecretStoreError) -> [UInt8]?

    /// Keeps a record. The new record replaces the previous one.
    ///
    /// If the reason is above ``AnchorReason/other``, the record must be durable before the call returns, and
    /// so must its place, for example the directory entry of a new file. The caller may raise ``counter``
    /// next, and a raised counter is durable at once. If a power failure then lost the record, the store
    /// would be refused for good. An anchor whose records do not outlast a restart of the machine is exempt
    /// from this rule.
    ///
    /// A power failure may lose a record for ``AnchorReason/other``. The previous record then remains. It
    /// detects only rollbacks to a state that is older than the state in that record. The record of the next
    /// change closes this gap.
    ///
    /// - Parameters:
    ///   - record: the record, 128 bytes.
    ///   - turn: a number that is one more than the turn of the previous record. An anchor that keeps two
    ///     records can write this record at the place `turn % 2`, so that this record overwrites the older of
    ///     the two.
    ///   - reason: the kind of change since the last record; of several changes, the kind with the greatest
    ///     weight. The reason is above ``AnchorReason/other`` if the caller raises ``counter`` after the
    ///     call.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/diskFull``, ``SecretStoreErrorCode/readOnly``,
    ///   ``SecretStoreErrorCode/notPermitted``, ``SecretStoreErrorCode/unavailable``,
    ///   ``SecretStoreErrorCode/systemFailure``. The store's change is still valid, but no record covers it.
    func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError)
}

extension RollbackAnchor {
    /// The default: the anchor has no counter.
    public var counter: (any RollbackCounter)? { nil }

    /// The default: the anchor has no claims.
    public func claim() throws(SecretStoreError) -> (any AnchorClaim)? { nil }
}

/// A claim on a ``RollbackAnchor``, which keeps other clients from the anchor. The claim ends when the object is
/// deallocated.
public protocol AnchorClaim: AnyObject, Sendable {}

/// The kind of change that a store reports to its ``RollbackAnchor``.
///
/// The cases are in the order of their weight, the lightest first.
public enum AnchorReason: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Items outside of the library's namespaces changed, or items only moved within the file.
    case other
    /// One of the library's own items changed, such as a passcode's record
    /// (``SecretNamespace/isLibraryOwned``).
    case libraryItems
    /// The store's key slots changed. Each slot opens the store with one key, key file or passphrase.
    case slots
    /// The values of some items were encrypted with a new key, for example when a store is sealed under a
    /// passcode or unsealed. A store also gives this reason if it does not know what changed.
    case seal
    /// The anchor holds no record yet, or the store begins to use the anchor's counter.
    case setUp

    /// Whether the left reason has less weight than the right reason.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
