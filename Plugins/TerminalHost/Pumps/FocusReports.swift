/// The focus reports of one read, merged.
///
/// A terminal, or a program that types for one, may send thousands of reports. Handling each of them would
/// take long, because each updates the lock. So only the result is passed on: whether the focus was lost, and
/// its last state.
struct FocusReports {
    private var wasLost = false
    private var last: Bool?

    /// Notes a report: whether the window has the focus.
    mutating func note(_ isFocused: Bool) {
        wasLost = wasLost || !isFocused
        last = isFocused
    }

    /// The merged changes in their order, at most two.
    var changes: [Bool] {
        guard let last else { return [] }
        return wasLost && last ? [false, true] : [last]
    }
}
