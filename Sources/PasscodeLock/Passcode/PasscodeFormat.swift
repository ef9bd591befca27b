public import PortcullisCore

/// The characters and the length that a passcode has to have.
public enum PasscodeFormat: Sendable, Hashable, Codable {
    /// Exactly this number of ASCII digits, 4 to 12. The last digit submits the passcode.
    case digits(Int)
    /// A number of ASCII digits in this range, which lies within 4 to 12. The Done button submits the
    /// passcode.
    case variableDigits(ClosedRange<Int>)
    /// A number of printable ASCII characters in this range, which lies within 4 to 64. The Done button
    /// submits the passcode.
    ///
    /// Other characters are refused, because two keyboards can encode the same text as different bytes. A
    /// person who cannot type the passcode again would be locked out.
    case alphanumeric(ClosedRange<Int>)

    /// Six digits.
    public static let standard = PasscodeFormat.digits(6)

    /// The numbers of characters that the format allows.
    public var lengths: ClosedRange<Int> {
        switch self {
        case .digits(let count): count...count
        case .variableDigits(let range), .alphanumeric(let range): range
        }
    }

    /// Whether the format allows digits only.
    public var isNumeric: Bool {
        if case .alphanumeric = self { false } else { true }
    }

    /// Whether the format is ``digits(_:)``, with which the last digit submits the passcode.
    public var isFixedLength: Bool {
        if case .digits = self { true } else { false }
    }

    /// Whether the lengths of the format are allowed: 4 to 12 digits, or 4 to 64 characters.
    public var isValid: Bool {
        let limits = isNumeric ? 4...12 : 4...64
        return limits.contains(lengths.lowerBound) && limits.contains(lengths.upperBound)
    }

    /// Checks a passcode against the format.
    ///
    /// - Returns: the first violation, or `nil` when the passcode has the format.
    public func violation(of passcode: SecretBytes) -> PasscodeFormatViolation? {
        passcode.withBytes { bytes in
            for index in bytes.indices {
                switch bytes[index] {
                case 0x80...: return .notASCII
                case 0x30...0x39: continue
                case 0x20...0x7E where !isNumeric: continue
                case 0x20...0x7E: return .notADigit
                default: return .controlCharacter
                }
            }
            if bytes.count < lengths.lowerBound { return .tooShort(minimum: lengths.lowerBound) }
            if bytes.count > lengths.upperBound { return .tooLong(maximum: lengths.upperBound) }
            return nil
        }
    }
}

/// The fault in a passcode's format. It never holds the passcode itself.
public enum PasscodeFormatViolation: Sendable, Hashable, CustomStringConvertible {
    /// The passcode has fewer characters than the format needs.
    case tooShort(minimum: Int)
    /// The passcode has more characters than the format allows.
    case tooLong(maximum: Int)
    /// The passcode has a character other than a digit where only digits are allowed.
    case notADigit
    /// The passcode has a character outside ASCII, such as a digit of another script.
    case notASCII
    /// The passcode has a control character.
    case controlCharacter

    /// The violation in words.
    public var description: String {
        switch self {
        case .tooShort(let minimum): "at least \(minimum) characters are needed"
        case .tooLong(let maximum): "at most \(maximum) characters are allowed"
        case .notADigit: "only digits are allowed"
        case .notASCII: "only ASCII characters are allowed"
        case .controlCharacter: "control characters are not allowed"
        }
    }
}
