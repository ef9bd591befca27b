public import PortcullisCore

/// What a passcode looks like.
public enum PasscodeFormat: Sendable, Hashable, Codable {
    /// Exactly this many ASCII digits, 4 to 12; entry submits by itself.
    case digits(Int)
    /// A number of ASCII digits in a range within 4 to 12; entry ends with Done.
    case variableDigits(ClosedRange<Int>)
    /// Printable ASCII characters, their number in a range within 4 to 64; entry ends with Done.
    ///
    /// Other characters are refused because one text can reach an app as different bytes from different
    /// keyboards, and a passcode that cannot be typed again locks its owner out.
    case alphanumeric(ClosedRange<Int>)

    /// Six digits.
    public static let standard = PasscodeFormat.digits(6)

    /// The numbers of characters that are right.
    public var lengths: ClosedRange<Int> {
        switch self {
        case .digits(let count): count...count
        case .variableDigits(let range), .alphanumeric(let range): range
        }
    }

    /// Whether only digits are right.
    public var isNumeric: Bool {
        if case .alphanumeric = self { false } else { true }
    }

    /// Whether the length is known beforehand, so that the last digit submits.
    public var isFixedLength: Bool {
        if case .digits = self { true } else { false }
    }

    /// Whether the format itself is one of those allowed.
    public var isValid: Bool {
        let limits = isNumeric ? 4...12 : 4...64
        return limits.contains(lengths.lowerBound) && limits.contains(lengths.upperBound)
    }

    /// Why a passcode does not fit.
    ///
    /// - Returns: the first thing wrong with it, or `nil` when it fits.
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

/// What is wrong with a passcode's format; never the passcode itself.
public enum PasscodeFormatViolation: Sendable, Hashable, CustomStringConvertible {
    /// Fewer characters than needed.
    case tooShort(minimum: Int)
    /// More characters than allowed.
    case tooLong(maximum: Int)
    /// Something other than a digit where only digits are right.
    case notADigit
    /// A character outside ASCII, digits of other scripts among them.
    case notASCII
    /// A character that cannot be seen.
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
