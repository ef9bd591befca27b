#if HummingbirdLock
/// Whether a person is at a session: what its tabs tell, and since when each is silent (W-2).
struct PresenceRules {
    /// The most tabs that are followed; the one longest silent makes room.
    static let maximum = 32
    /// A page that a person went to, before its script has told anything, or without one.
    static let visit = ""

    private let heartbeat: Duration
    /// When each tab that can be seen was heard last, since boot.
    private var seen: [String: Duration] = [:]

    init(heartbeat: Duration) { self.heartbeat = heartbeat }

    /// A tab told that it can be seen, or that it cannot.
    mutating func heard(_ tab: String, isVisible: Bool, at now: Duration) {
        seen[tab] = isVisible ? now : nil
        // The page that was gone to tells for itself from now on.
        if isVisible, tab != Self.visit { seen[Self.visit] = nil }
        if seen.count > Self.maximum, let oldest = seen.min(by: { $0.value < $1.value }) {
            seen[oldest.key] = nil
        }
    }

    /// Whether a tab can be seen and was heard within the heartbeat.
    mutating func isPresent(at now: Duration) -> Bool {
        seen = seen.filter { now - $0.value < heartbeat }
        return !seen.isEmpty
    }

    /// When the last tab will have been silent for too long; `nil` where none can be seen.
    var due: Duration? { seen.values.max().map { $0 + heartbeat } }
}
#endif
