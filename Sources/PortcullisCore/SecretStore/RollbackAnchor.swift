/// Where a store is witnessed outside of its own ground, so that an older, shorter, other or missing store is noticed.
///
/// It protects only against an attacker who can put an older store back but cannot change what is kept here.
/// What is kept is authenticated by the store and no secret: it says how far the store got, to those who have
/// its key.
///
/// ## For callers
/// - Calls block: make them on a thread of your own, one after the other.
/// - ``keep(_:turn:for:)`` comes after the change is durable, and ``records()`` before the store is read: an anchor may be
///   behind, never ahead.
///
/// ## For implementers
/// - Calls come from changing threads; several processes may call at the same time.
/// - A process that is killed during a call must leave a whole record, and a process that calls meanwhile
///   must find one: the new record or the one before.
/// - "Nothing is kept" is an answer that lets a fresh start through. What cannot be read is an error.
/// - ``records()`` comes before each ``keep(_:turn:for:)`` as well: what is slow to read is remembered.
/// - An anchor that wears, or is slow, need not keep a record for each ``AnchorReason``: what it leaves out it does not
///   notice when it is put back.
public protocol RollbackAnchor: Sendable {
    /// Where it keeps what it keeps, for messages; a path if it has one.
    var place: String { get }

    /// What was kept last: one record of 128 bytes, or the last two one after the other, in any order.
    ///
    /// - Returns: `nil` when nothing was ever kept.
    /// - Throws: ``SecretStoreError`` when that cannot be told: ``SecretStoreErrorCode/notPermitted``,
    ///   ``SecretStoreErrorCode/unavailable``, ``SecretStoreErrorCode/systemFailure``, or a code of the anchor's own.
    func records() throws(SecretStoreError) -> [UInt8]?

    /// Keeps a record in the place of the one before.
    ///
    /// It may be lost in a power failure: the one before notices a little less, and the next change keeps a new one.
    ///
    /// - Parameters:
    ///   - record: 128 bytes.
    ///   - turn: one more than that of the record before, for those that keep two in turn.
    ///   - reason: what was changed since a record was kept; of several changes the one that weighs most.
    /// - Throws: ``SecretStoreError``: ``SecretStoreErrorCode/diskFull``, ``SecretStoreErrorCode/readOnly``,
    ///   ``SecretStoreErrorCode/notPermitted``, ``SecretStoreErrorCode/unavailable``,
    ///   ``SecretStoreErrorCode/systemFailure``. The store's change stands all the same, without a witness.
    func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError)
}

/// What of a store was changed when its ``RollbackAnchor`` is called.
///
/// In order: what weighs less comes first.
public enum AnchorReason: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Other items, or nothing but where they lie.
    case other
    /// An item of the library's own, such as a passcode's record (``SecretNamespace/isLibraryOwned``).
    case libraryItems
    /// What opens the store.
    case slots
    /// What protects the values: they are sealed under a passcode's key from now on, or no longer.
    case seal
    /// Nothing was kept before.
    case setUp

    /// By their weight.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
