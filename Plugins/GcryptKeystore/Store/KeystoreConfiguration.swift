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
    /// The credential that opens the store. It also opens the first slot of a new store.
    public var credential: KeystoreCredential
    /// Whether a store that does not exist is made, with its folder and its key file.
    public var createsIfMissing: Bool
    /// The path of a second file, a ``FileAnchor``, which records the store's latest state. With this record
    /// an older copy of the store is detected.
    ///
    /// The anchor protects only against an attacker who can replace the store but cannot change or remove the
    /// anchor's file.
    public var anchorPath: String?
    /// Another anchor that records the store's latest state. If ``anchorPath`` is set too, both anchors are
    /// written. A store that is older than the state in one of them is refused.
    public var anchor: (any RollbackAnchor)?
    /// How long the store waits for another process that writes.
    public var lockTimeout: Duration
    /// The Argon2id parameters of new passphrase slots. If a weaker slot is opened, its key is wrapped again
    /// with these parameters.
    ///
    /// A slot whose cost is higher in any respect keeps its parameters. A passphrase may have to be tried on
    /// several slots. So the sum of the slots' costs, in KiB times passes, is limited to 2²⁵. This is the
    /// cost of one slot of 1 GiB and 32 passes. A slot beyond the limit is refused.
    public var argon2: Argon2Parameters
    /// The largest number of bytes by which the file grows beyond the needs of a write; 0 for no such growth.
    ///
    /// A write into preallocated space does not change the file's size. So its sync writes the bytes, and no
    /// new size. Writing a new size would take about as long as writing the bytes. The file grows by an
    /// eighth of its size, at least by 16 KiB, and never by more than this limit. A compaction frees the
    /// unused space.
    public var growth: UInt64
    /// The largest size of a batch in bytes. Tests set a lower limit, because a batch that exceeds the usual
    /// limit has half a gigabyte.
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

    /// The configuration that an open store keeps. The store has the store key, so the credential is left
    /// out, and the passphrase need not stay in memory.
    ///
    /// Without a credential the configuration cannot open a slot.
    var withoutCredential: KeystoreConfiguration {
        var configuration = self
        configuration.credential = .keyFile("")
        return configuration
    }
}

/// One slot of a store, without its secret.
public struct KeystoreSlot: Hashable, Sendable {
    /// The kinds of credential that open a slot.
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
        /// The slot opens the store, with all items except those of a sealed class.
        case store
        /// The slot opens the `whenUnlocked` class of a sealed store.
        case whenUnlocked
    }

    /// The slot's number. No later slot has the same number.
    public let id: UInt32
    /// The kind of credential that opens the slot.
    public let kind: Kind
    /// The purpose of the slot: to open the store, or its sealed class.
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
