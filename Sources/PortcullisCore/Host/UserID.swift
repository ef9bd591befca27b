/// The app's own identifier of the person who uses it.
///
/// Users on one device share no state.
///
/// The text is 1 to 256 bytes of UTF-8 without control characters. It can therefore be part of the name of a
/// stored secret. Ids are compared byte by byte. Two Unicode forms of the same text are therefore different
/// users.
public struct UserID: Sendable, Codable, CustomStringConvertible {
    /// The text of the identifier, which the app chose.
    public let rawValue: String

    /// Makes a user id from a text.
    ///
    /// - Returns: `nil` when the text is empty, is longer than 256 bytes or holds control characters.
    public init?(_ text: String) {
        let clean = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard (1...256).contains(text.utf8.count), clean else { return nil }
        self.rawValue = text
    }

    /// The only user of an app without accounts.
    public static let device = UserID(trusted: "device")

    private init(trusted text: String) { self.rawValue = text }

    /// The text of the identifier.
    public var description: String { rawValue }

    /// Reads the text and checks it as ``init(_:)`` does.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let user = UserID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a user id")
        }
        self = user
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension UserID: Hashable {
    /// Whether the bytes are equal. Unicode equivalence does not count.
    public static func == (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
    }

    /// Hashes the text. Ids of the same bytes have the same hash.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: rawValue) }
}
