/// One request for a mailed code, as the account names it; a code is worth something together with it only.
///
/// Tries are counted for the request, so that a stranger who asks for codes to the same address, or tries some, can
/// neither use up nor replace the code of the person who asked. It is no secret of the person's: without the code it
/// opens nothing. Still it belongs to the device that asked, and to nothing else.
///
/// Between 1 and 64 bytes of printable ASCII without spaces; random, with 128 bits or more.
public struct AccountCodeRequest: Sendable, Hashable, Codable {
    /// The text that comes back with the code.
    public let rawValue: String

    /// Checks and keeps a text.
    ///
    /// - Returns: `nil` when it is empty, longer than 64 bytes or holds anything but printable ASCII without spaces.
    public init?(_ text: String) {
        guard OpaqueText.isValid(text) else { return nil }
        self.rawValue = text
    }

    /// A fresh one: 128 random bits in hexadecimal digits.
    ///
    /// - Parameter generator: where the randomness comes from.
    public static func random(using generator: inout some RandomNumberGenerator) -> AccountCodeRequest {
        AccountCodeRequest(trusted: OpaqueText.random(using: &generator))
    }

    /// A fresh one, from the system's generator.
    public static func random() -> AccountCodeRequest {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    private init(trusted text: String) { self.rawValue = text }

    /// Reads the text and checks it as ``init(_:)`` does.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for what is no such text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let request = AccountCodeRequest(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a code request")
        }
        self = request
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
