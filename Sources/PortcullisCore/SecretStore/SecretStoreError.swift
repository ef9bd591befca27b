/// Why a ``SecretStore`` could not do what it was asked.
///
/// No code means "there is no such item": that is an answer. The message never holds a value, a key, a
/// passphrase or a passcode.
public typealias SecretStoreError = CodedError<SecretStoreErrorCode>

/// The kinds of a ``SecretStoreError``, open for more.
public struct SecretStoreErrorCode: ErrorCode {
    /// What such an error tells besides.
    public struct Details: Sendable, CustomStringConvertible {
        /// The file it is about, where there is one.
        public let path: String?

        /// Details of this value.
        public init(path: String?) { self.path = path }

        /// The part of the error's description that is theirs.
        public var description: String { path.map { "[\($0)]" } ?? "" }
    }

    /// The code's name.
    public let name: String
    private let portableName: String

    /// A code of this name.
    public init(_ name: String) { (self.name, portableName) = (name, name) }

    /// A code of an adapter's own, for what only the adapter knows.
    ///
    /// - Parameters:
    ///   - name: begins with the adapter's name.
    ///   - portable: the code of the port that comes closest, for all that handles errors of any store.
    public init(_ name: String, like portable: Self) {
        (self.name, portableName) = (name, portable.portableName)
    }

    /// The code of the port that comes closest; a code of the port itself stays what it is.
    ///
    /// What handles errors of any store decides by it. Features choose their texts by it, and whether to try again.
    public var portable: Self { Self(portableName) }

    /// Whether two codes have one name.
    public static func == (first: Self, second: Self) -> Bool { first.name == second.name }

    /// By the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The key, key file or passphrase opens no slot of the store.
    public static let wrongKey = Self("wrongKey")
    /// The stored bytes were altered or cannot be understood.
    public static let damaged = Self("damaged")
    /// The store is older or shorter than its anchor witnessed, or gone.
    public static let rolledBack = Self("rolledBack")
    /// The store was written in a format this version does not know.
    public static let newerFormat = Self("newerFormat")
    /// The item's class is locked; unlock the store first.
    public static let classLocked = Self("classLocked")
    /// The system denied access.
    public static let notPermitted = Self("notPermitted")
    /// No space is left, or a quota is used up; the old content is intact.
    public static let diskFull = Self("diskFull")
    /// The file system or the file is read-only.
    public static let readOnly = Self("readOnly")
    /// A sync failed: whether the last change is on disk is unknown until the store is opened again.
    public static let durabilityUnknown = Self("durabilityUnknown")
    /// Another process held the store's lock for longer than the time allowed.
    public static let lockTimeout = Self("lockTimeout")
    /// A namespace or name breaks the rules, or occurs twice in a batch.
    public static let invalidName = Self("invalidName")
    /// The value is larger than the store takes.
    public static let tooLarge = Self("tooLarge")
    /// What should be created is there already.
    public static let alreadyExists = Self("alreadyExists")
    /// The store was closed.
    public static let closed = Self("closed")
    /// What keeps the items could not be reached, such as a server: certainly nothing was changed.
    public static let unreachable = Self("unreachable")
    /// What keeps the items did not answer in time: certainly nothing was changed.
    public static let timedOut = Self("timedOut")
    /// A change was sent and no answer came: it may have been made, and a read tells.
    public static let outcomeUnknown = Self("outcomeUnknown")
    /// No store was configured.
    public static let unavailable = Self("unavailable")
    /// The system failed in a way that has no code of its own; the message and cause say which.
    public static let systemFailure = Self("systemFailure")
}

extension CodedError where Kind == SecretStoreErrorCode {
    /// An error of this kind, with the file it is about, where there is one.
    public init(code: Code, message: String, path: String? = nil, cause: (any Error)? = nil) {
        self.init(code: code, message: message, details: .init(path: path), cause: cause)
    }
}
