/// The one shape that the errors of ports, adapters and features have: a code to act on, and a message for developers.
///
/// Each port has a name for its own: ``SecretStoreError`` is a `CodedError` of ``SecretStoreErrorCode``. Texts for people
/// are made from codes, never from messages, which are in one language.
@dynamicMemberLookup
public struct CodedError<Kind: ErrorCode>: Error, CustomStringConvertible {
    /// The kinds of this error.
    public typealias Code = Kind

    /// What kind of failure.
    public let code: Kind
    /// One sentence; never a passcode, a passphrase, a key, a token or a value that was to be kept secret.
    public let message: String
    /// What errors of these kinds tell besides; each part is also a member of the error.
    public let details: Kind.Details
    /// What it was caused by, where there is something more to tell.
    public let cause: (any Error)?

    /// An error of this kind, with what its kinds tell besides.
    public init(code: Kind, message: String, details: Kind.Details, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.details = details
        self.cause = cause
    }

    /// A part of ``details``.
    public subscript<Value>(dynamicMember part: KeyPath<Kind.Details, Value>) -> Value {
        details[keyPath: part]
    }

    /// Code, message, details and cause on one line.
    public var description: String {
        var text = "\(code): \(message)"
        let details = details.description
        if !details.isEmpty { text += " \(details)" }
        if let cause { text += " (\(cause))" }
        return text
    }
}

extension CodedError where Kind.Details == NoDetails {
    /// An error of this kind.
    public init(code: Kind, message: String, cause: (any Error)? = nil) {
        self.init(code: code, message: message, details: NoDetails(), cause: cause)
    }
}
