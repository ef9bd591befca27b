/// What an ``HTTPPasscodeAccount/HTTPPasscodeAccount`` sends to its server, and when it tries again.
public struct HTTPAccountConfiguration: Sendable, Hashable {
    /// Whether plain HTTP is used to other machines too.
    ///
    /// Passcodes and the session's token then cross the network in the clear. To this machine (`localhost`,
    /// `127.0.0.1`, `::1`) plain HTTP is always allowed.
    public var allowsPlainHTTP: Bool
    /// The waits before further tries of a request that changes nothing. There are as many further tries as waits.
    ///
    /// The actual wait is between half of the value and the whole value. A longer `Retry-After` of the server replaces it.
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
