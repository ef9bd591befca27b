/// What an account tells of its passcode.
public struct AccountPasscodeStatus: Sendable, Hashable {
    /// Whether the person has a passcode.
    public var hasPasscode: Bool
    /// Whether passcodes are in use; an administrator may have switched them off.
    public var isEnabled: Bool
    /// After how long an absence the person's devices lock, as far as the account says.
    public var timeout: AccountTimeout
    /// The passcode's revision; `nil` when there was never one.
    ///
    /// Another one after each set, change, reset and switching off. One without a passcode says that it was switched
    /// off.
    public var revision: AccountRevision?

    /// A status of these parts.
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

/// Which passcode an account has, without telling anything about it.
///
/// Between 1 and 64 bytes of printable ASCII without spaces; random, and not derived from the passcode.
public struct AccountRevision: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text that devices and account compare.
    public let rawValue: String

    /// Checks and keeps a text.
    ///
    /// - Returns: `nil` when it is empty, longer than 64 bytes or holds anything but printable ASCII without spaces.
    public init?(_ text: String) {
        guard OpaqueText.isValid(text) else { return nil }
        self.rawValue = text
    }

    /// A fresh one: 128 random bits in hexadecimal digits.
    ///
    /// - Parameter generator: where the randomness comes from.
    public static func random(using generator: inout some RandomNumberGenerator) -> AccountRevision {
        AccountRevision(trusted: OpaqueText.random(using: &generator))
    }

    /// A fresh one, from the system's generator.
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

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// After how long an absence an account wants devices to lock.
public enum AccountTimeout: Sendable, Hashable, Codable {
    /// After so many minutes, 0 to 525,600 (a year); 0: on every return.
    case minutes(Int)
    /// However long: the account does not ask for it.
    case never

    /// Fifteen minutes.
    public static let preset = AccountTimeout.minutes(15)

    /// Whether the number of minutes is one that is allowed.
    public var isValid: Bool {
        if case .minutes(let minutes) = self { (0...525_600).contains(minutes) } else { true }
    }
}

/// A choice that a person makes for all devices.
public enum AccountSettingsChange: Sendable {
    /// Lock after this long an absence.
    case timeout(AccountTimeout)
    /// Switch the passcode off, with the passcode so far and the revision of being without one.
    case switchOff(current: SecretBytes, revision: AccountRevision)
}
