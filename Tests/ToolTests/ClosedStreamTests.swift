import Foundation
import Testing

/// The tool, started without some of its standard streams.
@Suite("closed standard streams", .timeLimit(.minutes(10)))
struct ClosedStreamTests {
    /// The files under a home, with their bytes.
    private func files(of tool: Tool) throws -> [String: Data] {
        var found: [String: Data] = [:]
        let paths = try FileManager.default.subpathsOfDirectory(atPath: tool.home.path)
        for path in paths {
            let file = tool.home.appendingPathComponent(path)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
                continue
            }
            found[path] = try Data(contentsOf: file)
        }
        return found
    }

    @Test(
        "K-10: an answer without a standard output is an error and is written nowhere: the store is as before",
        arguments: [
            ("secret get a/b", 7), ("secret get a/b --json", 7), ("secret list", 7), ("secret check", 7),
            ("passcode status", 7), ("--version", 7), ("secret get a/none", 1),
        ],
        [">&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"]
    )
    func answers(command: (line: String, status: Int32), closed: String) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let value = String(repeating: "clear text of a secret ", count: 1_500)
        #expect(try await tool.run("secret", "set", "a/b", input: value).status == 0)
        let before = try files(of: tool)
        let outcome = try await tool.run(shell: "\"$0\" \(command.line) \(closed)")
        #expect(outcome.status == command.status, "\(outcome.errors)")
        let isSaid = outcome.errors.contains("output cannot be written")
        #expect(isSaid == (command.status == 7 && !closed.contains("2>")))
        #expect(try files(of: tool) == before)
        #expect(try await tool.run("secret", "get", "a/b").text == value)
    }

    @Test("K-10: without a standard input no value is kept, and without a standard error no text is written")
    func others() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        #expect(try await tool.run("secret", "set", "a", input: "one").status == 0)
        let before = try files(of: tool)
        for closed in ["<&-", "<&- 2>&-", "<&- >&- 2>&-"] {
            let outcome = try await tool.run(shell: "\"$0\" secret set a \(closed)")
            #expect(outcome.status == 2, "\(closed): \(outcome.errors)")
            #expect(try files(of: tool) == before, "\(closed)")
        }
        for closed in ["2>&-", "<&- 2>&-"] {
            let outcome = try await tool.run(shell: "\"$0\" secret get none \(closed)")
            #expect(outcome.status == 1, "\(closed)")
            #expect(try files(of: tool) == before, "\(closed)")
        }
        #expect(try await tool.run("secret", "get", "a").text == "one")
    }

    @Test(
        "guard: without an output it starts no program and says why; without an input the program gets none"
    )
    func guarded() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("passcode", "set", input: "835291\n")
        for closed in [">&-", "<&- >&-"] {
            let outcome = try await tool.run(
                shell: "\"$0\" guard -- sh -c 'echo ran >\"$HOME/ran\"' \(closed)"
            )
            #expect(outcome.status == 125, "\(closed)")
            #expect(outcome.errors.contains("the output cannot be written to"), "\(closed)")
        }
        #expect(!FileManager.default.fileExists(atPath: tool.home.path + "/ran"))
        // The program has a pipe and a terminal, whatever streams guard itself has.
        let script = "cat; for number in 0 1 2; do readlink /proc/$$/fd/$number; done"
        let outcome = try await tool.run(shell: "\"$0\" guard -- sh -c '\(script)' <&- 2>&-")
        #expect(outcome.status == 0)
        let streams = outcome.text.split(separator: "\n")
        #expect(streams.count == 3 && streams.first?.hasPrefix("pipe:") == true, "\(outcome.text)")
        #expect(streams.dropFirst().allSatisfy { $0.hasPrefix("/dev/pts/") }, "\(outcome.text)")
        #expect(try await tool.run("secret", "check").status == 0)
    }
}
