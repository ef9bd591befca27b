import Foundation
import Glibc
import PortcullisTesting
import Testing

@testable import portcullis

/// Starting `guard` where something is missing.
@Suite("guard starts (P-36)", .serialized)
struct GuardStartTests {
    @Test("guard: with few descriptors it says why it cannot start, and is ended by no signal")
    func fewDescriptors() async throws {
        let home = try Tool()
        defer { home.remove() }
        try await home.run("secret", "list")
        var refusals = 0
        // With fewer Swift's own runtime does not start.
        for limit in 8...24 {
            let run = try await home.run(shell: "ulimit -n \(limit) && exec \"$0\" guard true")
            // More than 128 would be a signal.
            #expect(run.status <= 128, "\(limit) descriptors: \(run.errors)")
            if run.status == 125 {
                refusals += 1
                let isSaid = run.errors.hasPrefix("portcullis") && run.errors.count > 30
                #expect(isSaid, "\(limit) descriptors: \(run.errors)")
            }
        }
        #expect(refusals > 0)
    }

    @Test("P-36: locked and without anyone to answer it does not start the program, and says so")
    func unanswered() async throws {
        let run = try GuardedRun(["guard", "--", "cat"])
        try await run.setPasscode("835291")
        try await run.lock()
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
        var tool = try Tool()
        defer { tool.remove() }
        tool.variables = ["XDG_DATA_HOME": run.home.path, "XDG_CONFIG_HOME": run.home.path]
        let outcome = try await tool.run("guard", "--", "echo", "RAN")
        #expect(outcome.status == 125)
        #expect(!outcome.text.contains("RAN") && outcome.errors.contains("the program was not started"))
    }

    @Test("P-24: what goes into a file is the program's output to the byte, in GNU screen too")
    func file() async throws {
        var tool = try Tool()
        defer { tool.remove() }
        tool.variables = ["STY": "1.pts", "TERM": "screen-256color"]
        try await tool.run("passcode", "set", input: "835291\n")
        let output = "ab\u{1B}^message\u{1B}\\cd\u{1B}!without an end" + String(repeating: "x", count: 1500)
        let source = tool.home.appending(path: "source")
        try Data(output.utf8).write(to: source)
        let outcome = try await tool.run("guard", "cat", source.path(percentEncoded: false))
        #expect(outcome.status == 0)
        #expect(outcome.text == output)
    }

    @Test(
        "guard: what is piped in reaches the program to the byte, with its end, however late it is read",
        arguments: ["cat", "sleep 0.3; cat", "cat; cat", "dd bs=1 count=5 2>/dev/null; cat"]
    )
    func piped(program: String) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        // More than a pipe holds and a pump keeps, with keys that mean something at a terminal, and no end of a line.
        let input = String(repeating: "ab\u{1B}[Ic\u{4}\u{3}d\u{1A}e\n", count: 200_000) + "no end"
        try await tool.run("passcode", "set", input: "835291\n")
        let copy = tool.home.appending(path: "copy")
        let script = "(\(program)) >\"$1\"; echo over"
        let run = try await tool.run("guard", "--", "sh", "-c", script, "sh", copy.path, input: input)
        #expect(run.status == 0 && run.text == "over\n")
        #expect(try Data(contentsOf: copy) == Data(input.utf8))
    }

    @Test("guard: a program that reads none of what is piped in keeps it from nothing")
    func unread() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("passcode", "set", input: "835291\n")
        let run = try await tool.run(
            shell: "head -c 1000000 /dev/zero | \"$0\" guard -- sh -c 'exec <&-; sleep 0.2; echo over'"
        )
        #expect(run.status == 0 && run.text == "over\n")
    }

    @Test("guard: where the reader of its output has gone it ends as the program would, also within a pipe")
    func readerGone() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("passcode", "set", input: "835291\n")
        let run = try await tool.run(
            shell: "{ \"$0\" guard -- sh -c 'while :; do echo line; done'; echo $? >&2; } | head -n 2"
        )
        #expect(run.text == "line\nline\n")
        #expect(run.errors.hasSuffix("\(128 + SIGPIPE)\n"))
    }

    @Test(
        "guard: a place for its output that is full is an error, and ends it",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full")
    )
    func fullDisk() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let run = try await tool.run(
            shell: "exec \"$0\" guard -- sh -c 'while :; do echo line; done' >/dev/full"
        )
        #expect(run.status == 125)
        #expect(run.errors.contains("what the program wrote cannot be written: No space left on device"))
    }

    @Test("guard: an option that it does not know is not taken for the program")
    func unknownOption() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run("guard", "--tiemout", "5m", "true")
        #expect(outcome.status != 0 && outcome.errors.contains("--tiemout"))
    }

    @Test("guard: the program needs no -- before it, and its arguments are its own")
    func program() async throws {
        let run = try GuardedRun([
            "guard", "--idle", "5m", "sh", "-c", "echo got $*", "sh", "--idle", "-x", "--", "y",
        ])
        try await run.waitForText("Set up later")
        run.type("\t\r")
        #expect(try await run.waitForEnd() == 0)
        #expect(run.raw.contains("got --idle -x -- y"))
        let other = try GuardedRun(
            ["guard", "--", "sh", "-c", "echo got $*", "sh", "--", "y"],
            home: run.home
        )
        #expect(try await other.waitForEnd() == 0)
        #expect(other.raw.contains("got -- y"))
    }
}
