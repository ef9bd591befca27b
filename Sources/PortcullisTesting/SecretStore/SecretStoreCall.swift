public import PortcullisCore

/// A call that a ``RecordingSecretStore`` recorded. The values that a call writes are left out.
public enum SecretStoreCall: Hashable, Sendable {
    /// A read of an item.
    case read(SecretName)
    /// A read of several items at one moment.
    case readTogether([SecretName])
    /// A write of an item.
    case write(SecretName, Accessibility, if: WritePrecondition)
    /// A removal of an item.
    case remove(SecretName, if: WritePrecondition)
    /// A listing of a namespace.
    case names(SecretNamespace)
    /// A batch that changes these items.
    case commit([SecretName])

    /// The operation of the call.
    public var operation: SecretStoreOperation {
        switch self {
        case .read, .readTogether: .read
        case .write: .write
        case .remove: .remove
        case .names: .names
        case .commit: .commit
        }
    }
}

/// An operation of a ``/PortcullisCore/SecretStore`` that can fail.
public enum SecretStoreOperation: Hashable, Sendable, CaseIterable {
    /// Reading one item, or several items at one moment.
    case read
    /// Writing an item.
    case write
    /// Removing an item.
    case remove
    /// Listing a namespace.
    case names
    /// Changing several items in one batch.
    case commit
}
