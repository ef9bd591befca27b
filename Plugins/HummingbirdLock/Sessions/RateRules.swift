#if HummingbirdLock
/// Limits how many posts, heartbeats, streams, answers to prompts and screens over the content a session
/// requests per second on average. A burst may have four times that number.
struct RateRules {
    private let perSecond: Double
    private var left: Double
    private var last = Duration.zero

    private var burst: Double { 4 * perSecond }

    init(perSecond: Int) {
        self.perSecond = Double(perSecond)
        left = 4 * Double(perSecond)
    }

    /// Counts a request of the page, such as a post.
    ///
    /// - Returns: whether the request is within the limit.
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
