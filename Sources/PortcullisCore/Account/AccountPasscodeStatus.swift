/// The state of an account's passcode, as the account reports it.
public struct AccountPasscodeStatus: Sendable, Hashable {
    /// Whether the person has a passcode.
    public var hasPasscode: Bool
    /// Whether the account may use passcodes. An administrator can forbid them.
    public var isEnabled: Bool
    /// The account's lock timeout: how long a person may be absent before the person's devices lock.
    public var timeout: AccountTimeout
    /// The passcode's revision; `nil` when the account never had a passcode.
    ///
    /// Setting, changing, resetting and switching off the passcode each give a new revision. If there is a
    /// revision but no passcode, the passcode was switched off.
    public var revision: AccountRevision?

    /// Makes a status from these parts.
    public init(
        hasPasscode: Bool,
        isEnabled: Bool = true,
        timeout: AccountTimeout = .preset,
        revision: AccountRevision?
    ) {
        self.hasPasscode = hasPasscode
        self.isEnabled = isEnabled
        self.timeout = timeout
        self.revision = revision
    }
}

/// Identifies one state of an account's passcode without revealing anything about the passcode.
///
/// The text is 1 to 64 bytes of printable ASCII without spaces. It is random and not derived from the passcode.
public struct AccountRevision: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text that the device and the account compare.
    public let rawValue: String

    /// Makes a revision from a text.
    ///
    /// - Returns: `nil` when the text is empty, is longer than 64 bytes or holds anything but printable
    ///   ASCII without spaces.
    public init?(_ text: String) {
        guard OpaqueText.isValid(text) else { return nil }
        self.rawValue = text
    }

    /// Makes a new revision: 128 random bits in hexadecimal digits.
    ///
    /// - Parameter generator: the source of the random bits.
    public static func random(using generator: inout some RandomNumberGenerator) -> AccountRevision {
        AccountRevision(trusted: OpaqueText.random(using: &generator))
    }

    /// Makes a new revision with the system's random number generator.
    public static func random() -> AccountRevision {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    private init(trusted text: String) { self.rawValue = text }

    /// The text.
    public var description: String { rawValue }

    /// Reads the text and checks it as ``init(_:)`` does.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let revision = AccountRevision(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a revision")
        }
        self = revision
    }

    /// Encodes the revision as its text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// An account's lock timeout: how long a person may be absent before a device locks.
public enum AccountTimeout: Sendable, Hashable, Codable {
    /// The device locks after an absence of this many minutes, 0 to 525,600 (a year). With 0 the device
    /// locks after every absence.
    case minutes(Int)
    /// The account never wants devices to lock, however long the absence is.
    case never

    /// The default timeout: 15 minutes.
    public static let preset = AccountTimeout.minutes(15)

    /// Whether the number of minutes is from 0 to 525,600; always `true` for ``never``.
    public var isValid: Bool {
        if case .minutes(let minutes) = self { (0...525_600).contains(minutes) } else { true }
    }
}

/// A change to a setting of the account. The change applies to all devices of the person.
public enum AccountSettingsChange: Sendable {
    /// The devices lock after an absence of this length.
    case timeout(AccountTimeout)
    /// The passcode is switched off. `current` is the present passcode; `revision` becomes the account's revision.
    case switchOff(current: SecretBytes, revision: AccountRevision)
}
