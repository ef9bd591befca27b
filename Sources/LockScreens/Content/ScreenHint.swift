/// What a fingerprint reader, a security key or a camera asks the person to do (H-7).
public struct ScreenHint: Sendable, Hashable, Codable {
    /// The symbol of what asks, such as `touchid`.
    public var symbol: String
    /// What it asks for, such as "Touch the reader".
    public var text: String

    /// A hint of these parts.
    public init(symbol: String, text: String) {
        self.symbol = symbol
        self.text = text
    }
}
