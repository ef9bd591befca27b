#if HummingbirdLock
/// How many posts a session may send: so many each second, and four times as many at once.
struct RateRules {
    private let perSecond: Double
    private var left: Double
    private var last = Duration.zero

    private var burst: Double { 4 * perSecond }

    init(perSecond: Int) {
        self.perSecond = Double(perSecond)
        left = 4 * Double(perSecond)
    }

    /// Takes a post.
    ///
    /// - Returns: whether it is within the bounds.
    mutating func take(at now: Duration) -> Bool {
        let passed = (now - last) / .seconds(1)
        last = now
        left = min(burst, left + max(passed, 0) * perSecond)
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
#endif
