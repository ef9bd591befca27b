#if HummingbirdLock
/// How many posts a session may send: so many at once, and then so many each second.
struct RateRules {
    static let burst = 120.0
    static let perSecond = 30.0

    private var left = burst
    private var last = Duration.zero

    /// Takes a post.
    ///
    /// - Returns: whether it is within the bounds.
    mutating func take(at now: Duration) -> Bool {
        let passed = (now - last) / .seconds(1)
        last = now
        left = min(Self.burst, left + max(passed, 0) * Self.perSecond)
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
#endif
