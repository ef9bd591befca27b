import Foundation
import Glibc
import PortcullisTesting
import TerminalEmulator
import Testing

/// `guard` between pipes: what goes in, what comes out, and its end.
@Suite("guard in pipes (P-24, P-36)", .serialized)
struct GuardPipeTests {
    private let passcode = "835291"

    /// A home with a passcode.
    private func home() async throws -> Tool {
        let tool = try Tool()
        try await tool.run("passcode", "set", input: passcode + "\n")
        return tool
    }

    @Test("guard: a reader that is slow at the end gets all that the program has written")
    func slowReader() async throws {
        let tool = try await home()
        defer { tool.remove() }
        // More than the pipe holds, and little enough for the program to end before it is read.
        let want = String(repeating: "0123456789abcde\n", count: 4_555)
        try Data(want.utf8).write(to: tool.home.appending(path: "want"))
        let run = try await tool.run(
            shell: "{ \"$0\" guard -- cat \"$HOME/want\"; echo $? >&2; } | (sleep 4; cat)"
        )
        #expect(run.output.count == want.utf8.count && run.text == want)
        #expect(run.errors.hasSuffix("0\n"))
    }

    @Test("guard: a signal ends it while it waits for a reader", arguments: [SIGTERM, SIGHUP, SIGINT])
    func signalled(signal: Int32) async throws {
        let tool = try await home()
        defer { tool.remove() }
        let (process, input, output, _) = tool.process([
            "guard", "--", "sh", "-c", "head -c 70000 /dev/zero; touch \"$HOME/over\"",
        ])
        try process.run()
        let over = tool.home.appending(path: "over").path
        try await BoundedWait.untilProcess("the program's end") {
            FileManager.default.fileExists(atPath: over)
        }
        // Longer than a terminal is waited for that takes nothing.
        try await Task.sleep(for: .seconds(3))
        try #require(process.isRunning)
        kill(process.processIdentifier, signal)
        try await BoundedWait.untilProcess("the end") { !process.isRunning }
        #expect(process.terminationReason == .exit && process.terminationStatus == 128 + signal)
        for end in [input.fileHandleForWriting, output.fileHandleForReading] { try end.close() }
    }

    @Test(
        "guard: that the last output cannot be written is told",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full")
    )
    func fullAtEnd() async throws {
        let tool = try await home()
        defer { tool.remove() }
        for _ in 1...3 {
            let run = try await tool.run(shell: "exec \"$0\" guard -- echo hi >/dev/full")
            #expect(run.status == 125)
            #expect(run.errors.contains("what the program wrote cannot be written: No space left on device"))
        }
    }

    @Test("guard: where the reader has gone before the last output it ends as the program would")
    func readerGoneAtEnd() async throws {
        let tool = try await home()
        defer { tool.remove() }
        let run = try await tool.run(
            shell: "{ \"$0\" guard -- sh -c 'sleep 1; echo hi'; echo $? >&2; } | true"
        )
        #expect(run.errors.hasSuffix("\(128 + SIGPIPE)\n"))
    }

