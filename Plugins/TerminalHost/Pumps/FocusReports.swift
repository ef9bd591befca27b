/// The focus reports of one read, merged.
///
/// A terminal, or a program that imitates a terminal, may send thousands of reports. Handling each report
/// would take long, because each report updates the lock. So at most two changes are passed on: a loss of
/// the focus, and then the state after the last report.
struct FocusReports {
    private var wasLost = false
    private var last: Bool?

    /// Notes a report: whether the window has the focus.
    mutating func note(_ isFocused: Bool) {
        wasLost = wasLost || !isFocused
        last = isFocused
    }

    /// The merged changes in their order, at most two. `true` means that the window gained the focus.
    var changes: [Bool] {
        guard let last else { return [] }
        return wasLost && last ? [false, true] : [last]
    }
}
