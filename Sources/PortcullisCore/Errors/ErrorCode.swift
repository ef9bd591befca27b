/// The kinds of one error, each a name.
///
/// A port's kinds are open: an adapter adds its own beside those of the port. Its name begins with the adapter's, so
/// that no two adapters mean different things by one name.
///
/// ```swift
/// extension SecretStoreErrorCode {
///     static let quotaUsedUp = Self("exampleStore.quotaUsedUp", like: .diskFull)
/// }
/// ```
///
/// What handles an error by its code needs a `default` for the kinds that it does not know.
public protocol ErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// What an error of these kinds tells besides code, message and cause; ``NoDetails`` where that is nothing.
    associatedtype Details: Sendable, CustomStringConvertible = NoDetails

    /// The code's name, which is what two codes are compared by.
    var name: String { get }

    /// A code of this name.
    init(_ name: String)
}

extension ErrorCode {
    /// The code's name.
    public var description: String { name }
}

/// The details of errors that tell nothing besides code, message and cause.
public struct NoDetails: Hashable, Sendable, CustomStringConvertible {
    /// No details.
    public init() {}

    /// Nothing.
    public var description: String { "" }
}