    @Test(
        "P-24: what a program with piped input has shown on a terminal is gone when it locks",
        arguments: ["xterm-256color", "dumb"]
    )
    func pipedInput(terminal: String) async throws {
        let first = try GuardedRun(["guard", "--", "true"])
        try await first.choosePasscode(passcode)
        #expect(try await first.waitForEnd() == 0)
        let run = try GuardedRun(
            [
                "-c",
                "(sleep 1000) | \"$0\" guard --idle 3s -- sh -c 'echo priv\"\"ate; sleep 1000'",
                Tool.executable.path,
            ],
            executable: "/bin/sh",
            home: first.home,
            variables: ["TERM=\(terminal)"]
        )
        try await run.waitForText("private")
        try await run.waitForText("Enter Passcode")
        #expect(!run.screen.text.contains("private"))
        #expect(run.screen.text.contains("scroll"), "it says what became of it")
        #expect(!run.screen.text.contains("press Return"), "nothing is typed there")
        #expect(run.screen.text.contains("Lines after Ctrl-] in the piped input are answers."))
        if terminal == "dumb" { #expect(!run.raw.contains("\u{1B}")) }
        run.type("\u{3}")
        #expect(try await run.waitForEnd() == 128 + SIGINT)
    }

    @Test(
        "P-24: before a pipe, the end-of-file key ends one read, and the lock key locks also where it sends a signal"
    )
    func keysOfTerminal() async throws {
        let program = "cat >/dev/null; echo over; read x; echo got $x"
        let run = try GuardedRun(
            ["-c", "\"$0\" guard --lock-key 'ctrl-\\' -- sh -c '\(program)' | cat", Tool.executable.path],
            executable: "/bin/sh"
        )
        try await run.waitForText("Create a passcode")
        run.type(passcode + "\n")
        try await run.waitForText("Confirm passcode")
        run.type(passcode + "\n")
        try await run.wait("the echo") { _ in run.attributes == run.firstAttributes }
        run.type("line\n\u{4}")
        try await run.waitForText("over")
        run.type("\u{1C}")
        try await run.waitForText("Enter Passcode")
        run.type("\u{4}\(passcode)\n")
        try await run.wait("the echo") { _ in run.attributes == run.firstAttributes }
        run.type("end\n")
        try await run.waitForText("got end")
        #expect(try await run.waitForEnd() == 0, "the pipe's last")
        #expect(!run.raw.contains(passcode))
    }

    @Test("guard: of what is piped in nothing is lost when it was stopped for the timeout")
    func stopped() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let (process, input, output, _) = tool.process(["guard", "--timeout", "3s", "--", "wc", "-c"])
        try process.run()
        let part = Data(repeating: UInt8(ascii: "a"), count: 200_000)
        try input.fileHandleForWriting.write(contentsOf: part)
        kill(process.processIdentifier, SIGSTOP)
        let writer = Thread {
            for _ in 1...7 { try? input.fileHandleForWriting.write(contentsOf: part) }
            try? input.fileHandleForWriting.close()
        }
        writer.start()
        // The clock of another process cannot be moved.
        try await Task.sleep(for: .seconds(5))
        kill(process.processIdentifier, SIGCONT)
        try await BoundedWait.untilProcess("the end") { !process.isRunning }
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text.trimmingCharacters(in: .whitespacesAndNewlines) == "1600000")
        #expect(process.terminationStatus == 0)
    }

    @Test("P-36: without a passcode all that is piped in is the program's, and a hint tells how to set one")
    func withoutPasscode() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        // The first line is an answer to the offer, and the second one could be a passcode.
        let data = "later\n835291\n3\n4\nno end"
        for _ in 1...2 {
            let run = try await tool.run("guard", "--", "cat", input: data)
            #expect(run.status == 0 && run.text == data)
            let hint = "portcullis guard: no passcode is set; Ctrl-] in the piped input sets one.\n"
            #expect(run.errors.hasSuffix(hint))
        }
        let closed = try await tool.run(shell: "exec \"$0\" guard -- echo out <&-")
        #expect(closed.status == 0 && closed.text == "out\n")
    }

    @Test("P-36: the end of the input during the offer over a running program is the program's end of input")
    func endDuringOffer() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let run = try await tool.run(
            shell: #"printf 'data\n\035' | timeout 60 "$0" guard -- sh -c 'cat; echo over'"#
        )
        #expect(run.status == 0)
        #expect(run.text.contains("data\n") && run.text.hasSuffix("over\n"))
    }

    @Test(
        "P-23: a program that has closed its input is locked all the same, and the lock key brings the answer",
        arguments: [("exit", 129), ("sleep 4; printf '111111\\n\\035835291\\n'", 4)]
    )
    func closedInput(rest: String, status: Int32) async throws {
        let tool = try await home()
        defer { tool.remove() }
        let script = "read x; exec 0<&-; sleep 5; exit 4"
        let run = try await tool.run(
            shell: "(printf 'first\\n'; sleep 1; printf 'second\\n'; \(rest))"
                + " | timeout 60 \"$0\" guard --idle 3s -- sh -c '\(script)'"
        )
        #expect(run.status == status)
        #expect(run.text.contains("Enter Passcode") && !run.text.contains("Incorrect passcode"))
    }

    @Test("P-23: what is piped in after the idle time is no answer, and the program gets all of it")
    func dataOverLock() async throws {
        let tool = try await home()
        defer { tool.remove() }
        let data = #"111111\nforgot\nlogout\n"#
        let run = try await tool.run(
            shell: "(printf 'first\\n'; sleep 5; printf '\(data)\\035835291\\nlast\\n')"
                + " | timeout 60 \"$0\" guard --idle 3s -- sh -c 'cat >\"$HOME/copy\"' && cat \"$HOME/copy\""
        )
        #expect(run.status == 0)
        #expect(run.text.contains("Enter Passcode") && !run.text.contains("Incorrect passcode"))
        #expect(run.text.hasSuffix("first\n111111\nforgot\nlogout\nlast\n"))
    }
}
