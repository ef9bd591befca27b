import Foundation
import Glibc
import TerminalEmulator
import Testing

/// What becomes of what goes on while the process is stopped, which is an absence.
extension GuardTests {
    @Test("P-20: what was typed while the process was stopped for the timeout is not for the program")
    func typedWhileStopped() async throws {
        let run = try GuardedRun(["guard", "--timeout", "1s", "--", "cat"])
        try await run.setPasscode(passcode)
        run.type("before\n")
        try await run.waitForText("before")
        run.send(SIGSTOP)
        try await run.waitUntilStopped()
        run.type("meanwhile\n")
        // More than is taken for a slow machine.
        try await Task.sleep(for: .milliseconds(3500))
        run.send(SIGCONT)
        try await run.waitForText("Enter Passcode")
        try await run.unlock(passcode)
        run.type("after\n")
        try await run.waitForText("after")
        #expect(!run.raw.contains("meanwhile"))
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test(
        "P-20: an absence after which the lock is due in sum is one: what came meanwhile is not let through",
        arguments: [["--idle", "5s", "--timeout", "never"], ["--timeout", "6s"]]
    )
    func dueInSum(options: [String]) async throws {
        let script = #"echo up; (until [ -e ~/go ]; do sleep 0.05; done; echo LATE) & exec cat"#
        let run = try GuardedRun(["guard"] + options + ["--", "sh", "-c", script])
        try await run.setPasscode(passcode)
        try await run.waitForText("up")
        let isUnfocused = options.count == 2
        if isUnfocused {
            run.type("\u{1B}[O")
            try await Task.sleep(for: .milliseconds(2500))
        }
        run.send(SIGSTOP)
        try await run.waitUntilStopped()
        try Data().write(to: run.home.appending(path: "go"))
        // Each stop is more than is taken for a slow machine, and less than the timeout.
        try await Task.sleep(for: .milliseconds(isUnfocused ? 4500 : 6000))
        run.type((isUnfocused ? "\u{1B}[I" : "") + "meanwhile\n")
        run.send(SIGCONT)
        try await run.waitForText("Enter Passcode")
        #expect(!run.raw.contains("LATE"))
        try await run.unlock(passcode)
        run.type("after\n")
        try await run.waitForText("after")
        #expect(run.screen.text.contains("LATE"))
        #expect(!run.raw.contains("meanwhile"))
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }

    /// Prints and ends once it is told to, without its terminal.
    private static let lastWords =
        "echo before; until [ -e ~/go ]; do sleep 0.05; done; echo secret-output; exit 3"

    /// A run that locks after a second, stopped while its program prints and ends.
    private func endedWhileStopped() async throws -> GuardedRun {
        let run = try GuardedRun(["guard", "--timeout", "1s", "--", "sh", "-c", Self.lastWords])
        try await run.setPasscode(passcode)
        try await run.waitForText("before")
        run.send(SIGSTOP)
        try await run.waitUntilStopped()
        try Data().write(to: run.home.appending(path: "go"))
        // More than is taken for a slow machine.
        try await Task.sleep(for: .milliseconds(3500))
        return run
    }

    @Test("P-20: what a program wrote before it ended during an absence is shown behind the passcode only")
    func endedInAbsence() async throws {
        let run = try await endedWhileStopped()
        run.send(SIGCONT)
        try await run.wait("the lock screen, or the output") {
            $0.text.contains("Enter Passcode") || $0.text.contains("secret-output")
        }
        try #require(!run.raw.contains("secret-output"))
        #expect(!run.screen.text.contains("before"))
        run.type(passcode)
        #expect(try await run.waitForEnd() == 3)
        #expect(run.screen.text.contains("before\nsecret-output"))
    }

    @Test("P-20: a signal that ends it after an absence shows nothing of what was written meanwhile")
    func signalledInAbsence() async throws {
        let run = try await endedWhileStopped()
        run.send(SIGTERM)
        run.send(SIGCONT)
        #expect(try await run.waitForEnd() == 128 + SIGTERM)
        #expect(!run.raw.contains("secret-output"))
        #expect(!run.screen.text.contains("before"))
    }

    @Test("P-20: a passcode that was being checked when an absence began does not unlock after it")
    func checkedOverAbsence() async throws {
        let run = try GuardedRun(["guard", "--", "cat"])
        try await run.setPasscode(passcode)
        let full = "●  ●  ●  ●  ●  ●"
        var isRefused = false
        // Again, if the check was faster than the stop: the screen shows the entry until the program is back.
        for _ in 1...8 where !isRefused {
            try await run.wait("the program") { !$0.text.contains("Passcode") }
            try await run.lock()
            run.type(passcode)
            try await run.wait("the whole entry") { $0.text.contains(full) || !$0.text.contains("Passcode") }
            run.send(SIGSTOP)
            try await run.wait("the stop") { _ in run.isStopped }
            // More than is taken for a slow machine.
            if run.screen.text.contains(full) { try await Task.sleep(for: .milliseconds(3500)) }
            run.send(SIGCONT)
            let empty = "○  ○  ○  ○  ○  ○"
            try await run.wait("an empty entry, or the program") {
                $0.text.contains(empty) || !$0.text.contains("Passcode")
            }
            isRefused = run.screen.text.contains(empty)
        }
        #expect(isRefused)
        try await run.unlock(passcode)
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test(
        "P-22: the end of a session counts as leaving it: the next one asks where the timeout has passed",
        arguments: [nil, SIGTERM, SIGHUP]
    )
    func nextSession(signal: Int32?) async throws {
        let run = try GuardedRun([
            "guard", "--timeout", "0s", "--", "sh", "-c", "echo rea\"\"dy; read x; exit 4",
        ])
        try await run.setPasscode(passcode)
        try await run.waitForText("ready")
        if let signal { run.send(signal) } else { run.type("\n") }
        #expect(try await run.waitForEnd() == signal.map { 128 + $0 } ?? 4)
        let next = try GuardedRun(["guard", "--", "sh", "-c", "echo rea\"\"dy; read x"], home: run.home)
        try await next.wait("the lock screen, or the program") {
            $0.text.contains("Enter Passcode") || $0.text.contains("ready")
        }
        try #require(next.screen.text.contains("Enter Passcode"))
        try await next.unlockUnderNoTimeout(passcode)
        try await next.waitForText("ready")
        next.type("\n")
        #expect(try await next.waitForEnd() == 0)
    }
}
