import Foundation
import Glibc
import TerminalEmulator
import Testing

/// Several sessions behind one passcode.
@Suite("two guards (P-24, P-33)", .serialized)
struct TwoGuardsTests {
    private let passcode = "835291"

    @Test(
        "P-33: logging out in another session, which takes no passcode, uncovers nothing in one that is locked"
    )
    func logOutElsewhere() async throws {
        let first = try GuardedRun(["guard", "--", "sh", "-c", "echo priv\"\"ate; cat"])
        try await first.setPasscode(passcode)
        try await first.waitForText("private")
        try await first.lock()
        let second = try GuardedRun(["guard", "--", "cat"], home: first.home)
        try await second.waitForText("Enter Passcode")
        second.type("\t\r")
        try await second.waitForText("The program will not be")
        // Before the other one logs out: once this one has ended, the terminal itself shows what is typed.
        first.type("typed\r")
        second.type("\t\r")
        #expect(try await second.waitForEnd() == 129)
        #expect(try await first.waitForEnd() == 129)
        #expect(!first.screen.text.contains("private") && !first.screen.text.contains("typed"))
        #expect(first.raw.contains("removed from elsewhere"))
    }

    @Test(
        "K-8: a sealed session that is not locked goes on when another is logged out, and takes no other passcode"
    )
    func sealed() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let first = try await home.sealed()
        try await first.lock()
        let second = try GuardedRun(["guard", "--", "cat"], home: home.outside.home)
        try await second.waitForText("Enter Passcode")
        try await first.unlock(SealedHome.passcode)
        second.type("\t\r")
        try await second.waitForText("The program will not be")
        second.type("\t\r")
        #expect(try await second.waitForEnd() == 129)
        // The lock key has nothing to lock with; one that had set a passcode would have lost the session.
        first.type("\u{1D}")
        try await first.wait("an answer") { $0.text.contains("Create a") || first.raw.contains("\u{07}") }
        #expect(!first.screen.text.contains("Create a"))
        first.type("echo still-\"\"here; exit 4\n")
        #expect(try await first.waitForEnd() == 4)
        #expect(first.raw.contains("still-here"))
    }

    @Test(
        "P-24: an unlocked session goes on when the passcode is removed elsewhere, and one unlocks by itself only"
    )
    func unlocked() async throws {
        let first = try GuardedRun(["guard", "--", "sh", "-c", "echo rea\"\"dy; cat"])
        try await first.setPasscode(passcode)
        try await first.waitForText("ready")
        try await first.lock()
        let second = try GuardedRun(["guard", "--", "cat"], home: first.home)
        try await second.waitForText("Enter Passcode")
        try await second.unlock(passcode)
        #expect(first.screen.text.contains("Enter Passcode"), "the other one's passcode was entered there")
        try await first.unlock(passcode)
        try await first.lock()
        try await first.unlock(passcode)
        second.send(SIGTERM)
        _ = try await second.waitForEnd()
        var tool = try Tool()
        defer { tool.remove() }
        tool.variables = ["XDG_DATA_HOME": first.home.path, "XDG_CONFIG_HOME": first.home.path]
        #expect(try await tool.run("passcode", "remove", input: "\(passcode)\n").status == 0)
        first.type("goes on\n")
        try await first.waitForText("goes on")
    }
}
