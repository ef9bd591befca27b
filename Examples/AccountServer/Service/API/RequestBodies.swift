internal import PortcullisCore

/// A secret text in a request. It is copied into protected memory at once.
///
/// The JSON decoder's own copies are in ordinary memory. No decoder is available that clears them.
struct SecretText: Decodable, Sendable {
    let bytes: SecretBytes

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        bytes = SecretBytes(copying: text.utf8)
    }

    /// The text as a mailed code.
    ///
    /// - Throws: ``Problem/badCode`` for anything but six ASCII digits.
    func code() throws -> SecretBytes {
        let isCode = bytes.withBytes { bytes in
            bytes.count == 6 && bytes.indices.allSatisfy { (0x30...0x39).contains(bytes[$0]) }
        }
        guard isCode else { throw Problem.badCode }
        return bytes
    }
}

struct RequestSignInBody: Decodable {
    var email: MailAddress
    var role: AccountRole
}

struct SignInBody: Decodable {
    var email: MailAddress
    var role: AccountRole
    var code: SecretText
    var request: AccountCodeRequest
}

struct SetBody: Decodable {
    var passcode: SecretText
    var revision: AccountRevision
}

struct ChangeBody: Decodable {
    var current: SecretText
    var new: SecretText
    var revision: AccountRevision
}

struct VerifyBody: Decodable {
    var passcode: SecretText
}

/// A new timeout, or a request to switch the passcode off, with the present passcode.
struct SettingsBody: Decodable {
    enum Change {
        case timeout(AccountTimeout)
        case switchOff(SecretText, AccountRevision)
    }

    var change: Change

    private enum Keys: String, CodingKey { case timeoutMinutes, hasPasscode, current, revision }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        guard container.contains(.hasPasscode) else {
            change = .timeout(try container.decode(TimeoutWord.self, forKey: .timeoutMinutes).timeout)
            return
        }
        guard try !container.decode(Bool.self, forKey: .hasPasscode), !container.contains(.timeoutMinutes)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .hasPasscode,
                in: container,
                debugDescription: "a passcode is set with set-passcode"
            )
        }
        change = .switchOff(
            try container.decode(SecretText.self, forKey: .current),
            try container.decode(AccountRevision.self, forKey: .revision)
        )
    }
}

/// The address and role whose code is requested. A signed-in person sends neither.
struct RequestResetBody: Decodable {
    var email: MailAddress?
    var role: AccountRole?
}

struct ResetBody: Decodable {
    var email: MailAddress?
    var role: AccountRole?
    var code: SecretText
    var request: AccountCodeRequest
    var new: SecretText
    var revision: AccountRevision
}

/// An administrator's changes of an account. A missing member changes nothing.
struct AdministerBody: Decodable {
    var id: UserID
    var passcodesEnabled: Bool?
    /// The new reason to hold the person back. The inner `nil` lets the person in again, the outer `nil`
    /// changes nothing.
    var quarantine: String??
    var endsSessions: Bool

    private enum Keys: String, CodingKey { case id, passcodesEnabled, quarantine, endSessions }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        id = try container.decode(UserID.self, forKey: .id)
        passcodesEnabled = try container.decodeIfPresent(Bool.self, forKey: .passcodesEnabled)
        endsSessions = try container.decodeIfPresent(Bool.self, forKey: .endSessions) ?? false
        quarantine =
            container.contains(.quarantine)
            ? .some(try container.decodeIfPresent(String.self, forKey: .quarantine)) : nil
    }
}

/// A number of minutes, or `"never"`.
struct TimeoutWord: Codable, Sendable {
    var timeout: AccountTimeout

    init(_ timeout: AccountTimeout) { self.timeout = timeout }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let word = try? container.decode(String.self), word == "never" {
            timeout = .never
            return
        }
        timeout = .minutes(try container.decode(Int.self))
        guard timeout.isValid else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a timeout")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch timeout {
        case .never: try container.encode("never")
        case .minutes(let minutes): try container.encode(minutes)
        }
    }
}
