#if os(Linux)
import Foundation
import Glibc
import TerminalEmulator
import Testing

@testable import portcullis

/// Hidden prompts on a pseudo-terminal. Serialized: each run has a terminal and threads of its own.
@Suite("hidden prompts (P-4, P-8, P-34)", .serialized)
struct PromptTests {
    private func prompt(isJob: Bool = false) async throws -> GuardedRun {
        let run = try GuardedRun(["passcode", "verify"], isJob: isJob)
        try await hidden(run, prompts: 1)
        return run
    }

    /// Waits until the prompt was shown so many times and hides what is typed.
    private func hidden(_ run: GuardedRun, prompts: Int) async throws {
        try await run.wait("the prompt") { screen in
            screen.text.components(separatedBy: "Passcode:").count == prompts + 1
                && run.attributes != run.firstAttributes
        }
    }

    @Test(
        "P-4: a signal that ends a prompt leaves the terminal as it was, and ends the tool as it would have",
        arguments: [SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGALRM, SIGXCPU]
    )
    func ended(signal: Int32) async throws {
        let run = try await prompt()
        run.type("8349")
        run.send(signal)
        #expect(try await run.waitForExit() == 128 + signal)
        #expect(run.attributes == run.firstAttributes)
        #expect(!run.raw.contains("8349"))
    }

    @Test("P-4: Ctrl-C ends it with 130, and the terminal is as it was", arguments: [true, false])
    func interrupted(byKey: Bool) async throws {
        let run = try await prompt()
        if byKey { run.type("\u{3}") } else { run.send(SIGINT) }
        #expect(try await run.waitForEnd() == 130)
        #expect(run.attributes == run.firstAttributes)
        #expect(run.screen.text.contains("interrupted"))
    }

    @Test(
        "P-4: suspended, the terminal is as it was; resumed, it asks anew and hides again",
        arguments: [true, false]
    )
    func suspended(byKey: Bool) async throws {
        let run = try await prompt(isJob: true)
        run.type("8349")
        if byKey { run.type("\u{1A}") } else { run.send(SIGTSTP) }
        try await run.waitUntilStopped()
        #expect(run.attributes == run.firstAttributes)
        run.resume()
        try await hidden(run, prompts: 2)
        run.type("12\r")
        #expect(try await run.waitForEnd() == 1, "no passcode is set, whatever was typed before")
        #expect(run.attributes == run.firstAttributes)
        #expect(!run.raw.contains("8349"))
        #expect(run.screen.text.contains("No passcode is set."))
    }

    @Test("P-4: where no shell can continue it, Ctrl-Z does not stop it", arguments: [true, false])
    func orphaned(byKey: Bool) async throws {
        let run = try await prompt()
        if byKey { run.type("\u{1A}") } else { run.send(SIGTSTP) }
        try await hidden(run, prompts: 2)
        #expect(!run.isStopped)
        run.type("12\r")
        #expect(try await run.waitForEnd() == 1)
    }

    @Test("P-4: stopped in a way that no program notices, it hides again when it goes on")
    func stopped() async throws {
        let run = try await prompt()
        run.send(SIGSTOP)
        try await run.waitUntilStopped()
        run.restoreAttributes()
        #expect(run.attributes == run.firstAttributes)
        run.send(SIGCONT)
        try await run.wait("the echo to go") { _ in run.attributes != run.firstAttributes }
        run.type("834912\r")
        #expect(try await run.waitForEnd() == 1)
        #expect(run.attributes == run.firstAttributes)
    }

    @Test("P-4: in the background it stops, leaves the terminal to the shell, and asks when it is in front")
    func background() async throws {
        let words = ["-c", GuardedRun.inBackground, Tool.executable.path, "passcode", "verify"]
        let run = try GuardedRun(words, executable: "/bin/sh")
        _ = try await run.stoppedJob()
        #expect(!run.raw.contains("Passcode:"))
        #expect(run.attributes == run.firstAttributes)
        run.type("834912")
        try run.bringToFront()
        try await hidden(run, prompts: 1)
        run.type("12\r")
        #expect(try await run.waitForEnd() == 1)
        #expect(run.attributes == run.firstAttributes)
        #expect(run.screen.text.contains("No passcode is set."))
    }

