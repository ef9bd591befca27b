/// The version of an item: new with each write, never used again for that item.
public struct SecretVersion: Hashable, Sendable, CustomStringConvertible {
    /// The number the store gave; its order means nothing.
    public let rawValue: UInt64
    /// A version with the store's number.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
    /// `v` and the number.
    public var description: String { "v\(rawValue)" }
}

/// What ``SecretStore/read(_:)`` found.
public struct StoredSecret: Sendable {
    /// The whole value.
    public let value: SecretBytes
    /// The version to name in a precondition.
    public let version: SecretVersion
    /// The item's class.
    public let accessibility: Accessibility

    /// An item as it was read.
    public init(value: SecretBytes, version: SecretVersion, accessibility: Accessibility) {
        self.value = value
        self.version = version
        self.accessibility = accessibility
    }
}

/// What must hold for a change to happen.
public enum WritePrecondition: Hashable, Sendable {
    /// Nothing: change whatever is there.
    case none
    /// There is no such item.
    case absent
    /// The item is there with this version.
    case version(SecretVersion)
}

/// How a write ended.
public enum WriteOutcome: Hashable, Sendable {
    /// It is durable, with this version.
    case written(SecretVersion)
    /// The precondition did not hold and nothing changed; `current` is the version there, `nil` for none.
    case conflict(current: SecretVersion?)
}

/// How a removal ended.
public enum RemoveOutcome: Hashable, Sendable {
    /// The item is gone, durably.
    case removed
    /// There was no such item, and the precondition did not ask for one.
    case absent
    /// The precondition did not hold and nothing changed; `current` is the version there, `nil` for none.
    case conflict(current: SecretVersion?)
}

/// A ``SecretStore`` that can change several items as one.
public protocol TransactionalSecretStore: SecretStore {
    /// Makes all changes or none, in one durable step.
    ///
    /// - Parameter changes: at most one change per name; an empty list does nothing.
    /// - Returns: the versions of the written items in the order of the list (`nil` for removals), or the
    ///   conflicts that kept everything as it was.
    /// - Throws: ``SecretStoreError`` as the single calls do; ``SecretStoreErrorCode/invalidName`` when a name
    ///   occurs twice.
    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome
}

/// One change of a batch.
public enum SecretChange: Sendable {
    /// Writes an item.
    case write(SecretBytes, to: SecretName, accessibility: Accessibility, if: WritePrecondition)
    /// Removes an item; one that is not there is no conflict unless the precondition names a version.
    case remove(SecretName, if: WritePrecondition)

    /// The item it changes.
    public var name: SecretName {
        switch self {
        case .write(_, let name, _, _), .remove(let name, _): name
        }
    }

    /// What must hold for it.
    public var precondition: WritePrecondition {
        switch self {
        case .write(_, _, _, let condition), .remove(_, let condition): condition
        }
    }
}

/// How a batch ended.
public enum CommitOutcome: Hashable, Sendable {
    /// All changes are durable; the versions stand in the order of the changes, `nil` for removals.
    case committed([SecretVersion?])
    /// Nothing changed; for each change whose precondition failed, the version that is there (`nil`: none).
    case conflict([SecretName: SecretVersion?])
}
