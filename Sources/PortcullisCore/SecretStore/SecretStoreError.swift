/// Why a ``SecretStore`` could not do a requested operation.
///
/// A missing item is an ordinary result and has no code. The message never holds a value, a key, a passphrase
/// or a passcode.
public typealias SecretStoreError = CodedError<SecretStoreErrorCode>

/// The codes of a ``SecretStoreError``. An adapter can add its own.
public struct SecretStoreErrorCode: ErrorCode {
    /// The values of the error besides its code, message and cause.
    public struct Details: Sendable, CustomStringConvertible {
        /// The file that the error is about; `nil` if it is about no file.
        public let path: String?

        /// Makes details with this path.
        public init(path: String?) { self.path = path }

        /// The path as a part of the error's description; empty when there is no path.
        public var description: String { path.map { "[\($0)]" } ?? "" }
    }

    /// The code's name.
    public let name: String
    private let portableName: String

    /// Makes a code with this name.
    public init(_ name: String) { (self.name, portableName) = (name, name) }

    /// Makes an adapter's own code, for a failure that only this adapter has.
    ///
    /// - Parameters:
    ///   - name: the code's name, which begins with the adapter's name.
    ///   - portable: the closest code of the port, for callers that handle the errors of all stores.
    public init(_ name: String, like portable: Self) {
        (self.name, portableName) = (name, portable.portableName)
    }

    /// The closest code of the port. For a code of the port, the value is the code itself.
    ///
    /// Callers that handle the errors of all stores should compare this code. `PasscodeLock` and `GoalLock`
    /// use it to choose a text for the person, and to decide whether further tries can succeed.
    public var portable: Self { Self(portableName) }

    /// Whether two codes have the same name.
    public static func == (first: Self, second: Self) -> Bool { first.name == second.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The key, key file or passphrase is wrong for this store, or the present hardware is not the
    /// hardware that protected the store's key.
    public static let wrongKey = Self("wrongKey")
    /// The stored bytes were altered or cannot be understood.
    public static let damaged = Self("damaged")
    /// The store is older or shorter than its anchor's record says, or is another store. The store or the
    /// record may also be missing.
    public static let rolledBack = Self("rolledBack")
    /// The store was written in a format that this version of the library does not know.
    public static let newerFormat = Self("newerFormat")
    /// The item's accessibility class is locked. The store has to be unlocked first.
    public static let classLocked = Self("classLocked")
    /// The system denied access.
    public static let notPermitted = Self("notPermitted")
    /// No space is left, or a quota is used up. The old content is intact.
    public static let diskFull = Self("diskFull")
    /// The file system or the file is read-only.
    public static let readOnly = Self("readOnly")
    /// A sync failed. Whether the last change is on disk is unknown until the store is opened again.
    public static let durabilityUnknown = Self("durabilityUnknown")
    /// Another process held the store's lock longer than the timeout, another client has claimed the anchor,
    /// or other writers changed items that should be read together at each attempt.
    public static let lockTimeout = Self("lockTimeout")
    /// A namespace or name breaks the rules, or a batch contains two changes of the same item.
    public static let invalidName = Self("invalidName")
    /// The value is larger than the store's limit.
    public static let tooLarge = Self("tooLarge")
    /// The store or item that should be created exists already.
    public static let alreadyExists = Self("alreadyExists")
    /// The store was closed.
    public static let closed = Self("closed")
    /// The server or device that keeps the items could not be reached. Certainly nothing was changed.
    public static let unreachable = Self("unreachable")
    /// The server or device that keeps the items did not answer in time. Certainly nothing was changed.
    public static let timedOut = Self("timedOut")
    /// A change was sent and no answer came. The change may have been made. A read shows whether it was made.
    public static let outcomeUnknown = Self("outcomeUnknown")
    /// No store was configured, or the store cannot use hardware or a system service that it needs.
    public static let unavailable = Self("unavailable")
    /// The system failed in a way that has no code of its own. The message and the cause have the details.
    public static let systemFailure = Self("systemFailure")
}

extension CodedError where Kind == SecretStoreErrorCode {
    /// Makes an error of this kind. `path` is the file that the error is about; `nil` if it is about no file.
    public init(code: Code, message: String, path: String? = nil, cause: (any Error)? = nil) {
        self.init(code: code, message: message, details: .init(path: path), cause: cause)
    }
}
