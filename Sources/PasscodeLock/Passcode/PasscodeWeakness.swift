public import PortcullisCore

/// The reason why a passcode is easily guessed (P-8).
///
/// The check looks for patterns in the passcode, and then searches a short list of passcodes that are
/// frequent in published leaks.
public enum PasscodeWeakness: Sendable, Hashable {
    /// All characters are the same.
    case repeatedCharacter
    /// The characters ascend or descend in steps of one: 345678, 987654, abcdef.
    case run
    /// A short group of characters repeats, or each character of a run is doubled: 121212, 112233.
    case repeatedGroup
    /// The digits follow lines or corners of the number pad: 147258, 258025.
    case keypadLine
    /// The passcode is one of the passcodes that people choose most often.
    case common

    /// Returns the first weakness that is found in a passcode.
    ///
    /// - Returns: the reason why the passcode is easily guessed, or `nil` when none is found.
    public static func of(_ passcode: SecretBytes) -> PasscodeWeakness? {
        passcode.withBytes { bytes in
            guard bytes.count > 1 else { return .repeatedCharacter }
            if hasPeriod(1, bytes) { return .repeatedCharacter }
            if isRun(bytes) { return .run }
            if (2...max(2, bytes.count / 2)).contains(where: { bytes.count % $0 == 0 && hasPeriod($0, bytes) }
            ) {
                return .repeatedGroup
            }
            if isDoubledRun(bytes) { return .repeatedGroup }
            if isKeypadWalk(bytes) { return .keypadLine }
            return wellKnown.contains(where: { equals($0, bytes) }) ? .common : nil
        }
    }

    private static func hasPeriod(_ period: Int, _ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > period else { return false }
        for index in period..<bytes.count where bytes[index] != bytes[index - period] { return false }
        return true
    }

    /// Whether the characters ascend or descend in steps of one. Among digits, 0 counts as the digit after 9.
    private static func isRun(_ bytes: Span<UInt8>) -> Bool {
        func step(_ from: UInt8, _ to: UInt8) -> Int {
            let isDigits = (0x30...0x39).contains(from) && (0x30...0x39).contains(to)
            let difference = Int(to) - Int(from)
            if isDigits, difference == -9 { return 1 }
            if isDigits, difference == 9 { return -1 }
            return difference
        }
        let first = step(bytes[0], bytes[1])
        guard abs(first) == 1 else { return false }
        for index in 1..<bytes.count where step(bytes[index - 1], bytes[index]) != first { return false }
        return true
    }

    /// Whether the passcode consists of pairs of equal characters, and each pair differs from the previous
    /// pair by one step, as in 112233.
    private static func isDoubledRun(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count.isMultiple(of: 2) else { return false }
        for index in stride(from: 0, to: bytes.count, by: 2) where bytes[index] != bytes[index + 1] {
            return false
        }
        for index in stride(from: 2, to: bytes.count, by: 2)
        where abs(Int(bytes[index]) - Int(bytes[index - 2])) != 1 {
            return false
        }
        return true
    }

    /// Whether the passcode is the beginning of one of the known lines on the number pad. A line may be
    /// followed in either direction.
    private static func isKeypadWalk(_ bytes: Span<UInt8>) -> Bool {
        lines.contains { line in
            let characters = Array(line.utf8)
            return startsWith(bytes, characters) || startsWith(bytes, characters.reversed())
        }
    }

    /// Whether a sequence of keys begins with the whole passcode.
    private static func startsWith(_ bytes: Span<UInt8>, _ walk: [UInt8]) -> Bool {
        guard bytes.count <= walk.count else { return false }
        for index in bytes.indices where bytes[index] != walk[index] { return false }
        return true
    }

    private static func equals(_ text: String, _ bytes: Span<UInt8>) -> Bool {
        guard text.utf8.count == bytes.count else { return false }
        for (index, byte) in text.utf8.enumerated() where bytes[index] != byte { return false }
        return true
    }

    private static let lines = [
        "147258369", "147369258", "741852963", "258147369", "258369147", "369258147", "2580",
        "25800852", "258025802580", "1470", "159357", "357159", "159753", "753159", "951357", "1379",
        "13971397", "7913", "123698745", "147896325", "321456987", "123654789", "789456123", "456789123",
        "147852", "963852", "14789632", "789632147", "852456", "456852", "5252", "0852",
    ]

    /// Frequent passcodes from published analyses of leaked PINs and passwords. Passcodes whose pattern is
    /// already recognised are left out.
    private static let wellKnown = [
        "1004", "1998", "1999", "2000", "2001", "2468", "1007", "0007",
        "13579", "24680", "80085", "31415", "112358", "131452", "142857", "123321",
        "456654", "520131", "654123", "666999", "789987",
        "314159", "271828", "102030", "010203", "121314", "100200", "111222", "222333", "333444", "135790",
        "246810", "5201314", "8675309", "31415926", "12344321",
        "pass", "love", "admin", "qwerty", "qwertz", "azerty", "qwertyuiop", "asdfgh", "asdfghjkl", "zxcvbn",
        "zxcvbnm", "1q2w3e", "1q2w3e4r", "1qaz2wsx", "password", "password1", "passw0rd", "Password",
        "P@ssw0rd",
        "letmein", "welcome", "iloveyou", "monkey", "dragon", "abc123", "secret", "master", "passcode",
    ]
}

/// The treatment of a passcode that is easily guessed.
public enum WeakPasscodePolicy: Sendable, Hashable {
    /// The passcode is accepted.
    case allow
    /// The screen asks first: "This passcode is easily guessed." with Use Anyway and Choose Another.
    case warn
    /// The passcode is refused.
    case reject
}
