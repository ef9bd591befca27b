/// The state of a passcode entry, without the characters typed.
public struct EntryContent: Sendable, Hashable, Codable {
    /// The form in which an entry is shown.
    public enum Style: Sendable, Hashable, Codable {
        /// A row of this many dots. The last digit submits the entry.
        case dots(count: Int)
        /// A field with Done, for formats of variable length. It takes digits only, or all printable ASCII characters.
        case field(digitsOnly: Bool)
    }

    /// The content that a toolkit's field may fill in by itself.
    public enum Autofill: Sendable, Hashable, Codable {
        /// No content: an app's passcode belongs in no password manager.
        case none
        /// A code from a mail.
        case oneTimeCode
    }

    /// The form in which the entry is shown.
    public var style: Style
    /// The content that a toolkit's field may fill in by itself.
    public var autofill: Autofill
    /// The number of characters typed.
    public var filled: Int
    /// The numbers of characters that a complete entry may have; `nil`: any number.
    public var lengths: ClosedRange<Int>?
    /// The text in which a screen reader tells the entry's state, such as "3 of 6 digits entered".
    public var accessibilityValue: String

    /// Makes an entry.
    public init(
        style: Style,
        filled: Int,
        accessibilityValue: String,
        lengths: ClosedRange<Int>? = nil,
        autofill: Autofill = .none
    ) {
        self.style = style
        self.autofill = autofill
        self.filled = filled
        self.lengths = lengths
        self.accessibilityValue = accessibilityValue
    }

    /// Whether a keyboard of digits is enough for the entry.
    public var digitsOnly: Bool {
        switch style {
        case .dots: true
        case .field(let digitsOnly): digitsOnly
        }
    }
}
