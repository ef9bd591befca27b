internal import PortcullisCore

/// When and from which networks codes were requested, and how long that holds up the next request.
///
/// Pure state: every event takes the time. It is encoded as a list.
struct AskedCodes: Codable, Sendable, Hashable {
    struct Entry: Codable, Sendable, Hashable {
        /// The hash of the network that asked.
        var network: String
        /// Milliseconds since 1970.
        var at: Int64
    }

    /// The requests of the last day, the latest at the end.
    private(set) var entries: [Entry] = []

    init() {}

    init(from decoder: any Decoder) throws {
        entries = try decoder.singleValueContainer().decode([Entry].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(entries)
    }

    /// Notes a request.
    ///
    /// - Parameter isKnown: whether strangers' requests do not hold the network up.
    /// - Returns: how long to wait instead, after too many requests.
    mutating func add(
        from network: String,
        isKnown: Bool,
        at now: Int64,
        _ policy: CodePolicy
    ) -> Duration? {
        forget(at: now)
        let due = max(dueForNetwork(network, policy), isKnown ? 0 : dueForAll(policy))
        if now < due { return .milliseconds(due - now) }
        entries.append(Entry(network: network, at: now))
        // More would be a stranger's to add. The pauses of all go on with half of them; the others are for networks, which
        // otherwise forget theirs after so many of others.
        entries.removeFirst(max(0, entries.count - 2 * max(policy.requestsOfAll, policy.requests)))
        return nil
    }

    /// Forgets what is past, and what a clock that was ahead has left behind: that would hold until the clock gets there.
    mutating func forget(at now: Int64) {
        let day: Int64 = 86_400_000
        entries.removeAll { now - $0.at >= day || WallClock.isAhead($0.at, of: now) }
    }

    private func dueForNetwork(_ network: String, _ policy: CodePolicy) -> Int64 {
        let own = entries.filter { $0.network == network }
        guard let last = own.last, own.count >= policy.requests else { return 0 }
        // After twenty doublings it is longer than the day for which requests are counted.
        let doublings = min(own.count - policy.requests, 20)
        return last.at + WallClock.milliseconds(policy.pause) << Int64(doublings)
    }

    private func dueForAll(_ policy: CodePolicy) -> Int64 {
        guard let last = entries.last, entries.count >= policy.requestsOfAll else { return 0 }
        return last.at + WallClock.milliseconds(policy.pauseOfAll)
    }
}

/// What a request for a code is answered by, for all addresses alike.
///
/// There is a fixed number of these, and an address takes the place of another: strangers can make up addresses without
/// end. What is forgotten then is forgotten of accounts too, so that the answer does not tell which addresses have one;
/// how many mails an account gets, its own record bounds (``MailedCodes``).
struct ToldRequests: Codable, Sendable, Hashable {
    var version = 1
    /// The key of the address that was asked for last.
    var owner: String
    var asked = AskedCodes()
}
