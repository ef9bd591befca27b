import Foundation
import Testing

@Suite("names of commands, and what is near them")
struct CommandNameTests {
    @Test(
        "a mistyped command is told the one that was meant",
        arguments: [
            (["sceret", "list"], "'portcullis sceret'; did you mean 'secret'?"),
            (["help", "shedule"], "'portcullis shedule'; did you mean 'schedule'?"),
            (["secret", "gett", "a"], "'portcullis secret gett'; did you mean 'get'?"),
            (["secret", "slots", "ad"], "'portcullis secret slots ad'; did you mean 'add'?"),
            (["Secret"], "'portcullis Secret'; did you mean 'secret'?"),
            (["secret", "jet"], "'portcullis secret jet'; did you mean 'set' or 'get'?"),
            (["get", "a"], "'portcullis get'; did you mean 'secret get'?"),
            (["status"], "'portcullis status'; did you mean 'focus status' or 'passcode status'?"),
            (["nope"], "'portcullis nope': `portcullis --help`"),
            (["x"], "'portcullis x': `portcullis --help`"),
            (["secret", "x"], "'portcullis secret x': `portcullis secret --help`"),
            (["secret", "grab"], "'portcullis secret grab': `portcullis secret --help`"),
            ([String(repeating: "s", count: 9_000)], "sss': `portcullis --help`"),
        ]
    )
    func mistyped(words: [String], text: String) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run(words, input: Data())
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains(text), "\(outcome.errors)")
    }

    @Test("ls, rm, prev and check are second names")
    func aliases() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        #expect(try await tool.run("secret", "ls").text == "a\n")
        #expect(try await tool.run("secret", "rm", "a").status == 0)
        #expect(try await tool.run("secret", "list").text.isEmpty)
        #expect(try await tool.run("secret", "slots", "ls").text == tool.run("secret", "slots", "list").text)
        #expect(try await tool.run("secret", "slots", "rm", "77").status == 2)
        let times = ["0 9 * * *", "--before", "2026-01-05T10:00Z", "--tz", "UTC"]
        #expect(
            try await tool.run(["schedule", "prev"] + times, input: Data()).text
                == "2026-01-05T09:00:00+00:00\n"
        )
        #expect(try await tool.run("passcode", "check", input: "123456\n").text.contains("No passcode"))
        #expect(try await tool.run("passcode", "rm", input: "123456\n").text.contains("No passcode"))
        #expect(try await tool.run("help", "secret", "ls").status == 0)
        #expect(try await tool.run("secret", "--help").text.contains("list, ls"))
    }
}
