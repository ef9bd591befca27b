/// Why a ``SecretStore`` could not do what it was asked.
///
/// No code means "there is no such item": that is an answer. The message never holds a value, a key, a
/// passphrase or a passcode.
public struct SecretStoreError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable {
            case wrongKey, keyMissing, damaged, rolledBack, newerFormat, classLocked, notPermitted, diskFull
            case readOnly, durabilityUnknown, lockTimeout, untrustedFile, invalidName, tooLarge, alreadyExists
            case missingStore, invalidSlot, closed, unavailable, systemFailure
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The key, key file or passphrase opens no slot of the store.
        public static let wrongKey = Code(.wrongKey)
        /// The store is there, but its key file is not; a new key is never made for an existing store.
        public static let keyMissing = Code(.keyMissing)
        /// The stored bytes were altered or cannot be understood.
        public static let damaged = Code(.damaged)
        /// The store is older or shorter than its anchor witnessed, or gone.
        public static let rolledBack = Code(.rolledBack)
        /// The store was written in a format this version does not know.
        public static let newerFormat = Code(.newerFormat)
        /// The item's class is locked; unlock the store first.
        public static let classLocked = Code(.classLocked)
        /// The system denied access.
        public static let notPermitted = Code(.notPermitted)
        /// No space is left, or a quota is used up; the old content is intact.
        public static let diskFull = Code(.diskFull)
        /// The file system or the file is read-only.
        public static let readOnly = Code(.readOnly)
        /// A sync failed: whether the last change is on disk is unknown until the store is opened again.
        public static let durabilityUnknown = Code(.durabilityUnknown)
        /// Another process held the store's lock for longer than the time allowed.
        public static let lockTimeout = Code(.lockTimeout)
        /// A file is a symbolic link, belongs to another user, or is open to other users.
        public static let untrustedFile = Code(.untrustedFile)
        /// A namespace or name breaks the rules, or occurs twice in a batch.
        public static let invalidName = Code(.invalidName)
        /// The value is larger than the store takes.
        public static let tooLarge = Code(.tooLarge)
        /// What should be created is there already.
        public static let alreadyExists = Code(.alreadyExists)
        /// There is no store at the given place, and none was to be created.
        public static let missingStore = Code(.missingStore)
        /// The unlock slot named does not exist, cannot be removed, or does not fit.
        public static let invalidSlot = Code(.invalidSlot)
        /// The store was closed.
        public static let closed = Code(.closed)
        /// No store was configured.
        public static let unavailable = Code(.unavailable)
        /// The system failed in a way that has no code of its own; the message and cause say which.
        public static let systemFailure = Code(.systemFailure)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure.
    public let code: Code
    /// One sentence for people.
    public let message: String
    /// The file it is about, where there is one.
    public let path: String?
    /// What it was caused by, where there is something more to tell.
    public let cause: (any Error)?

    /// An error of this kind.
    public init(code: Code, message: String, path: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.cause = cause
    }

    /// Code, message, path and cause on one line.
    public var description: String {
        var text = "\(code): \(message)"
        if let path { text += " [\(path)]" }
        if let cause { text += " (\(cause))" }
        return text
    }
}
