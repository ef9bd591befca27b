import Foundation
import Glibc
import TerminalEmulator
import Testing

/// What becomes of the terminal, and of what goes through it.
extension GuardTests {
    @Test(
        "guard: the terminal is as before after an exit, a signal and a failure",
        arguments: [0, SIGTERM, SIGHUP, SIGINT, SIGUSR1, SIGALRM]
    )
    func restores(signal: Int32) async throws {
        let run = try GuardedRun([
            "guard", "--", "sh", "-c",
            "printf '\\033[?1049h\\033[?1h\\033[?2004h\\033[?1002h\\033[?1006h\\033[?25l\\033[>1u\\033=in'; read x",
        ])
        let before = run.firstAttributes
        try await run.setPasscode(passcode)
        try await run.waitForText("in")
        #expect(run.attributes != before)
        #expect(run.screen.isAlternate)
        if signal == 0 { run.type("\n") } else { run.send(signal) }
        #expect(try await run.waitForEnd() == (signal == 0 ? 0 : 128 + signal))
        #expect(run.attributes == before)
        #expect(run.screen.modes == TerminalEmulator.modesAtFirst)
        #expect(run.screen.keyboardStack.isEmpty && !run.screen.isAlternate)
    }

    @Test("guard: the program's modes are put back after the lock screen, and it draws anew")
    func modes() async throws {
        let run = try GuardedRun([
            // Not a shell: bash forgets a signal that comes while it runs the trap for the one before.
            "guard", "--", "perl", "-e",
            #"""
            $| = 1; $SIG{WINCH} = sub { $changed = 1 };
            sub draw { my $size = `stty size`; chomp $size; print "\e[H\e[2Jpainted $size" }
            print "\e[?1049h\e[?1h\e[?2004h\e[?1002h\e[?1006h\e[?25l\e[>5u"; draw;
            while (1) {
                my $bits = ""; vec($bits, 0, 1) = 1;
                exit 0 if select($bits, undef, undef, 0.05) > 0;
                if ($changed) { $changed = 0; draw }
            }
            """#,
        ])
        try await run.setPasscode(passcode)
        try await run.waitForText("painted 24 80")
        let modes = run.screen.modes
        #expect(modes.contains(1002) && !modes.contains(25))
        try await run.lock()
        #expect(run.screen.modes.contains(1000) && !run.screen.modes.contains(1002))
        #expect(run.screen.keyboardStack.isEmpty)
        #expect(!run.screen.text.contains("painted"))
        try await run.unlock(passcode)
        try await run.waitForText("painted 24 80")
        #expect(run.screen.modes == modes)
        #expect(run.screen.keyboardStack == [5])
        run.resize(columns: 100, rows: 30)
        try await run.waitForText("painted 30 100")
        try await run.lock()
        run.resize(columns: 50, rows: 14)
        try await run.wait("the whole pad") {
            $0.text.contains("Enter Passcode") && $0.text.contains("0       ⌫")
        }
        try await run.unlock(passcode)
        try await run.waitForText("painted 14 50")
        run.type("\n")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("guard: each screen's keyboard protocol is put back once, and undone on both at the end")
    func keyboards() async throws {
        let run = try GuardedRun([
            "guard", "--", "sh", "-c",
            #"printf '\033[>5uone'; read x; printf '\033[?1049h\033[>3utwo'; read x; printf '\033[?1049lthree'; read x"#,
        ])
        try await run.setPasscode(passcode)
        try await run.waitForText("one")
        try await run.lock()
        #expect(run.screen.keyboardStack.isEmpty)
        try await run.unlock(passcode)
        try await run.wait("the keyboard of before") { $0.keyboardStack == [5] }
        run.type("\n")
        try await run.waitForText("two")
        try await run.lock()
        #expect(run.screen.keyboardStack.isEmpty)
        try await run.unlock(passcode)
        try await run.wait("the keyboard of before") { $0.keyboardStack == [3] }
        run.type("\n")
        try await run.waitForText("three")
        #expect(run.screen.keyboardStack == [5])
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
        #expect(run.screen.keyboardStack.isEmpty && !run.screen.isAlternate)
    }

    @Test(
        "P-20: a program that switches focus reports off does not switch guard's off",
        arguments: [
            #"\033[?1004h\033[?1004l"#, #"\033c"#, #"\033[!p"#, #"\033[?10\00104l"#, #"\033[?1000;1004l"#,
            #"\033[?"# + String(repeating: "0", count: 70) + "1004l", #"\033[?1004r"#,
            #"\033P\007\033[?1004l"#,
        ]
    )
    func focusGoesOn(sequence: String) async throws {
        let run = try GuardedRun([
            "guard", "--timeout", "0s", "--", "sh", "-c", "read x; printf '\(sequence)done'; cat",
        ])
        try await run.setPasscode(passcode)
        run.type("\n")
        try await run.waitForText("done")
        try await run.wait("focus reports") { $0.modes.contains(1004) }
        #expect(run.raw.contains("done"))
        run.type("\u{1B}[O")
        try await run.waitForText("Enter Passcode")
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test("guard: the rest of a sequence that the lock screen cut off never appears as text")
    func cutSequence() async throws {
        let run = try GuardedRun([
            "guard", "--", "sh", "-c",
            #"printf '\033]0;'; head -c 20000 /dev/zero | tr '\0' q; touch "$HOME/cut"; read x; "#
                + #"head -c 500000 /dev/zero | tr '\0' q; printf '\007shown'; cat"#,
        ])
        try await run.setPasscode(passcode)
        while !FileManager.default.fileExists(atPath: run.home.appending(path: "cut").path) {
            try await Task.sleep(for: .milliseconds(5))
        }
        try await run.wait("the string's beginning") { _ in run.raw.contains("qqqq") }
        run.type("\n")
        try await run.lock()
        try await run.unlock(passcode)
        try await run.waitForText("shown")
        #expect(!run.screen.text.contains("q"))
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test("guard: ends on a signal also when the terminal takes nothing")
    func stuckTerminal() async throws {
        let run = try GuardedRun(["guard", "--", "sh", "-c", "echo ready; read x; yes"])
        try await run.setPasscode(passcode)
        try await run.waitForText("ready")
        run.stopReading()
        run.type("\n")
        // Until the terminal is full.
        try await Task.sleep(for: .milliseconds(500))
        run.send(SIGTERM)
        #expect(try await run.waitForExit() == 143)
    }

    @Test("guard: job control works inside")
    func jobControl() async throws {
        let run = try GuardedRun(["guard", "--", "bash", "--norc", "-i"])
        try await run.setPasscode(passcode)
        try await run.waitForText("$")
        run.type("sleep 100 && echo not-reached\n")
        try await run.waitForText("sleep 100")
        try await Task.sleep(for: .milliseconds(200))
        run.type("\u{1A}")
        try await run.waitForText("Stopped")
        run.type("jobs -l\n")
        run.type("fg\n")
        try await run.wait("the job in front") { $0.text.components(separatedBy: "sleep 100").count > 4 }
        try await Task.sleep(for: .milliseconds(200))
        run.type("\u{3}")
        run.type("exit 5\n")
        #expect(try await run.waitForEnd() == 5)
        #expect(!run.screen.lines.contains("not-reached"))
    }

    @Test("guard: a terminal's reply at the border is no digit and no input for the program")
    func borders() async throws {
        let run = try GuardedRun(["guard", "--", "cat"])
        try await run.setPasscode(passcode)
        run.type("typed\u{1D}ahead")
        try await run.waitForText("Enter Passcode")
        run.type("\u{1B}[?62;22;1c\u{1B}[12;40R\u{1B}]11;rgb:1111/2222/3333\u{1B}\\")
        #expect(run.screen.text.contains("○  ○  ○  ○  ○  ○"))
        try await run.unlock(passcode + "99")
        run.type("\nend\n")
        try await run.wait("the end") { $0.lines.contains("end") }
        #expect(!run.raw.contains("ahead") && !run.raw.contains("99") && !run.raw.contains("62;22"))
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("guard: more than 1 MiB printed while locked makes the program wait; nothing is lost")
    func keepsOutput() async throws {
        let marker = FileManager.default.temporaryDirectory.appending(path: "marker-\(UUID().uuidString)")
            .path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: marker) }
        let run = try GuardedRun([
            "guard", "--", "sh", "-c",
            "read x; head -c 3000000 /dev/zero | tr '\\0' z; touch \(marker); echo; echo all-done",
        ])
        try await run.setPasscode(passcode)
        run.type("go\n")
        try await run.lock()
        let seen = run.raw.utf8.count { $0 == UInt8(ascii: "z") }
        try await Task.sleep(for: .milliseconds(500))
        #expect(run.raw.utf8.count { $0 == UInt8(ascii: "z") } == seen)
        #expect(!FileManager.default.fileExists(atPath: marker))
        try await run.unlock(passcode)
        try await run.waitForText("all-done")
        #expect(try await run.waitForEnd() == 0)
        #expect(seen < 3_000_000)
        #expect(run.raw.utf8.count { $0 == UInt8(ascii: "z") } == 3_000_000)
    }
}
