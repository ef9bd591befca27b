/// What an ``HTTPPasscodeAccount/HTTPPasscodeAccount`` sends to its server, and when it tries again.
public struct HTTPAccountConfiguration: Sendable, Hashable {
    /// Whether plain HTTP is used to other machines too.
    ///
    /// Passcodes and the session's token then cross the network in the clear. To this machine (`localhost`,
    /// `127.0.0.1`, `::1`) plain HTTP is always allowed.
    public var allowsPlainHTTP: Bool
    /// How long to wait before each further try of a request that changes nothing; as many tries as there are waits.
    ///
    /// What is waited lies between half of it and the whole. A longer `Retry-After` of the server counts instead.
    public var backoff: [Duration]
    /// The longest `Retry-After` that is waited for; with a longer one the error goes to the caller at once.
    public var longestWait: Duration

    /// A configuration.
    ///
    /// - Parameters:
    ///   - allowsPlainHTTP: whether plain HTTP is used to other machines too.
    ///   - backoff: the waits before further tries.
    ///   - longestWait: the longest `Retry-After` that is waited for.
    public init(
        allowsPlainHTTP: Bool = false,
        backoff: [Duration] = [.milliseconds(500), .seconds(2)],
        longestWait: Duration = .seconds(5)
    ) {
        self.allowsPlainHTTP = allowsPlainHTTP
        self.backoff = backoff
        self.longestWait = longestWait
    }
}
