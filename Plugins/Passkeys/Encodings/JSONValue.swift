#if Passkeys
/// A JSON value (RFC 8259). A string is given by its position in the JSON text.
///
/// Strings are not copied, because some strings of a browser's response are secret and must not be in
/// ordinary memory.
enum JSONValue: Hashable, Sendable {
    /// A string: the range of the bytes between its quotation marks, and whether it contains escapes.
    case string(Range<Int>, isEscaped: Bool)
    case number
    case bool(Bool)
    case null
    case array([JSONValue])
    case object([String: JSONValue])

    var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
    var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

/// The reason why ``JSONReader`` refuses bytes.
enum JSONMistake: Error, Hashable, Sendable {
    /// The bytes end within a value.
    case cut
    /// Bytes other than blanks follow the value.
    case rest
    /// More bytes, values or levels than ``JSONReader/Limits`` allow.
    case tooLarge
    /// A byte that JSON does not allow at its position.
    case unexpected
    /// A string with control characters, broken escapes, or bytes that are not UTF-8.
    case notText
    /// A name that an object has twice.
    case repeatedName
}
#endif
