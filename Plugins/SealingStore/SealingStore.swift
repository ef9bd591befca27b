internal import AdapterKit
internal import Gcrypt
public import PortcullisCore
internal import Synchronization

/// Seals every name and value before they reach another ``/PortcullisCore/SecretStore``, the underlying
/// store.
///
/// The underlying store sees no namespace, name or value. Namespaces are keyed digests. Names are encrypted
/// so that the same name gives the same text. Values are sealed with AES-256-GCM-SIV (RFC 8452) under random
/// nonces. The underlying store still sees the number of items, the lengths of names and values, their
/// classes, and the times of changes.
///
/// A value is bound to its namespace, name, class and number. The number rises with each write of the item.
/// If the item is removed and written again, the number continues to rise. A value that was altered or moved
/// to another item is `damaged`. A value is `rolledBack` if this client has seen a newer value of the item,
/// or if the client's ``/PortcullisCore/RollbackAnchor`` shows that there was a newer value. A value that
/// reappears after its removal is `rolledBack`, and so is an item that is missing although it was not
/// removed. If this client and its anchor know of no newer value, an old value is not detected.
///
/// A write or removal that demands a version checks the item as a read does. Each write gives the item a new
/// number and a new version. So these are `rolledBack`, too:
/// - a second value with the number of the value that this client saw last,
/// - a second value with the version of the value that this client saw last,
/// - a change that demands a version under which the underlying store now shows the value that this client
///   saw last under another version.
///
/// The keys are in an item of the underlying store, sealed under one or more wrapping keys of 32 bytes. The
/// host keeps the wrapping keys elsewhere. ``rotateValueKey()`` makes a new value key while other clients
/// continue to work: they read the keys' item again when they find an unknown key. The key of names never
/// changes. ``rewrap(under:)`` replaces the wrapping keys.
///
/// The store also keeps floors. A floor is a sealed item that shows which items of a group of names were
/// removed. If the underlying store has batches, this store has them too, and changes a floor in the same
/// commit as the item. In a store without batches the floor is written first. If the process ends between
/// the two writes of a new item, one number stays unused. If the process ends between the two writes of a
/// removal, the item remains, and its later absence is not detected.
public final class SealingStore<Base: SecretStore>: SecretStore {
    /// The limits of a sealing store.
    public struct Configuration: Sendable {
        /// The greatest number of names whose item numbers are kept in memory; default: 500,000. If there are
        /// more names, the half that was unused for longest is forgotten. Each name takes about 100 bytes of
        /// memory.
        public var rememberedNames: Int
        /// The longest time that `open` waits until another client with the same anchor has ended; default:
        /// 30 seconds. A new server may start on a machine while the server that it replaces still runs.
        public var anchorTimeout: Duration

        /// Makes a configuration.
        public init(rememberedNames: Int = 500_000, anchorTimeout: Duration = .seconds(30)) {
            (self.rememberedNames, self.anchorTimeout) = (rememberedNames, anchorTimeout)
        }
    }

    let base: Base
    /// The underlying store if it conforms to the protocol for batches; otherwise `nil`.
    let batches: (any TransactionalSecretStore)?
    let names: NameSeal
    let seen: SeenNumbers
    let backOff = BackOff.standard
    let floorSpace: SecretNamespace
    let keyring: Keyring
    let ledger: SeenLedger?

