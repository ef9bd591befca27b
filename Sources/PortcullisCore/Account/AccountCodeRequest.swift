/// A request for a mailed reset code. The account chooses the request's text. A code works only together with
/// its request.
///
/// The account counts tries for each request. A stranger may request codes for the same address or try codes.
/// Because the counts are separate, the stranger neither uses up nor replaces the real person's code. The
/// request is not secret, because without the code it cannot reset a passcode. Only the device that requested
/// the code keeps the request.
///
/// The text is 1 to 64 bytes of printable ASCII without spaces. It is random and has at least 128 random bits.
public struct AccountCodeRequest: Sendable, Hashable, Codable {
    /// The request's text. The device sends this text back together with the code.
    public let rawValue: String

    /// Makes a request from a text.
    ///
    /// - Returns: `nil` when the text is empty, is longer than 64 bytes or holds anything but printable
    ///   ASCII without spaces.
    public init?(_ text: String) {
        guard OpaqueText.isValid(text) else { return nil }
        self.rawValue = text
    }

    /// Makes a new request: 128 random bits in hexadecimal digits.
    ///
    /// - Parameter generator: the source of the random bits.
    public static func random(using generator: inout some RandomNumberGenerator) -> AccountCodeRequest {
        AccountCodeRequest(trusted: OpaqueText.random(using: &generator))
    }

    /// Makes a new request with the system's random number generator.
    public static func random() -> AccountCodeRequest {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    private init(trusted text: String) { self.rawValue = text }

    /// Reads the text and checks it as ``init(_:)`` does.
    ///
    /// - Throws: `DecodingError.dataCorrupted` when ``init(_:)`` refuses the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let request = AccountCodeRequest(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a code request")
        }
        self = request
    }

    /// Encodes the code request as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
