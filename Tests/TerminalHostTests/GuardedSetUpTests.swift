import Glibc
import PasscodeLock
import TerminalEmulator
import Testing

@testable import TerminalHost

/// The offer of a guarded run to set a passcode.
@Suite("GuardedRun offers a passcode (P-36)", .timeLimit(.minutes(5)))
struct GuardedSetUpTests {
    @Test("P-36: Ctrl-C on the offer ends a run whose program has not started", arguments: [false, true])
    func interrupted(isPlain: Bool) async throws {
        let host = try await GuardedHost("echo in\"\"side; cat", isPlain: isPlain)
        try await host.person.wait(for: "Create a passcode")
        if isPlain { try await host.waitForLine() }
        // What follows in the same read would set it up later, and start the program.
        host.person.type("\u{3}" + (isPlain ? "later\r" : "\t\r"))
        #expect(try await host.end() == GuardEnding(status: 128 + SIGINT, hasStarted: false))
        #expect(!host.person.raw.contains("inside"))
        #expect(try await !host.service.wasAsked())
    }

    @Test("P-36: Ctrl-C on the offer over a running program ends nothing", arguments: [false, true])
    func interruptedOverProgram(isPlain: Bool) async throws {
        let host = try await GuardedHost("echo in\"\"side; cat", wasAsked: true, isPlain: isPlain)
        try await host.person.wait(for: "inside")
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Create a passcode")
        if isPlain { try await host.waitForLine() }
        host.person.type("\u{3}" + (isPlain ? "later\r" : "\t\r"))
        try await host.person.wait("the program") {
            isPlain ? $0.text.contains(GuardTexts().uncovered) : !$0.text.contains("Passcode")
        }
        host.person.type("and on\r")
        try await host.person.wait(for: "and on")
        host.run.end()
        #expect(try await host.end() == GuardEnding(status: 128 + SIGHUP))
    }

    @Test("P-36: where Ctrl-C is the lock key, it does not end the offer", arguments: [false, true])
    func lockKey(isPlain: Bool) async throws {
        let host = try await GuardedHost(
            "echo in\"\"side; cat",
            isPlain: isPlain,
            lockKey: try #require(LockKey("ctrl-c"))
        )
        try await host.person.wait(for: "Create a passcode")
        if isPlain { try await host.waitForLine() }
        host.person.type("\u{3}" + (isPlain ? "later\r" : "\t\r"))
        try await host.person.wait(for: "inside")
        host.run.end()
        #expect(try await host.end() == GuardEnding(status: 128 + SIGHUP))
    }
}
