public import PortcullisCore

/// Where a store is witnessed outside of its own file, so that an older, shorter, other or missing store is noticed.
///
/// It protects only against an attacker who can put an older store back but cannot change what is kept here.
/// What is kept is authenticated by the store and no secret: it says how far the store got, to those who have
/// its key.
///
/// ## For callers
/// - ``FileAnchor`` keeps it in a file. Give others to ``KeystoreConfiguration/anchor``.
///
/// ## For implementers
/// - Calls block; a store makes one after the other, on changing threads; several processes may call at the same time.
/// - A process that is killed during a call must leave a whole record, and a process that calls meanwhile
///   must find one: the new record or the one before.
/// - "Nothing is kept" is an answer that lets a fresh start through. What cannot be read is an error.
public protocol RollbackAnchor: Sendable {
    /// Where it keeps what it keeps, for messages; a path if it has one.
    var place: String { get }

    /// What was kept last: one record of 128 bytes, or the last two one after the other, in any order.
    ///
    /// - Returns: `nil` when nothing was ever kept.
    /// - Throws: ``/PortcullisCore/SecretStoreError`` when that cannot be told: `notPermitted`, `untrustedFile`,
    ///   `systemFailure`.
    func records() throws(SecretStoreError) -> [UInt8]?

    /// Keeps a record in the place of the one before.
    ///
    /// It may be lost in a power failure: the one before notices a little less, and the next change keeps a new one.
    ///
    /// - Parameters:
    ///   - record: 128 bytes.
    ///   - turn: one more than that of the record before, for those that keep two in turn.
    /// - Throws: ``/PortcullisCore/SecretStoreError``: `diskFull`, `readOnly`, `notPermitted`, `systemFailure`. The store's
    ///   change stands all the same; ``GcryptKeystore/lastAnchorFailure`` then says why it has no witness.
    func keep(_ record: [UInt8], turn: UInt64) throws(SecretStoreError)
}
