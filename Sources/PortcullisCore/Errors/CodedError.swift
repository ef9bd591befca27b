/// The error type of all ports, adapters and features: a code for programs and a message for developers.
///
/// Each port has its own name for this type: ``SecretStoreError`` is a `CodedError` of
/// ``SecretStoreErrorCode``. Texts for people are made from codes, never from messages, because messages
/// exist in one language only.
@dynamicMemberLookup
public struct CodedError<Kind: ErrorCode>: Error, CustomStringConvertible {
    /// The type of the error's code.
    public typealias Code = Kind

    /// The kind of the failure.
    public let code: Kind
    /// One sentence for developers. It never holds a passcode, a passphrase, a key, a token or another secret
    /// value.
    public let message: String
    /// The further values of this kind of error. Each one can also be read as a member of the error.
    public let details: Kind.Details
    /// The underlying error; `nil` if there is none.
    public let cause: (any Error)?

    /// Makes an error of this kind with further values.
    public init(code: Kind, message: String, details: Kind.Details, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.details = details
        self.cause = cause
    }

    /// The value of one member of ``details``.
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
    /// Makes an error of a kind without details.
    public init(code: Kind, message: String, cause: (any Error)? = nil) {
        self.init(code: code, message: message, details: NoDetails(), cause: cause)
    }
}
