import Foundation
import Testing

/// `guard` without a terminal: lines in, lines out.
@Suite("guard --plain (P-32)", .serialized)
struct GuardPlainTests {
    private struct Ended {
        var output: String
        var status: Int32
    }

    /// Runs the tool on pipes; each part of the input is written once the output holds the text before it.
    private func run(
        _ command: [String],
        options: [String] = [],
        _ conversation: [(after: String, say: String)]
    ) async throws -> Ended {
        let home = FileManager.default.temporaryDirectory.appending(path: "plain-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Tool.executable.path)
        process.arguments = ["guard", "--plain"] + options + ["--"] + command
        let folder = home.path(percentEncoded: false)
        process.environment =
            ["PATH": "/usr/bin:/bin", "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder]
            .merging(Tool.ofBuild) { $1 }
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try? output.fileHandleForWriting.close()
        var text = ""
        var position = text.startIndex
        for (after, say) in conversation {
            while !after.isEmpty, !text[position...].contains(after) {
                let offset = text.utf8.distance(from: text.startIndex, to: position)
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else {
                    throw GuardedRun.TimedOut(description: "no '\(after)' in:\n\(text)")
                }
                text += String(decoding: data, as: UTF8.self)
                position = text.utf8.index(text.startIndex, offsetBy: offset)
            }
            position = text.endIndex
            input.fileHandleForWriting.write(Data(say.utf8))
        }
        try input.fileHandleForWriting.close()
        while true {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        process.waitUntilExit()
        return Ended(output: text, status: process.terminationStatus)
    }

    @Test("P-36: set-up, lock, wrong and right passcode by lines; the passcode is never printed")
    func conversation() async throws {
        let ended = try await run(
            ["sh", "-c", "echo ready; read x; echo got $x; exit 4"],
            [
                ("Create a passcode", "835291\n"), ("Confirm passcode", "835291\n"), ("ready", "\u{1D}"),
                ("Enter Passcode", "111112\n"), ("Incorrect passcode", "forgot\n"),
                ("[logout] Logout", "cancel\n"),
                ("[forgot]", "835291\nfor the program\n"), ("got for the program", ""),
            ]
        )
        #expect(ended.status == 4)
        #expect(!ended.output.contains("835291") && !ended.output.contains("\u{1B}"))
    }

    @Test("P-8: asked about an easily guessed passcode, a person answers by a line", .timeLimit(.minutes(5)))
    func easilyGuessed() async throws {
        let ended = try await run(
            ["sh", "-c", "exit 4"],
            [
                ("Create a passcode", "123456\n"), ("[another]", "another\n"),
                ("0 of 6", "123456\n"), ("[use]", "use\n"), ("Confirm passcode", "123456\n"),
            ]
        )
        #expect(ended.status == 4)
    }

    @Test("P-36: lines that are all there from the start each go where they belong")
    func allAtOnce() async throws {
        let ended = try await run(
            ["sh", "-c", "read x; echo got $x; exit 4"],
            [("", "835291\n835291\nhello\n")]
        )
        #expect(ended.status == 4)
        #expect(ended.output.hasSuffix("got hello\n"))
    }

    @Test("P-36: what comes in one piece with the lock key is for its screens first, then the program")
    func behindTheKey() async throws {
        let ended = try await run(
            ["sh", "-c", "echo ready; cat; exit 4"],
            [
                ("Create", "835291\n"), ("Confirm", "835291\n"),
                ("ready", "one\n\u{1D}111112\n835291\ntwo\n\u{1D}835291\nthree\n"),
            ]
        )
        #expect(ended.status == 4)
        let lines = ended.output.split(separator: "\n")
        #expect(lines.filter { ["one", "two", "three"].contains($0) } == ["one", "two", "three"])
        #expect(ended.output.contains("Incorrect passcode") && !ended.output.contains("835291"))
    }

    @Test("P-36: without anyone to answer, the program runs and the question stays open")
    func nobody() async throws {
        let ended = try await run(["sh", "-c", "cat; echo end; exit 3"], [])
        #expect(ended.status == 3)
        #expect(ended.output.hasSuffix("end\n"))
    }

    @Test("P-23: locked with nobody left to answer, it ends as when the terminal is gone")
    func idleWithoutInput() async throws {
        let ended = try await run(
            ["sleep", "100"],
            options: ["--idle", "300ms"],
            [("Create", "835291\n"), ("Confirm", "835291\n")]
        )
        #expect(ended.status == 129)
    }

    @Test("P-36: the last line needs no end")
    func lastLine() async throws {
        let ended = try await run(
            ["sh", "-c", "echo ready; cat; exit 4"],
            [
                ("Create", "835291\n"), ("Confirm", "835291\n"), ("ready", "\u{1D}"),
                ("Enter Passcode", "835291"),
            ]
        )
        #expect(ended.status == 4)
    }

    @Test("P-33: logout ends the program")
    func logOut() async throws {
        let ended = try await run(
            ["sh", "-c", "echo ready; sleep 100"],
            [
                ("Create", "835291\n"), ("Confirm", "835291\n"), ("ready", "\u{1D}"),
                ("Enter Passcode", "forgot\n"),
                ("[logout]", "logout\n"),
            ]
        )
        #expect(ended.status == 129)
    }
}
