#if Passkeys
/// A JSON value whose strings still lie in the text that it was read from (RFC 8259).
///
/// A string stays a place in that text, because some strings of a browser's response are secret and must not become
/// texts of ordinary memory.
enum JSONValue: Hashable, Sendable {
    /// A string: where its characters lie, the quotation marks left out, and whether some of them are escaped.
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

/// What is wrong with bytes that should be JSON.
enum JSONMistake: Error, Hashable, Sendable {
    /// The bytes end within a value.
    case cut
    /// Bytes other than blanks follow the value.
    case rest
    /// More bytes, values or levels than ``JSONReader/Limits`` allow.
    case tooLarge
    /// A byte that no value, name, colon, comma or bracket can begin with here.
    case unexpected
    /// A string with control characters, broken escapes, or bytes that are not UTF-8.
    case notText
    /// A name that an object has twice.
    case repeatedName
}
#endif
