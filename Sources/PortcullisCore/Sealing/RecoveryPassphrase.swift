/// The rules for a recovery passphrase. The number of tries is not limited, so the passphrase must be hard to
/// guess.
public enum RecoveryPassphrase: Sendable {
    /// The minimum number of Unicode scalars.
    public static let shortest = 12

    /// The reason why a passphrase is refused.
    public enum Weakness: Sendable, Hashable {
        /// The passphrase has fewer Unicode scalars than ``RecoveryPassphrase/shortest``.
        case tooShort
        /// An attacker would try the passphrase early: it repeats a few characters, runs along the alphabet or a
        /// keyboard, or is little more than a common word.
        case easilyGuessed
        /// The passphrase is longer than 1,024 bytes, or is not valid UTF-8.
        case unusable
    }

    /// The reason why a passphrase is refused; `nil` if it is allowed.
    ///
    /// During the check, a copy of the passphrase lies in ordinary memory.
    public static func weakness(of passphrase: SecretBytes) -> Weakness? {
        let text = passphrase.withBytes { bytes in
            String(validating: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        guard let text, passphrase.count <= 1024 else { return .unusable }
        let characters = text.lowercased().unicodeScalars.map(\.value)
        guard characters.count >= shortest else { return .tooShort }
        if Set(characters).count < 6 || isPeriodic(characters) || isRun(characters) { return .easilyGuessed }
        let letters = String(String.UnicodeScalarView(characters.compactMap { Unicode.Scalar($0) }))
        return common.contains { letters.hasPrefix($0) && letters.utf8.count - $0.utf8.count < 8 }
            ? .easilyGuessed : nil
    }

    /// Whether the passphrase consists of one shorter piece that is repeated, as in `abcdefabcdef`.
    private static func isPeriodic(_ characters: [UInt32]) -> Bool {
        (1...characters.count / 2).contains { period in
            characters.indices.dropFirst(period).allSatisfy { characters[$0] == characters[$0 - period] }
        }
    }

    /// Whether the passphrase follows the alphabet or a row of a keyboard, as `abcdef` and `qwerty` do.
    ///
    /// The check compares each character with the preceding one. The result is `true` if at least three
    /// quarters of these pairs are equal characters, or neighbours in the alphabet or on a keyboard.
    private static func isRun(_ characters: [UInt32]) -> Bool {
        let rows = ["qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "azertyuiop", "1234567890"]
            .map { $0.unicodeScalars.map(\.value) }
        let steps = zip(characters, characters.dropFirst()).count { one, next in
            if one.distance(to: next).magnitude <= 1 { return true }
            return rows.contains { row in
                guard let at = row.firstIndex(of: one), let other = row.firstIndex(of: next) else {
                    return false
                }
                return abs(at - other) == 1
            }
        }
        return steps * 4 >= (characters.count - 1) * 3
    }

    private static let common = [
        "password", "passw0rd", "passphrase", "letmein", "iloveyou", "qwerty", "portcullis", "recovery",
        "welcome", "administrator", "correcthorse", "correct horse",
    ]
}
