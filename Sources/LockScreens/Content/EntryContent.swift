/// What has been typed, without telling what it is.
public struct EntryContent: Sendable, Hashable, Codable {
    /// How it is shown.
    public enum Style: Sendable, Hashable, Codable {
        /// A row of this many dots; the last digit submits by itself.
        case dots(count: Int)
        /// A field with Done, for formats of variable length; digits only or any printable ASCII.
        case field(digitsOnly: Bool)
    }

    /// What a toolkit's field may fill in by itself.
    public enum Autofill: Sendable, Hashable, Codable {
        /// Nothing: the passcode of an app belongs in no password manager.
        case none
        /// A code that was mailed.
        case oneTimeCode
    }

    /// How it is shown.
    public var style: Style
    /// What a toolkit's field may fill in by itself.
    public var autofill: Autofill
    /// How many characters were typed.
    public var filled: Int
    /// How many characters a complete entry has; `nil` where any number is.
    public var lengths: ClosedRange<Int>?
    /// What a screen reader says of it, such as "3 of 6 digits entered".
    public var accessibilityValue: String

    /// An entry of these parts.
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

    /// Whether a keyboard of digits is enough.
    public var digitsOnly: Bool {
        switch style {
        case .dots: true
        case .field(let digitsOnly): digitsOnly
        }
    }
}
