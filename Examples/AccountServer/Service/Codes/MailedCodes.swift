internal import Crypto
internal import PortcullisCore

/// The codes that were mailed to one address for one purpose, and the times and networks of the requests.
///
/// Each request has its own code with its own tries. So requests and tries of one network change nothing for
/// another. The value has no clock: each method gets the time. An address without an account has such a
/// record too, with codes that were never mailed, so that nothing tells the two kinds of addresses apart.
/// Such a record stays only until another address without an account replaces it (``CodeOwner``).
struct MailedCodes: Codable, Sendable, Hashable {
    struct Code: Codable, Sendable, Hashable {
        /// The hash of the request that the code was mailed for.
        var request: String
        /// The salt of the hash, which differs for each code.
        var salt: [UInt8]
        var hash: [UInt8]
        /// Milliseconds since 1970.
        var sent: Int64
        var tries = 0
        /// The revision that the code was used for; `nil` if the code was not used. If the answer got lost,
        /// it can be given again for this revision.
        var usedAs: AccountRevision?
        /// The hash of the network that requested the code; `nil` in a record of an earlier version.
        var network: String?
    }

    var version = 2
    /// The key of the address or person that the record belongs to; `nil` in a record of an earlier version.
    var owner: String?
    var codes: [Code] = []
    /// The requests that got a code.
    var asked = AskedCodes()
    /// The networks whose codes were used lately, with the time; the latest at the end.
    var known: [AskedCodes.Entry] = []

    init(of owner: String? = nil) { self.owner = owner }

    /// Reads a record. The codes of version 1 had no requests, so they are void.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        owner = try container.decodeIfPresent(String.self, forKey: .owner)
        codes = try container.decodeIfPresent([Code].self, forKey: .codes) ?? []
        asked = try container.decodeIfPresent(AskedCodes.self, forKey: .asked) ?? AskedCodes()
        known = try container.decodeIfPresent([AskedCodes.Entry].self, forKey: .known) ?? []
    }

    /// Notes a request and its code.
    ///
    /// - Returns: the wait before the next request; `nil` if this request was noted.
    mutating func add(
        _ digits: SecretBytes,
        for request: AccountCodeRequest,
        from network: String,
        at wall: Duration,
        _ policy: CodePolicy
    ) -> Duration? {
        let now = WallClock.milliseconds(wall)
        forget(at: now, policy)
        // A network from which a code was used before is not held up by strangers' requests.
        let isKnown = known.contains { $0.network == network }
        if let wait = asked.add(from: network, isKnown: isKnown, at: now, policy) { return wait }
        let salt = SecretBytes(randomCount: 16).withBytes { bytes in bytes.indices.map { bytes[$0] } }
        let hash = Self.hash(digits, salt)
        codes.append(Code(request: Self.name(request), salt: salt, hash: hash, sent: now, network: network))
        return nil
    }

    /// Whether a code that the network asked for was used lately.
    mutating func knows(_ network: String, at wall: Duration, _ policy: CodePolicy) -> Bool {
        forget(at: WallClock.milliseconds(wall), policy)
        return known.contains { $0.network == network }
    }

    /// Counts a try, before the digits are compared.
    ///
    /// - Returns: the code to compare with; `nil` if there is none, or if it has no tries left.
    mutating func attempt(
        _ request: AccountCodeRequest,
        at wall: Duration,
        _ policy: CodePolicy
    ) -> Code? {
        forget(at: WallClock.milliseconds(wall), policy)
        let name = Self.name(request)
        guard let index = codes.firstIndex(where: { $0.request == name }), codes[index].tries < policy.tries
        else {
            return nil
        }
        codes[index].tries += 1
        return codes[index]
    }

    /// Takes a counted try back.
    ///
    /// - Returns: `false` if the code is gone.
    mutating func takeBackTry(of code: Code) -> Bool {
        guard let index = codes.firstIndex(where: { $0.isSame(as: code) }), codes[index].tries > 0 else {
            return false
        }
        codes[index].tries -= 1
        return true
    }

    /// Uses a code up.
    ///
    /// The network that requested the code counts as known from then on.
    ///
    /// - Parameter revision: the revision for which the answer can be repeated; `nil` if it cannot be.
    /// - Returns: `false` if the code is gone or was used before.
    mutating func use(
        _ code: Code,
        as revision: AccountRevision?,
        at wall: Duration,
        _ policy: CodePolicy
    ) -> Bool {
        guard let index = codes.firstIndex(where: { $0.isSame(as: code) }), codes[index].usedAs == nil else {
            return false
        }
        if let network = codes[index].network {
            known.removeAll { $0.network == network }
            known.append(AskedCodes.Entry(network: network, at: WallClock.milliseconds(wall)))
            known.removeFirst(max(0, known.count - policy.knownNetworks))
        }
        if let revision { codes[index].usedAs = revision } else { codes.remove(at: index) }
        return true
    }

    /// Whether everything in the record is too old to matter.
    func isPast(at wall: Duration, _ policy: CodePolicy) -> Bool {
        var rest = self
        rest.forget(at: WallClock.milliseconds(wall), policy)
        return rest.asked.entries.isEmpty && rest.codes.isEmpty && rest.known.isEmpty
    }

    // MARK: Time

    /// Forgets old entries, and entries in the future, which a clock that was ahead has left. They would
    /// count until the clock reaches their times.
    private mutating func forget(at now: Int64, _ policy: CodePolicy) {
        asked.forget(at: now)
        let validity = WallClock.milliseconds(policy.validity)
        codes.removeAll { now - $0.sent >= validity || WallClock.isAhead($0.sent, of: now) }
        let memory = WallClock.milliseconds(policy.memory)
        known.removeAll { now - $0.at >= memory || WallClock.isAhead($0.at, of: now) }
    }

    private static func name(_ request: AccountCodeRequest) -> String { Hashing.name(request.rawValue.utf8) }

    fileprivate static func hash(_ digits: SecretBytes, _ salt: [UInt8]) -> [UInt8] {
        let bytes = digits.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: salt)))
    }
}

extension MailedCodes.Code {
    /// Whether the digits are those of the code. The time of the comparison tells nothing about the digits.
    func matches(_ digits: SecretBytes) -> Bool {
        SecretBytes(copying: hash).matches(SecretBytes(copying: MailedCodes.hash(digits, salt)))
    }

    /// Whether both values are the same code, even if their numbers of tries differ.
    func isSame(as other: MailedCodes.Code) -> Bool { salt == other.salt && hash == other.hash }
}
