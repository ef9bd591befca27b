/// The number pad with three keys in a row: 1–9, blank, 0, delete.
public struct NumberPad: Sendable, Hashable, Codable {
    /// A key of the pad.
    public enum Key: Sendable, Hashable, Codable {
        /// A digit, 0 to 9.
        case digit(Int)
        /// The key that deletes the last digit.
        case delete
        /// A place without a key.
        case blank
    }

    /// The keys, row by row.
    public static let rows: [[Key]] = [
        [.digit(1), .digit(2), .digit(3)],
        [.digit(4), .digit(5), .digit(6)],
        [.digit(7), .digit(8), .digit(9)],
        [.blank, .digit(0), .delete],
    ]

    /// Whether the keys accept input now.
    public var isEnabled: Bool
    /// The symbol on the delete key.
    public var deleteSymbol: String
    /// The label of the delete key for screen readers.
    public var deleteLabel: String

    /// Makes a pad.
    public init(isEnabled: Bool, deleteSymbol: String, deleteLabel: String) {
        self.isEnabled = isEnabled
        self.deleteSymbol = deleteSymbol
        self.deleteLabel = deleteLabel
    }
}
