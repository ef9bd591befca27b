/// The settings of an ``HTTPPasscodeAccount/HTTPPasscodeAccount``: whether plain HTTP is allowed, and how
/// often a failed request is repeated.
public struct HTTPAccountConfiguration: Sendable, Hashable {
    /// Whether plain HTTP to other machines is allowed too.
    ///
    /// If it is allowed, passcodes and the session's token cross the network unencrypted. To this machine
    /// (`localhost`, `127.0.0.1`, `::1`) plain HTTP is always allowed.
    public var allowsPlainHTTP: Bool
    /// The waits before further attempts at a request that changes nothing. There is one further attempt for
    /// each wait.
    ///
    /// The actual wait is between half of the value and the whole value. If the server's `Retry-After` is
    /// longer, the account waits for that time instead.
    public var backoff: [Duration]
    /// The longest `Retry-After` that the account waits for. If the server demands a longer wait, the caller
    /// gets the error at once.
    public var longestWait: Duration

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - allowsPlainHTTP: whether plain HTTP to other machines is allowed too.
    ///   - backoff: the waits before further attempts.
    ///   - longestWait: the longest `Retry-After` that the account waits for.
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
