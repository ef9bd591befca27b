/// A request to the person from a fingerprint reader, a security key or a camera (H-7).
public struct ScreenHint: Sendable, Hashable, Codable {
    /// The symbol of the device, such as `touchid`.
    public var symbol: String
    /// The request's text, such as "Touch the reader".
    public var text: String

    /// Makes a hint.
    public init(symbol: String, text: String) {
        self.symbol = symbol
        self.text = text
    }
}
