import GoalLock
import Testing

@testable import portcullis

/// The parts of `focus` that are values.
@Suite("focus: what is decided without a process")
struct FocusRulesTests {
    @Test("A-9: endings and their statuses")
    func endings() {
        #expect(GoalEnding.released.status(isOnce: false) == 0)
        #expect(GoalEnding.released.status(isOnce: true) == 1)
        #expect(GoalEnding.signal(15).status(isOnce: false) == 143)
    }
}
