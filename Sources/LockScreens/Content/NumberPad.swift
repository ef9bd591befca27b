/// The number pad: three keys to a row, 1–9, blank, 0, delete.
public struct NumberPad: Sendable, Hashable, Codable {
    /// One place on the pad.
    public enum Key: Sendable, Hashable, Codable {
        /// A digit, 0 to 9.
        case digit(Int)
        /// Takes the last digit back.
        case delete
        /// Nothing.
        case blank
    }

    /// The keys, row by row.
    public static let rows: [[Key]] = [
        [.digit(1), .digit(2), .digit(3)],
        [.digit(4), .digit(5), .digit(6)],
        [.digit(7), .digit(8), .digit(9)],
        [.blank, .digit(0), .delete],
    ]

    /// Whether keys do anything now.
    public var isEnabled: Bool
    /// The symbol on the delete key.
    public var deleteSymbol: String
    /// What a screen reader says of the delete key.
    public var deleteLabel: String

    /// A pad of these parts.
    public init(isEnabled: Bool, deleteSymbol: String, deleteLabel: String) {
        self.isEnabled = isEnabled
        self.deleteSymbol = deleteSymbol
        self.deleteLabel = deleteLabel
    }
}
