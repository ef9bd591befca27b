#if Passkeys
/// A CBOR value of one of the kinds that WebAuthn uses (RFC 8949).
enum CBORValue: Hashable, Sendable {
    /// A member's name in a map.
    enum Key: Hashable, Sendable {
        case integer(Int64)
        case text(String)
    }

    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([Key: CBORValue])
    case bool(Bool)
    case null

    var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    var text: String? { if case .text(let value) = self { value } else { nil } }
    var map: [Key: CBORValue]? { if case .map(let value) = self { value } else { nil } }
}

/// The reason why ``CBORReader`` refuses bytes.
enum CBORMistake: Error, Hashable, Sendable {
    /// The bytes end within a value.
    case cut
    /// Bytes follow the value.
    case rest
    /// More bytes, members or levels than ``CBORReader/Limits`` allow.
    case tooLarge
    /// A number or a length in more bytes than it needs.
    case notShortest
    /// An indefinite length, a tag, a floating-point number, or a simple value other than true, false and
    /// null.
    case unsupported
    /// An integer that does not fit into a signed number of 64 bits.
    case outOfRange
    /// A text that is not UTF-8.
    case notText
    /// A name in a map that is neither an integer nor a text.
    case badKey
    /// A name that a map has twice.
    case repeatedKey
}
#endif