    @Test("P-4: in the background no stop of its own outlasts a process that continues its job")
    func continuedByWrapper() async throws {
        // As `sudo` does, but without a shell that would put the job in front.
        let wrapper = #"""
            exec 3<&0; trap 'kill -CONT 0; echo continued' TTIN; "$0" "$@" <&3 & tool=$!
            status=200; while [ $status -gt 128 ]; do wait $tool; status=$?; done; exit $status
            """#
        let words = ["-c", GuardedRun.inBackground, "/bin/sh", "-c", wrapper, Tool.executable.path]
        let run = try GuardedRun(words + ["passcode", "verify"], executable: "/bin/sh")
        try await run.wait("many stops") { _ in
            run.raw.components(separatedBy: "continued").count > 12
        }
        try run.bringToFront()
        try await hidden(run, prompts: 1)
        run.type("12\r")
        #expect(try await run.waitForEnd() == 1)
        #expect(run.attributes == run.firstAttributes)
    }

    @Test(
        "P-4: in the background of a shell that has gone it asks nothing, and leaves the terminal alone",
        arguments: [[], ["timeout", "--foreground", "1000"]]
    )
    func orphanedInBackground(through program: [String]) async throws {
        // The inner shell ends at once, and leaves its job to the outer one's terminal.
        let inner = #"set -m; "$0" "$@" & echo "job $!"; exit 0"#
        let outer = "set -m; sh -c '\(inner)' \"$0\" \"$@\"; read -r line; exit 3"
        let run = try GuardedRun(
            ["-c", outer] + program + [Tool.executable.path, "passcode", "verify"],
            executable: "/bin/sh"
        )
        try await run.wait("the job") { _ in run.raw.contains(/job \d+\s/) }
        let job = try #require(run.raw.firstMatch(of: /job (\d+)\s/).flatMap { pid_t($0.output.1) })
        try await run.wait("its end") { _ in ["Z", "X", nil].contains(GuardedRun.state(of: job)) }
        #expect(!run.raw.contains("Passcode:"))
        #expect(run.attributes == run.firstAttributes)
        run.type("\n")
        #expect(try await run.waitForEnd() == 3)
    }

    // MARK: What is typed

    @Test("K-1: a line that is too long is refused once it is ended, and nothing is stored")
    func tooLong() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let set = ["secret", "set", "token", "--accessibility", "afterFirstUnlock"]
        let long = try run(tool, set)
        try await hides(long)
        long.type(String(repeating: "x", count: 2000) + "\r")
        #expect(try await long.waitForEnd() == 2)
        #expect(long.screen.text.contains("the line is too long"))
        #expect(try await tool.run("secret", "get", "token").status != 0)

        let value = String(repeating: "x", count: 1024)
        let full = try run(tool, set)
        try await hides(full)
        full.type(value + "1é\u{7F}\u{7F}\r")
        #expect(try await full.waitForEnd() == 0)
        #expect(try await tool.run("secret", "get", "token").text == value)
    }

    @Test("K-1: the key Esc by itself is no part of a value, and what follows it is")
    func escape() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let run = try run(tool, ["secret", "set", "token", "--accessibility", "afterFirstUnlock"])
        try await hides(run)
        run.type("ab\u{1B}")
        // Longer than the rest of a key's sequence is waited for.
        try await Task.sleep(for: .milliseconds(500))
        run.type("[c\r")
        #expect(try await run.waitForEnd() == 0)
        #expect(try await tool.run("secret", "get", "token").text == "ab[c")
    }

    /// Waits until what is typed for a value is hidden.
    private func hides(_ run: GuardedRun) async throws {
        try await run.wait("the prompt") {
            $0.text.contains("Value:") && run.attributes != run.firstAttributes
        }
    }

    // MARK: What is asked, and in which order

    /// The arguments that open the home's store from another one.
    private func run(_ tool: Tool, _ words: String...) throws -> GuardedRun { try run(tool, words) }

    private func run(_ tool: Tool, _ words: [String]) throws -> GuardedRun {
        try GuardedRun(words + ["--store", tool.store.path, "--key-file", tool.keyFile.path])
    }

    @Test("P-34: change says that the current one is wrong before it asks for the new one")
    func change() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        #expect(try await tool.run("passcode", "set", input: "834912\n").status == 0)
        let wrong = try run(tool, "passcode", "change")
        try await wrong.waitForText("Current passcode:")
        wrong.type("270954\r")
        #expect(try await wrong.waitForEnd() == 1)
        #expect(wrong.screen.text.contains("Incorrect passcode."))
        #expect(!wrong.raw.contains("New passcode"))
        #expect(try await tool.run("passcode", "status", "--json").json["failures"] as? Int == 1)

        let right = try run(tool, "passcode", "change")
        try await right.waitForText("Current passcode:")
        right.type("834912\r")
        try await right.waitForText("New passcode:")
        right.type("619283\r")
        try await right.waitForText("New passcode again:")
        right.type("619283\r")
        #expect(try await right.waitForEnd() == 0)
        #expect(try await tool.run("passcode", "verify", input: "619283\n").status == 0)
    }

    @Test(
        "P-34: nothing is asked for where there is no passcode to change, one to set already, or a delay to serve"
    )
    func nothingToAsk() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let none = try run(tool, "passcode", "change")
        #expect(try await none.waitForEnd() == 1)
        #expect(none.screen.text.contains("No passcode is set.") && !none.raw.contains(":"))
        #expect(!FileManager.default.fileExists(atPath: tool.store.path))

        #expect(try await tool.run("passcode", "set", input: "834912\n").status == 0)
        let second = try run(tool, "passcode", "set")
        #expect(try await second.waitForEnd() == 2)
        #expect(second.screen.text.contains("set already") && !second.raw.contains("New passcode"))

        for _ in 0..<5 { _ = try await tool.run("passcode", "verify", input: "270954\n") }
        let late = try run(tool, "passcode", "change")
        #expect(try await late.waitForEnd() == 5)
        #expect(late.screen.text.contains("Try again in") && !late.raw.contains("Current"))
    }

    @Test("P-8: an easily guessed passcode is pointed out before it is set, and another can be chosen")
    func weak() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let other = try run(tool, "passcode", "set")
        try await other.waitForText("New passcode:")
        other.type("123456\r")
        try await other.waitForText("easily guessed")
        try await other.waitForText("choose another:")
        #expect(!FileManager.default.fileExists(atPath: tool.store.path), "nothing is set yet")
        other.type("\r")
        try await other.wait("the question again") {
            $0.text.components(separatedBy: "New passcode:").count == 3
        }
        other.type("834912\r")
        try await other.waitForText("New passcode again:")
        other.type("834912\r")
        #expect(try await other.waitForEnd() == 0)
        #expect(try await tool.run("passcode", "verify", input: "834912\n").status == 0)

        let anyway = try run(tool, "passcode", "change")
        try await anyway.waitForText("Current passcode:")
        anyway.type("834912\r")
        try await anyway.waitForText("New passcode:")
        anyway.type("111111\r")
        try await anyway.waitForText("choose another:")
        anyway.type("yes\r")
        try await anyway.waitForText("New passcode again:")
        anyway.type("111111\r")
        #expect(try await anyway.waitForEnd() == 0)
        #expect(try await tool.run("passcode", "verify", input: "111111\n").status == 0)
    }

    @Test("P-34: two that differ are asked for anew, and so is one of the wrong format before it is repeated")
    func asksAnew() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let run = try run(tool, "passcode", "set")
        for (wrong, fault) in [("1234", "at least 6"), ("abcdef", "only digits"), ("", "at least 6")] {
            let count = run.raw.components(separatedBy: fault).count
            try await run.wait("the prompt") { _ in run.raw.hasSuffix("New passcode: ") }
            run.type(wrong + "\r")
            try await run.wait("what is wrong") { _ in run.raw.components(separatedBy: fault).count > count }
        }
        #expect(!run.raw.contains("again"))
        for (first, second) in [("834912", "834913"), ("619283", "619283")] {
            try await run.wait("the prompt") { _ in run.raw.hasSuffix("New passcode: ") }
            run.type(first + "\r")
            try await run.wait("the second") { _ in run.raw.hasSuffix("New passcode again: ") }
            #expect(run.attributes != run.firstAttributes)
            run.type(second + "\r")
        }
        #expect(try await run.waitForEnd() == 0)
        #expect(run.raw.contains("Passcodes don't match. Try again."))
        #expect(try await tool.run("passcode", "verify", input: "619283\n").status == 0)
    }

    // MARK: Output

    @Test("K-1: get ends with a line's end on a terminal, and only there and only once")
    func get() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for (name, value, shown) in [("a", "value", "value\r\n"), ("b", "line\n", "line\r\n"), ("c", "", "")]
        {
            let set = ["secret", "set", name, "--accessibility", "afterFirstUnlock", "--allow-empty"]
            #expect(try await tool.run(set, input: Data(value.utf8)).status == 0)
            #expect(try await tool.run("secret", "get", name).text == value)
            let terminal = try run(tool, "secret", "get", name)
            #expect(try await terminal.waitForEnd() == 0)
            #expect(terminal.raw == shown)
        }
    }

    @Test(
        "K-1: a message wider than the terminal is broken between words, a path never; elsewhere it is one line"
    )
    func wrapped() {
        let text = "portcullis: /a/rather/long/path/of/a/store: the store is damaged\n  1 2  3 4 5 6 7 8 9 0"
        #expect(
            StandardError.lines(of: text, width: 16) == [
                "portcullis:", "/a/rather/long/path/of/a/store:", "the store is", "damaged",
                "  1 2  3 4 5 6 7 8 9 0",
            ]
        )
        #expect(StandardError.lines(of: text, width: nil).joined(separator: "\n") == text)
        #expect(StandardError.lines(of: "a\u{1B}[2J\u{202E}", width: nil) == ["a\u{FFFD}[2J\u{FFFD}"])
    }
}
#endif
