#if HummingbirdLock
/// Decides whether a person is present at a session. For each visible tab, the decision uses the time of the
/// last report (W-2).
struct PresenceRules {
    /// The largest number of tabs in the table. When there are more, the tab with the oldest report is
    /// removed.
    static let maximum = 32
    /// The tab name for a page that a person opened, until the page's script reports the tab's own name. A
    /// page without a script keeps this name.
    static let visit = ""

    private let heartbeat: Duration
    /// For each visible tab, the time of its last report, measured since boot.
    private var seen: [String: Duration] = [:]
    /// The tabs that were visible at the last visit. One of them may be the page that the opened page
    /// replaces. That page may still report until it is replaced.
    private var seenBeforeVisit: Set<String> = []

    init(heartbeat: Duration) { self.heartbeat = heartbeat }

    /// Records a tab's report that it is visible or hidden.
    mutating func heard(_ tab: String, isVisible: Bool, at now: Duration) {
        // A tab may end without a report. Its old entry is removed here, while another tab is still visible.
        // If the old entry stayed until that other tab is hidden, the absence would count from the old
        // report.
        if isPresent(at: now) { removeSilentTabs(at: now) }
        if tab == Self.visit { seenBeforeVisit = Set(seen.keys) }
        seen[tab] = isVisible ? now : nil
        // Each page has a new tab name. So a visible tab that was not seen before the visit is the opened
        // page. From now on this page reports under the tab's own name, and the entry for the visit is
        // removed.
        if isVisible, tab != Self.visit, !seenBeforeVisit.contains(tab) {
            seen[Self.visit] = nil
            seenBeforeVisit = []
        }
        if seen.count > Self.maximum, let oldest = seen.min(by: { $0.value < $1.value }) {
            seen[oldest.key] = nil
        }
    }

    /// Whether a visible page with a script has reported within the last heartbeat interval.
    func seesReportingTab(at now: Duration) -> Bool {
        seen.contains { tab, time in tab != Self.visit && now - time < heartbeat }
    }

    /// Whether a visible tab has reported within the last heartbeat interval.
    func isPresent(at now: Duration) -> Bool { seen.values.contains { now - $0 < heartbeat } }

    /// Removes the tabs whose last reports are too old.
    mutating func removeSilentTabs(at now: Duration) { seen = seen.filter { now - $0.value < heartbeat } }

    /// The time since boot at which the last reports of all visible tabs will be too old; `nil` if no tab is
    /// visible.
    var due: Duration? { seen.values.max().map { $0 + heartbeat } }
}
#endif
