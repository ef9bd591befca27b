internal import AdapterKit
internal import Gcrypt
public import PortcullisCore
internal import Synchronization

/// Makes any ``/PortcullisCore/SecretStore`` hold nothing but what this client sealed.
///
/// The store below sees no namespace, name or value: namespaces are keyed digests, names are encrypted so that the same name
/// gives the same text, values are sealed with AES-256-GCM-SIV (RFC 8452) under random nonces. It still sees how many items
/// there are, how long names and values are, which class they have, and when they change.
///
/// A value is bound to its namespace, its name, its class and a number that rises with each write of the item, over its
/// removal too. A value that was altered, or put in another item's place, is `damaged`. One that is older than this client
/// has seen, or than its ``/PortcullisCore/RollbackAnchor`` keeps, is `rolledBack`, and so is one that comes back after its
/// removal, or is missing without one. A value put back while no client remembers a newer one is not noticed.
///
/// ## Keys
/// The keys lie in an item of the store below, sealed under one or more wrapping keys of 32 bytes, which the host keeps
/// elsewhere. A new value key is made with ``rotateValueKey()`` while other clients go on: they read the item again when
/// they meet a key that they do not know. The key of names stays; what wraps it is changed with ``rewrap(under:)``.
///
/// ## Batches
/// Where the store below changes several items as one, this one does. It also keeps its own numbers in the same step then;
/// elsewhere it writes them first, so that a crash in between wastes a number.
public final class SealingStore<Base: SecretStore>: SecretStore {
    /// Numbers of a sealing store.
    public struct Configuration: Sendable {
        /// How many names are remembered, at least, with the numbers they had; default: 500,000, of about 100 bytes each.
        public var rememberedNames: Int

        /// Numbers of these values.
        public init(rememberedNames: Int = 500_000) { self.rememberedNames = rememberedNames }
    }

    let base: Base
    /// The store below, where it has batches. Only a type can say that it has the method.
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
    ///   - base: the store below; nothing else may write there, except other sealing stores with the same keys.
    ///   - wrappingKeys: what the store's keys are wrapped under, 32 bytes each: the first that fits opens.
    ///   - creating: whether the keys are made, and wrapped under all these, where there are none. Of several clients that
    ///     make them at once one does, and the others take what it made, if they have its wrapping key.
    ///   - anchor: what remembers the numbers that were seen when this process is over; see ``keepSeen()``.
    ///   - configuration: its numbers.
    /// - Throws: `sealingNotSetUp` where there are no keys and none are to be made;
    ///   `wrongKey` where none of the wrapping keys fits; `rolledBack` where the store is older than its anchor keeps; and
    ///   what the store below throws.
    public static func open(
        over base: Base,
        under wrappingKeys: [SecretBytes],
        creating: Bool = false,
        anchor: (any RollbackAnchor)? = nil,
        configuration: Configuration = Configuration()
    ) async throws(SecretStoreError) -> SealingStore {
        let keyring = try await Keyring.open(over: base, under: wrappingKeys, creating: creating)
        let names: NameSeal
        do { names = try NameSeal(keyring.nameKey) } catch { throw .sealing(error) }
        let seen = SeenNumbers(limit: configuration.rememberedNames / 2)
        var ledger: SeenLedger?
        if let anchor {
            ledger = try await SeenLedger.open(anchor, base: base, keyring: keyring, names: names, seen: seen)
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

    /// What the store below can do.
    public var capabilities: SecretStoreCapabilities { base.capabilities }

    /// Reads and opens one item.
    ///
    /// - Throws: `damaged` where it does not open, `rolledBack` where it is older than was seen; and what the store below
    ///   throws.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        let place = try names.place(of: name)
        let before = seen[place.tag]
        guard let stored = try await base.read(place.name) else {
            try await checkAbsence(place, before)
            return nil
        }
        let opened = try await open(stored, name, place)
        try check(opened.number, before)
        seen.note(place.tag, number: opened.number, version: stored.version)
        return StoredSecret(
            value: opened.value,
            version: stored.version,
            accessibility: stored.accessibility
        )
    }

    /// The names in a namespace, sorted.
    ///
    /// Names of more than 356 bytes are read from the items themselves.
    ///
    /// - Throws: `damaged` where the store below lists what was not sealed; and what it throws.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        var found: [SecretName] = []
        for below in try await base.names(in: try names.space(namespace)) {
            guard NameSeal.isLong(below) else {
                found.append(try names.name(below, in: namespace))
                continue
            }
            // Removed since it was listed.
            guard let stored = try await base.read(below) else { continue }
            found.append(try names.name(Envelope(stored.value).name, of: below, in: namespace))
        }
        return found.sorted()
    }

    /// The signals of the store below; a stream that ends at once where libgcrypt fails.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        guard let space = try? names.space(namespace) else { return AsyncStream { $0.finish() } }
        return base.changes(in: space)
    }

    /// The signals of the store below; a stream that ends at once where libgcrypt fails.
    public func changes(to name: SecretName) -> AsyncStream<Void> {
        guard let place = try? names.place(of: name) else { return AsyncStream { $0.finish() } }
        return base.changes(to: place.name)
    }
}

extension SealingStore: CustomStringConvertible {
    /// What it is, and over what kind of store.
    public var description: String { "SealingStore over \(Base.self)" }
}
