#if HummingbirdLock
/// Decides whether a person is at a session, by when each of its tabs was last heard (W-2).
struct PresenceRules {
    /// The most tabs that are followed. When there are more, the tab that was silent longest is dropped.
    static let maximum = 32
    /// The name for a page that a person opened and whose script has not reported yet, or that has no script.
    static let visit = ""

    private let heartbeat: Duration
    /// When each visible tab was last heard, since boot.
    private var seen: [String: Duration] = [:]

    init(heartbeat: Duration) { self.heartbeat = heartbeat }

    /// Takes the report of a tab that it is visible or hidden.
    mutating func heard(_ tab: String, isVisible: Bool, at now: Duration) {
        seen[tab] = isVisible ? now : nil
        // The script of the opened page reports under the tab's own name from now on, so the entry for the visit is
        // removed.
        if isVisible, tab != Self.visit { seen[Self.visit] = nil }
        if seen.count > Self.maximum, let oldest = seen.min(by: { $0.value < $1.value }) {
            seen[oldest.key] = nil
        }
    }

    /// Whether a visible tab was heard within the last heartbeat.
    mutating func isPresent(at now: Duration) -> Bool {
        seen = seen.filter { now - $0.value < heartbeat }
        return !seen.isEmpty
    }

    /// When all visible tabs will have been silent for too long; `nil` if no tab is visible.
    var due: Duration? { seen.values.max().map { $0 + heartbeat } }
}
#endif
