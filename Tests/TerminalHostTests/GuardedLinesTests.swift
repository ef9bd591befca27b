import PasscodeLock
import PortcullisCore
import PortcullisTesting
import TerminalEmulator
import Testing

@testable import TerminalHost

/// Guarded programs whose screens are lines of text.
@Suite("GuardedRun in lines of text (P-24, P-32)", .timeLimit(.minutes(5)))
struct GuardedLinesTests {
    @Test("P-20: after lost focus has locked, a typed passcode unlocks, though no report tells of the return")
    func lostFocus() async throws {
        let clock = ManualClock()
        let host = try await GuardedHost(
            #"printf '\033[?1004h'; echo here; cat"#,
            passcode: "835291",
            timeout: .after(.seconds(3)),
            clock: clock,
            isPlain: true
        )
        try await host.person.wait(for: "here")
        host.person.type("\u{1B}[O")
        try await BoundedWait.until("the absence") { await host.run.isAway }
        // In steps that are too short for a sleep of the machine.
        for _ in 1...3 {
            await clock.advance(by: .seconds(1))
            #expect(await host.run.input.lookAtClock() == 0)
        }
        try await host.person.wait(for: "Enter Passcode")
        host.person.type("835291\r")
        try await host.person.wait(for: GuardTexts().uncovered)
        host.person.type("and on\r")
        try await host.person.wait(for: "and on")
        host.run.end()
        _ = try await host.end()
    }
}
