internal import Crypto
internal import PortcullisCore

/// The limits of codes that are mailed.
package struct CodePolicy: Sendable, Hashable {
    /// How long a code is good.
    package var validity = Duration.seconds(15 * 60)
    /// How many tries a code has.
    package var tries = 5
    /// How many codes can be requested within ``validity``.
    package var requests = 3
    /// How many codes can be requested within a day: bounds what can be guessed in a day.
    package var requestsPerDay = 10

    /// Fifteen minutes, five tries, three requests in that time and ten a day.
    package init() {}
}

/// The codes of one account for one purpose: the last one, and when codes were requested.
///
/// Pure state: every event takes the time. An account that does not exist has such a record too, of a code that
/// nobody was sent, so that nothing tells the two apart.
struct MailedCodes: Codable, Sendable, Hashable {
    struct Code: Codable, Sendable, Hashable {
        /// Makes the hash one of this code only.
        var salt: [UInt8]
        var hash: [UInt8]
        /// Milliseconds since 1970.
        var sent: Int64
        var tries = 0
    }

    var version = 1
    var code: Code?
    /// When codes were requested within the last day, in milliseconds since 1970.
    var requests: [Int64] = []

    /// Notes a request and replaces the code.
    ///
    /// - Returns: how long to wait instead, after too many requests.
    mutating func request(_ digits: SecretBytes, at wall: Duration, _ policy: CodePolicy) -> Duration? {
        let now = Self.milliseconds(wall)
        let day: Int64 = 86_400_000
        // What lies ahead was noted before the clock was set back, and counts.
        requests.removeAll { now - $0 >= day }
        let validity = Self.milliseconds(policy.validity)
        let recent = requests.filter { now - $0 < validity }
        if recent.count >= policy.requests { return .milliseconds(recent[0] + validity - now) }
        if requests.count >= policy.requestsPerDay { return .milliseconds(requests[0] + day - now) }
        requests.append(now)
        let salt = SecretBytes(randomCount: 16).withBytes { bytes in bytes.indices.map { bytes[$0] } }
        code = Code(salt: salt, hash: Self.hash(digits, salt), sent: now)
        return nil
    }

    /// Counts a try, before it is looked at.
    ///
    /// - Returns: the code to compare with; `nil` when there is none that may be tried.
    mutating func attempt(at wall: Duration, _ policy: CodePolicy) -> Code? {
        let age = Self.milliseconds(wall) - (code?.sent ?? 0)
        guard var tried = code, tried.tries < policy.tries, age < Self.milliseconds(policy.validity) else {
            return nil
        }
        tried.tries += 1
        code = tried
        return tried
    }

    /// Whether everything in the record is too old to matter.
    func isPast(at wall: Duration) -> Bool {
        let now = Self.milliseconds(wall)
        return requests.allSatisfy { now - $0 >= 86_400_000 }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    fileprivate static func hash(_ digits: SecretBytes, _ salt: [UInt8]) -> [UInt8] {
        let bytes = digits.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: salt)))
    }
}

extension MailedCodes.Code {
    /// Whether these are its digits, in a time that tells nothing.
    func matches(_ digits: SecretBytes) -> Bool {
        SecretBytes(copying: hash).matches(SecretBytes(copying: MailedCodes.hash(digits, salt)))
    }

    /// Whether it is the same code, however often it was tried.
    func isSame(as other: MailedCodes.Code?) -> Bool { salt == other?.salt && hash == other?.hash }
}