    /// Opens a sealing store.
    ///
    /// - Parameters:
    ///   - base: the underlying store. Only sealing stores with the same keys may write there.
    ///   - wrappingKeys: the keys that wrap the store's keys, 32 bytes each. The first wrapping key that fits
    ///     opens them.
    ///   - creating: whether missing keys are made, and wrapped under all wrapping keys. If several clients
    ///     make keys at once, only one client succeeds. The other clients use the keys of that client, if one
    ///     of their wrapping keys fits.
    ///   - anchor: keeps the seen numbers beyond the end of this process; see ``keepSeen()``. An anchor with
    ///     a counter is refused, because this store raises no counter. The store holds a claim of the anchor
    ///     until the store is released. Meanwhile no other client can claim the anchor.
    ///   - configuration: the store's limits.
    /// - Throws: `unavailable` if the anchor has a counter; `anchorInUse` if another client has the anchor;
    ///   `sealingNotSetUp` if there are no keys and `creating` is `false`; `wrongKey` if none of the wrapping
    ///   keys fits; `rolledBack` if the store is older than the state that its anchor has recorded, or was
    ///   emptied; the errors of the underlying store.
    public static func open(
        over base: Base,
        under wrappingKeys: [SecretBytes],
        creating: Bool = false,
        anchor: (any RollbackAnchor)? = nil,
        configuration: Configuration = Configuration()
    ) async throws(SecretStoreError) -> SealingStore {
        // The anchor is claimed before anything is read. So no other client stores newer numbers after this
        // client has read the stored numbers.
        var claim: (any AnchorClaim)?
        // This store neither reads nor raises a counter. So an anchor with a counter would detect less than
        // it promises.
        guard anchor?.counter == nil else {
            throw SecretStoreError(
                code: .unavailable,
                message: "a sealing store cannot use an anchor with a counter: give it the anchor without it"
            )
        }
        if let anchor {
            claim = try await LedgerAnchor.claim(anchor, within: configuration.anchorTimeout)
            // No new keys are made in a store that was emptied.
            try await LedgerAnchor.demandKeys(in: base, anchor)
        }
        let keyring = try await Keyring.open(over: base, under: wrappingKeys, creating: creating)
        let names: NameSeal
        do { names = try NameSeal(keyring.nameKey) } catch { throw .sealing(error) }
        let seen = SeenNumbers(limit: configuration.rememberedNames / 2)
        var ledger: SeenLedger?
        if let anchor {
            ledger = try await SeenLedger.open(
                anchor,
                claim,
                base: base,
                keyring: keyring,
                names: names,
                seen: seen
            )
        }
        return SealingStore(
            base: base,
            keyring: keyring,
            names: names,
            seen: seen,
            floorSpace: try names.ownSpace("floors"),
            ledger: ledger
        )
    }

    private init(
        base: Base,
        keyring: Keyring,
        names: NameSeal,
        seen: SeenNumbers,
        floorSpace: SecretNamespace,
        ledger: SeenLedger?
    ) {
        (self.base, self.keyring, self.names, self.seen) = (base, keyring, names, seen)
        (self.floorSpace, self.ledger) = (floorSpace, ledger)
        batches = base as? any TransactionalSecretStore
    }

    /// The capabilities of the underlying store.
    public var capabilities: SecretStoreCapabilities { base.capabilities }

    /// Reads and opens one item.
    ///
    /// - Throws: `damaged` if the value does not open; `rolledBack` if this client has seen a newer state of
    ///   the item; the errors of the underlying store.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        let place = try names.place(of: name)
        return try await backOff.untilDecided { () async throws(SecretStoreError) -> StoredSecret?? in
            let before = seen[place.tag]
            return try await opened(try await base.read(place.name), name, place, before)
        }
    }

    /// Opens an item that was read from the underlying store.
    ///
    /// - Parameter before: the last state of the item that was seen before the read.
    /// - Returns: the item; `.some(nil)` if there is no item; `nil` if the item was changed meanwhile, and
    ///   must be read again.
    func opened(
        _ stored: StoredSecret?,
        _ name: SecretName,
        _ place: Place,
        _ before: SeenNumbers.Seen?
    ) async throws(SecretStoreError) -> StoredSecret?? {
        guard let stored else {
            try await checkAbsence(place, before)
            return .some(nil)
        }
        let opened = try await open(stored, name, place)
        try check(stored, opened.number, before)
        guard try await checkReturn(of: stored, opened.number, place, before) else { return .none }
        try seen.note(place.tag, stored.value, number: opened.number, version: stored.version)
        return StoredSecret(
            value: opened.value,
            version: stored.version,
            accessibility: stored.accessibility
        )
    }

    /// The names in a namespace, sorted.
    ///
    /// A name of more than 356 bytes does not fit into a name in the underlying store, so it is read from its
    /// item.
    ///
    /// - Throws: `damaged` if the underlying store lists a name that was not sealed; the errors of the
    ///   underlying store.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        var found: [SecretName] = []
        for below in try await base.names(in: try names.space(namespace)) {
            guard NameSeal.isLong(below) else {
                found.append(try names.name(below, in: namespace))
                continue
            }
            // If the item is missing, it was removed after its name was listed.
            guard let stored = try await base.read(below) else { continue }
            found.append(try names.name(Envelope(stored.value).name, of: below, in: namespace))
        }
        return found.sorted()
    }

    /// The signals of the underlying store. If libgcrypt fails, the stream ends at once.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        guard let space = try? names.space(namespace) else { return AsyncStream { $0.finish() } }
        return base.changes(in: space)
    }

    /// The signals of the underlying store. If libgcrypt fails, the stream ends at once.
    public func changes(to name: SecretName) -> AsyncStream<Void> {
        guard let place = try? names.place(of: name) else { return AsyncStream { $0.finish() } }
        return base.changes(to: place.name)
    }
}

extension SealingStore: CustomStringConvertible {
    /// The type's name, and the type of the underlying store.
    public var description: String { "SealingStore over \(Base.self)" }
}
