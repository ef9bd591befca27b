/// The state of a passcode entry, without the characters typed.
public struct EntryContent: Sendable, Hashable, Codable {
    /// The form in which an entry is shown.
    public enum Style: Sendable, Hashable, Codable {
        /// A row of this many dots. The last digit submits the entry.
        case dots(count: Int)
        /// A field with a Done key, for passcodes of variable length and for recovery passphrases. It accepts
        /// digits only, or other characters too.
        case field(digitsOnly: Bool)
    }

    /// The content with which a toolkit may fill the field automatically.
    public enum Autofill: Sendable, Hashable, Codable {
        /// No content, because an app's passcode must not be stored in a password manager.
        case none
        /// A code from a mail.
        case oneTimeCode
    }

    /// The form in which the entry is shown.
    public var style: Style
    /// The content with which a toolkit may fill the field automatically.
    public var autofill: Autofill
    /// The number of characters typed.
    public var filled: Int
    /// The numbers of characters that a complete entry may have; `nil` if any number is accepted.
    public var lengths: ClosedRange<Int>?
    /// The text with which a screen reader announces the entry's state, such as "3 of 6 digits entered".
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
