/// What the terminal reported of its focus in what was read at once.
///
/// A terminal, or a program that types for one, may send thousands of reports. Each one that is acted on costs a look at the
/// lock, so only what they come to is told: whether the focus was lost, and where it is at the end.
struct FocusReports {
    private var wasLost = false
    private var last: Bool?

    /// Notes that the window has the focus, or has it not.
    mutating func note(_ isFocused: Bool) {
        wasLost = wasLost || !isFocused
        last = isFocused
    }

    /// What the reports come to, in its order: at most two changes.
    var changes: [Bool] {
        guard let last else { return [] }
        return wasLost && last ? [false, true] : [last]
    }
}
