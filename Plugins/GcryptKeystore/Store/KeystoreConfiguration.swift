public import PortcullisCore

/// What opens a keystore, or one of its classes.
public enum KeystoreCredential: Sendable {
    /// A passphrase, by Argon2id.
    case passphrase(SecretBytes)
    /// A file of 32 random bytes, of mode 0600.
    case keyFile(String)
    /// A key of 32 random bytes that the app keeps, such as the one a passcode opens.
    case rawKey(SecretBytes)
}

/// Where a keystore lies and how it is opened.
public struct KeystoreConfiguration: Sendable {
    /// The store's file.
    public var path: String
    /// What opens it, and the first slot of a new one.
    public var credential: KeystoreCredential
    /// Whether a store that does not exist is made, with its folder and its key file.
    public var createsIfMissing: Bool
    /// A second file that witnesses how far the store got, so that an older one is noticed: a ``FileAnchor``.
    ///
    /// It protects only against an attacker who can replace the store but cannot change or remove this file.
    public var anchorPath: String?
    /// Another witness of how far the store got; with ``anchorPath`` both are kept, and a store that is older than either
    /// is refused.
    public var anchor: (any RollbackAnchor)?
    /// How long to wait for another process that writes.
    public var lockTimeout: Duration
    /// The cost of new passphrase slots, and the least of those that are opened: weaker ones are wrapped anew.
    ///
    /// A slot that is dearer to guess in any respect keeps its numbers. The slots that one passphrase is tried on take at
    /// most 2²⁵ KiB times passes together, as one of 1 GiB and 32 passes does: more of them are refused.
    public var argon2: Argon2Parameters
    /// By how many bytes more than a write needs the file grows at a time, at most; 0: by none.
    ///
    /// A write into what is there already need not bring a new size to disk, which takes about as long as the bytes do. A
    /// store grows by an eighth, a small one by 16 KiB, but never by more than this; compaction gives back what is left.
    public var growth: UInt64
    /// How large a batch may be. Tests take less, so that a batch that is too large needs no half gigabyte.
    var batchLimit = BatchSize.limit

    /// A store at this place.
    public init(
        path: String,
        credential: KeystoreCredential,
        createsIfMissing: Bool = true,
        anchorPath: String? = nil,
        anchor: (any RollbackAnchor)? = nil,
        lockTimeout: Duration = .seconds(10),
        argon2: Argon2Parameters = .owaspMinimum,
        growth: UInt64 = 65536
    ) {
        self.path = path
        self.credential = credential
        self.createsIfMissing = createsIfMissing
        self.anchorPath = anchorPath
        self.anchor = anchor
        self.lockTimeout = lockTimeout
        self.argon2 = argon2
        self.growth = growth
    }
}

extension KeystoreConfiguration {
    /// All that witness the store.
    func anchors(_ files: any KeystoreFiles) -> [any RollbackAnchor] {
        [anchorPath.map { FileAnchor(path: $0, files: files) }, anchor].compactMap { $0 }
    }

    /// The configuration that an open store keeps: it has the store key, so the passphrase need not stay in
    /// memory.
    ///
    /// No slot can be opened with it.
    var withoutCredential: KeystoreConfiguration {
        var configuration = self
        configuration.credential = .keyFile("")
        return configuration
    }
}

/// One of the ways to open a store, without its secret.
public struct KeystoreSlot: Hashable, Sendable {
    /// What kind of credential the slot takes.
    public enum Kind: String, Hashable, Sendable {
        /// A passphrase.
        case passphrase
        /// A key file.
        case keyFile
        /// A key that the app keeps.
        case rawKey
    }

    /// What the slot opens.
    public enum Purpose: String, Hashable, Sendable {
        /// The store, with all that is not sealed apart.
        case store
        /// The `whenUnlocked` class of a sealed store.
        case whenUnlocked
    }

    /// The slot's number, never used again.
    public let id: UInt32
    /// What kind of credential it takes.
    public let kind: Kind
    /// What it opens.
    public let purpose: Purpose
    /// The cost of a passphrase's derivation.
    public let argon2: Argon2Parameters?

    init?(_ slot: Slot) {
        switch slot.kind {
        case .passphrase: kind = .passphrase
        case .keyFile: kind = .keyFile
        case .rawKey: kind = .rawKey
        case .storeKey: return nil
        }
        purpose = slot.target == .store ? .store : .whenUnlocked
        id = slot.id
        argon2 = slot.kind == .passphrase ? slot.cost : nil
    }
}
