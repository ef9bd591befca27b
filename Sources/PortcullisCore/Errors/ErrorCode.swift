/// The codes of one type of error. Each code is a name.
///
/// An adapter can add its own codes to the port's codes. The name of an added code begins with the adapter's
/// name. Two adapters therefore never use one name for different errors.
///
/// ```swift
/// extension SecretStoreErrorCode {
///     static let quotaUsedUp = Self("exampleStore.quotaUsedUp", like: .diskFull)
/// }
/// ```
///
/// A `switch` over the codes needs a `default` case for the codes of adapters and later versions.
public protocol ErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// The further values of an error, besides code, message and cause; ``NoDetails`` if there are none.
    associatedtype Details: Sendable, CustomStringConvertible = NoDetails

    /// The code's name. Two codes are equal if their names are equal.
    var name: String { get }

    /// Makes a code with this name.
    init(_ name: String)
}

extension ErrorCode {
    /// The code's name.
    public var description: String { name }
}

/// The details of errors that have only a code, a message and a cause.
public struct NoDetails: Hashable, Sendable, CustomStringConvertible {
    /// Makes the empty details.
    public init() {}

    /// The empty text.
    public var description: String { "" }
}
