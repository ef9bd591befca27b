internal import PortcullisCore

/// The times and networks of requests for codes, and the pauses that follow from them.
///
/// The value has no clock: each method gets the time. The value is encoded as a list.
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
    /// - Parameter isKnown: whether the network is a known one, which other networks' requests do not hold
    ///   up.
    /// - Returns: the wait before the next request; `nil` if this request was noted.
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
        // Strangers could add requests without end, so only the latest ones are kept. Half of them suffice
        // for the pause of all networks. The rest keeps the pauses of single networks from being forgotten
        // early.
        entries.removeFirst(max(0, entries.count - 2 * max(policy.requestsOfAll, policy.requests)))
        return nil
    }

    /// Forgets old requests, and requests in the future, which a clock that was ahead has left. They would
    /// count until the clock reaches their times.
    mutating func forget(at now: Int64) {
        let day: Int64 = 86_400_000
        entries.removeAll { now - $0.at >= day || WallClock.isAhead($0.at, of: now) }
    }

    private func dueForNetwork(_ network: String, _ policy: CodePolicy) -> Int64 {
        let own = entries.filter { $0.network == network }
        guard let last = own.last, own.count >= policy.requests else { return 0 }
        // After twenty doublings the pause is longer than the day for which requests are counted.
        let doublings = min(own.count - policy.requests, 20)
        return last.at + WallClock.milliseconds(policy.pause) << Int64(doublings)
    }

    private func dueForAll(_ policy: CodePolicy) -> Int64 {
        guard let last = entries.last, entries.count >= policy.requestsOfAll else { return 0 }
        return last.at + WallClock.milliseconds(policy.pauseOfAll)
    }
}

/// The item that decides how a request for a code is answered, with and without an account.
///
/// There is a fixed number of these items, because strangers can make up addresses without end. A new address
/// replaces the earlier address of its item. The earlier address's pause is then forgotten, with and without
/// an account, so that the answer does not tell which addresses have an account. An account's own record
/// limits how many mails the account gets (``MailedCodes``).
struct ToldRequests: Codable, Sendable, Hashable {
    var version = 1
    /// The key of the address whose code was requested last.
    var owner: String
    var asked = AskedCodes()
}
