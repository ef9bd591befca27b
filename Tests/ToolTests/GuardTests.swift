import Foundation
import Glibc
import TerminalEmulator
import Testing

/// `guard` from outside. Serialized: each run has a terminal and threads of its own, and two cores are few.
@Suite("guard (P-24, P-30, P-32)", .serialized)
struct GuardTests {
    let passcode = "835291"

    @Test("P-36: first run offers the set-up; later means later, and the program runs")
    func setUpLater() async throws {
        let run = try GuardedRun(["guard", "--", "sh", "-c", "echo ready; exit 3"])
        try await run.waitForText("Set up later")
        #expect(!run.screen.text.contains("ready"))
        run.type("\t\r")
        #expect(try await run.waitForEnd() == 3)
        #expect(run.screen.text.contains("ready"))
    }

    @Test(
        "P-24: while locked no byte of the program's output reaches the terminal; afterwards all of it does"
    )
    func covers() async throws {
        let run = try GuardedRun([
            "guard", "--", "sh", "-c",
            "echo before; read x; echo one-$x; until [ -e ~/go ]; do sleep 0.05; done; echo secret-output; read y; echo got-$y",
        ])
        try await run.setPasscode(passcode)
        try await run.waitForText("before")
        run.type("go\n")
        try await run.waitForText("one-go")
        try await run.lock()
        try Data().write(to: run.home.appending(path: "go"))
        // Long enough for the program to have printed.
        try await Task.sleep(for: .milliseconds(600))
        #expect(!run.raw.contains("secret-output"))
        #expect(!run.screen.text.contains("before"))
        run.type("1\u{7F}")
        try await run.unlock(passcode)
        try await run.waitForText("secret-output")
        #expect(run.screen.text.contains("before") && run.screen.text.contains("one-go"))
        run.type("end\n")
        try await run.waitForText("got-end")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("P-30: a key of choice locks, and no screen that it does not lock names it", arguments: ["]", "^"])
    func lockKeyHint(key: String) async throws {
        let run = try GuardedRun(["guard", "--lock-key", "ctrl-" + key, "--", "cat"])
        try await run.waitForText("tab moves · return chooses")
        #expect(!run.screen.text.contains("locks"), "there is nothing to lock with yet")
        try await run.setPasscode(passcode)
        let byte = try #require(key.utf8.first)
        run.type(String(UnicodeScalar(byte & 0x1F)))
        try await run.waitForText("Enter Passcode")
        try await run.waitForText("tab moves · return chooses")
        #expect(!run.screen.text.contains("locks"), "it is locked already")
        try await run.unlock(passcode)
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("P-32: a wrong passcode shakes and clears; the digits never reach the program")
    func wrong() async throws {
        let run = try GuardedRun(["guard", "--", "cat"])
        try await run.setPasscode(passcode)
        try await run.lock()
        run.type("111112")
        try await run.waitForText("Incorrect passcode")
        #expect(run.screen.text.contains("○  ○  ○  ○  ○  ○"))
        try await run.unlock(passcode)
        run.type("x\n")
        try await run.wait("the echo") { $0.lines.contains("x") }
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
        #expect(!run.raw.contains("11111") && !run.raw.contains(passcode))
    }

    @Test("P-30: the pad works by mouse, also at 40×12")
    func mouse() async throws {
        let run = try GuardedRun(["guard", "--", "cat"], columns: 40, rows: 12)
        try await run.setPasscode(passcode)
        try await run.lock()
        let lines = run.screen.lines
        #expect(
            lines.map { $0.trimmingPrefix { $0 == " " } }.filter { !$0.isEmpty } == [
                "⛨ Enter Passcode", "○  ○  ○  ○  ○  ○", "1       2       3", "4       5       6",
                "7       8       9",
                "0       ⌫", "Forgot Passcode?", "tab moves · return chooses",
            ]
        )
        for digit in passcode {
            let y = try #require(lines.lastIndex { $0.contains(digit) })
            let x = try #require(lines[y].firstIndex(of: digit))
            run.click(x: lines[y].distance(from: lines[y].startIndex, to: x), y: y)
        }
        try await run.wait("the end of the lock screen") { !$0.text.contains("Enter Passcode") }
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("P-33: forgot and logout ends the program and leaves nothing to see")
    func logOut() async throws {
        let run = try GuardedRun([
            "guard", "--", "sh", "-c", "trap 'exit 3' HUP; echo private; sleep 100 & wait",
        ])
        try await run.setPasscode(passcode)
        try await run.waitForText("private")
        try await run.lock()
        run.type("\t\r")
        try await run.waitForText("This ends the program")
        run.type("\u{1B}")
        try await run.wait("the alert to go") { !$0.text.contains("This ends") }
        run.type("\t\r")
        try await run.waitForText("This ends the program")
        run.type("\t\r")
        #expect(try await run.waitForEnd() == 129)
        #expect(!run.screen.text.contains("private"))
        let status = try GuardedRun(["passcode", "status", "--json"], home: run.home)
        #expect(try await status.waitForEnd() == 0)
        #expect(status.raw.contains("\"set\":false"), "the passcode is gone, too")
    }

    @Test("guard: Alt with a key that begins a terminal's reply stops neither the lock key nor the pad")
    func altKeys() async throws {
        let run = try GuardedRun(["guard", "--", "cat"])
        try await run.setPasscode(passcode)
        for key in "]^_PX" {
            run.type("\u{1B}\(key)")
            try await run.lock()
            run.type("\u{1B}\(key)")
            // Until it is certain that no reply comes.
            try await Task.sleep(for: .milliseconds(800))
            try await run.unlock(passcode)
        }
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test("guard: a program that ends behind the set-up screen leaves its last output and its status")
    func endsBehindSetUp() async throws {
        let run = try GuardedRun([
            "guard", "--", "sh", "-c",
            "echo ready; while [ ! -e \"$HOME/go\" ]; do sleep 0.05; done; echo last words; exit 7",
        ])
        try await run.waitForText("Set up later")
        run.type("\t\r")
        try await run.waitForText("ready")
        run.type("\u{1D}")
        try await run.waitForText("Create a passcode")
        try Data().write(to: run.home.appending(path: "go"))
        #expect(try await run.waitForEnd() == 7)
        #expect(run.screen.text.contains("last words"))
    }

    @Test("P-5: with a record that cannot be read the lock key locks, and the screen says why")
    func unreadable() async throws {
        let run = try GuardedRun(["guard", "--", "cat"])
        try await run.setPasscode(passcode)
        let store = run.home.appending(path: "portcullis/default.keystore")
        try Data("damaged".utf8).write(to: store)
        run.type("\u{1D}")
        try await run.waitForText("Enter Passcode")
        try await run.wait("the reason") { $0.text.contains("The storage of the passcode is damaged.") }
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test("P-23: locks when idle")
    func idle() async throws {
        let run = try GuardedRun(["guard", "--idle", "500ms", "--", "sh", "-c", "echo open; sleep 100"])
        try await run.choosePasscode(passcode)
        try await run.waitForText("Enter Passcode")
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test("P-20: locks when the terminal loses the focus for the timeout, not before")
    func focus() async throws {
        let run = try GuardedRun(["guard", "--timeout", "300ms", "--", "cat"])
        try await run.setPasscode(passcode)
        #expect(run.screen.modes.contains(1004))
        run.type("\u{1B}[O\u{1B}[I")
        run.type("still\n")
        try await run.waitForText("still")
        #expect(!run.raw.contains("^[[I"), "the program did not ask for focus reports")
        run.type("\u{1B}[O")
        try await run.waitForText("Enter Passcode")
        run.type("\u{1B}[I")
        try await run.unlock(passcode)
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("P-20: what a program makes the terminal answer ends no absence that lost focus began")
    func answersAreNoPresence() async throws {
        let run = try GuardedRun(["guard", "--timeout", "1s", "--", "cat"])
        try await run.setPasscode(passcode)
        // The identification of a VT52, and an answerback, which are keys to all appearance.
        run.type("\u{1B}[O\u{1B}/ZPuTTY\n")
        try await run.waitForText("Enter Passcode")
        run.type("\u{1B}[I")
        try await run.unlock(passcode)
        run.type("still\n")
        try await run.waitForText("still")
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("P-20: a terminal that reports in eight bits locks, by the key and when it loses the focus")
    func eightBits() async throws {
        for lock in ["\u{9B}27;5;93~", "\u{9B}O"] {
            let run = try GuardedRun(["guard", "--timeout", "0s", "--", "cat"])
            try await run.setPasscode(passcode)
            run.type(lock)
            try await run.waitForText("Enter Passcode")
            run.send(SIGTERM)
            #expect(try await run.waitForEnd() == 143)
        }
    }

    @Test("guard: exit statuses: the program's, 128 + signal, 125 for what cannot be run")
    func statuses() async throws {
        for (command, expected) in [
            (["sh", "-c", "exit 42"], 42), (["sh", "-c", "kill -TERM $$"], 143),
            (["/nonexistent/program"], 125),
        ] as [([String], Int32)] {
            let run = try GuardedRun(["guard", "--"] + command)
            try await run.waitForText("Set up later")
            run.type("\t\r")
            #expect(try await run.waitForEnd() == expected)
        }
    }

    @Test("P-20: stopped and continued: the terminal is as before meanwhile, and the absence locks")
    func stopped() async throws {
        let run = try GuardedRun(
            ["guard", "--timeout", "0s", "--", "sh", "-c", "echo ready; cat"],
            isJob: true
        )
        try await run.setPasscode(passcode)
        try await run.waitForText("ready")
        run.send(SIGTSTP)
        try await run.wait("the terminal's old attributes") { _ in run.attributes == run.firstAttributes }
        try await run.wait("the terminal's own modes") { $0.modes == TerminalEmulator.modesAtFirst }
        // Continued before it has stopped, it would stop for good.
        try await run.wait("the stop") { _ in run.isStopped }
        run.resume()
        try await run.waitForText("Enter Passcode")
        #expect(run.attributes != run.firstAttributes)
        try await run.unlockUnderNoTimeout(passcode)
        try await run.waitForText("ready")
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("P-20: where no shell can continue it, a stop locks like an absence and stops nothing")
    func orphaned() async throws {
        let run = try GuardedRun(["guard", "--timeout", "0s", "--", "sh", "-c", "echo ready; cat"])
        try await run.setPasscode(passcode)
        try await run.waitForText("ready")
        run.send(SIGTSTP)
        try await run.waitForText("Enter Passcode")
        #expect(!run.isStopped)
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test("P-22: a run that was killed while locked is locked when it starts again, and its program waits")
    func killedWhileLocked() async throws {
        let first = try GuardedRun(["guard", "--", "cat"])
        try await first.setPasscode(passcode)
        let store = first.home.appending(path: "portcullis/default.keystore").path(percentEncoded: false)
        func written() throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: store)[.modificationDate] as? Date
        }
        let before = try written()
        try await first.lock()
        // The screen is shown before the mark of the lock is written.
        try await first.wait("the mark of the lock") { _ in (try? written()) != before }
        first.send(SIGKILL)
        #expect(try await first.waitForEnd() == 137)
        let second = try GuardedRun(["guard", "--", "sh", "-c", "echo running"], home: first.home)
        try await second.waitForText("Enter Passcode")
        #expect(!second.raw.contains("running"))
        second.type(passcode)
        #expect(try await second.waitForEnd() == 0)
        #expect(second.raw.contains("running"))
    }
}
