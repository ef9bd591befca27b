public import PortcullisCore

/// A credential that opens a keystore, or one of its classes.
public enum KeystoreCredential: Sendable {
    /// A passphrase, from which Argon2id derives the key.
    case passphrase(SecretBytes)
    /// The path of a file of 32 random bytes, of mode 0600.
    case keyFile(String)
    /// A key of 32 random bytes that the app keeps, such as the key that a passcode opens.
    case rawKey(SecretBytes)
}

/// The place of a keystore, and the credential that opens it.
public struct KeystoreConfiguration: Sendable {
    /// The path of the store's file.
    public var path: String
    /// The credential that opens the store. A new store gets its first slot from it.
    public var credential: KeystoreCredential
    /// Whether a store that does not exist is made, with its folder and its key file.
    public var createsIfMissing: Bool
    /// The path of a second file, a ``FileAnchor``, which records the store's latest state, so that an older
    /// copy is detected.
    ///
    /// It protects only against an attacker who can replace the store but cannot change or remove the anchor's file.
    public var anchorPath: String?
    /// Another anchor that records the store's latest state. If ``anchorPath`` is set too, both anchors are
    /// written, and a store that is older than either is refused.
    public var anchor: (any RollbackAnchor)?
    /// How long the store waits for another process that writes.
    public var lockTimeout: Duration
    /// The cost of new passphrase slots. A weaker slot that is opened is wrapped anew at this cost.
    ///
    /// A slot that costs more to guess in any respect keeps its numbers. All slots that one passphrase is
    /// tried on may cost at most 2²⁵ KiB times passes together, as much as one slot of 1 GiB and 32 passes. A
    /// slot beyond that is refused.
    public var argon2: Argon2Parameters
    /// The largest number of bytes by which the file grows beyond the needs of a write; 0 for no such growth.
    ///
    /// The sync of a write into preallocated space need not write a new file size, which takes about as long as
    /// writing the bytes. A store grows by an eighth, a small one by 16 KiB, but never by more than this limit.
    /// Compaction frees the rest.
    public var growth: UInt64
    /// The largest size of a batch in bytes. Tests set a lower limit, so that they need no half gigabyte to exceed it.
    var batchLimit = BatchSize.limit

    /// Makes the configuration of a store at this path.
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
    /// All anchors of the store.
    func anchors(_ files: any KeystoreFiles) -> [any RollbackAnchor] {
        [anchorPath.map { FileAnchor(path: $0, files: files) }, anchor].compactMap { $0 }
    }

    /// The configuration that an open store keeps. It has no credential, because the store keeps the store
    /// key, and the passphrase need not stay in memory.
    ///
    /// The configuration opens no slot.
    var withoutCredential: KeystoreConfiguration {
        var configuration = self
        configuration.credential = .keyFile("")
        return configuration
    }
}

/// One slot of a store, without its secret.
public struct KeystoreSlot: Hashable, Sendable {
    /// The kinds of credential that a slot takes.
    public enum Kind: String, Hashable, Sendable {
        /// A passphrase.
        case passphrase
        /// A key file.
        case keyFile
        /// A key that the app keeps.
        case rawKey
    }

    /// The purposes of a slot.
    public enum Purpose: String, Hashable, Sendable {
        /// The slot opens the store, with all items but those of a sealed class.
        case store
        /// The slot opens the `whenUnlocked` class of a sealed store.
        case whenUnlocked
    }

    /// The slot's number. No later slot has the same number.
    public let id: UInt32
    /// The kind of credential that opens the slot.
    public let kind: Kind
    /// What the slot opens: the store, or its sealed class.
    public let purpose: Purpose
    /// The cost of deriving the key from the passphrase; `nil` for other credentials.
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
