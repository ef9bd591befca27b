/// The version of an item. Each write gives the item a version that it never had before.
public struct SecretVersion: Hashable, Sendable, CustomStringConvertible {
    /// The number that the store chose. A greater number need not be a later version.
    public let rawValue: UInt64
    /// Makes a version from the number that the store chose.
    public init(_ rawValue: UInt64) { self.rawValue = rawValue }
    /// The letter `v` and the number.
    public var description: String { "v\(rawValue)" }
}

/// An item as ``SecretStore/read(_:)`` returns it.
public struct StoredSecret: Sendable {
    /// The whole value.
    public let value: SecretBytes
    /// The item's version. A later write can require it with ``WritePrecondition/version(_:)``.
    public let version: SecretVersion
    /// The item's accessibility class.
    public let accessibility: Accessibility

    /// Makes an item from these parts.
    public init(value: SecretBytes, version: SecretVersion, accessibility: Accessibility) {
        self.value = value
        self.version = version
        self.accessibility = accessibility
    }
}

/// The condition under which a write or removal takes place.
public enum WritePrecondition: Hashable, Sendable {
    /// No condition.
    case none
    /// The item does not exist.
    case absent
    /// The item exists with this version.
    case version(SecretVersion)
}

/// The outcome of a write.
public enum WriteOutcome: Hashable, Sendable {
    /// The write is durable. This is the item's new version.
    case written(SecretVersion)
    /// The precondition did not hold and nothing changed. `current` is the present version, `nil` when there
    /// is no item.
    case conflict(current: SecretVersion?)
}

/// The outcome of a removal.
public enum RemoveOutcome: Hashable, Sendable {
    /// The removal is durable.
    case removed
    /// The item did not exist, and the precondition did not require that it exists. Nothing changed.
    case absent
    /// The precondition did not hold and nothing changed. `current` is the present version, `nil` when there
    /// is no item.
    case conflict(current: SecretVersion?)
}

/// A ``SecretStore`` that can change several items in one atomic step, and read several items at one moment.
public protocol TransactionalSecretStore: SecretStore {
    /// Reads several items as they are at one moment.
    ///
    /// - Parameter names: the items, in any order; an empty list reads nothing.
    /// - Returns: one element for each name, in the order of the list: the item, or `nil` if it does not
    ///   exist. The result shows a batch of ``commit(_:)`` completely or not at all.
    /// - Throws: ``SecretStoreError`` if one of the items cannot be read, with the codes of
    ///   ``SecretStore/read(_:)``.
    func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?]

    /// Makes all changes or none, in one durable step.
    ///
    /// - Parameter changes: at most one change per name; an empty list does nothing.
    /// - Returns: the versions of the written items in the order of the list (`nil` for removals). If there
    ///   are conflicts, the call returns them and changes nothing.
    /// - Throws: ``SecretStoreError`` with the codes of the calls that write or remove one item;
    ///   ``SecretStoreErrorCode/invalidName`` when a name occurs twice.
    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome
}

/// One change of a batch.
public enum SecretChange: Sendable {
    /// Writes an item.
    case write(SecretBytes, to: SecretName, accessibility: Accessibility, if: WritePrecondition)
    /// Removes an item. If the item is missing, the change conflicts only if its precondition names a
    /// version.
    case remove(SecretName, if: WritePrecondition)

    /// The name of the item that the change writes or removes.
    public var name: SecretName {
        switch self {
        case .write(_, let name, _, _), .remove(let name, _): name
        }
    }

    /// The condition for this change.
    public var precondition: WritePrecondition {
        switch self {
        case .write(_, _, _, let condition), .remove(_, let condition): condition
        }
    }
}

/// The outcome of a batch.
public enum CommitOutcome: Hashable, Sendable {
    /// All changes are durable. The versions are in the order of the changes, with `nil` for removals.
    case committed([SecretVersion?])
    /// Nothing changed. The dictionary has the present version of each item whose precondition failed; `nil`
    /// when there is no item.
    case conflict([SecretName: SecretVersion?])
}
