import Foundation
import Testing

/// Runs the commands of each example's README, and compares what they print with the README.
@Suite("READMEs of the examples")
struct ReadmeTests {
    @Test(
        "the commands of a README print what it says",
        .timeLimit(.minutes(5)),
        arguments: try Readme.all()
    )
    func output(of readme: Readme) async throws {
        #expect(readme.mistakes == [])
        if let missing = readme.missing { try Test.cancel("\(missing) is not installed") }
        let scratch = try ScratchFolder(with: readme.folder)
        for command in readme.commands {
            let printed = try await scratch.run(command.script)
            let difference = Transcript.difference(expected: command.output, printed: printed)
            #expect(
                difference == nil,
                "\(readme), line \(command.line): \(command.script)\n\(difference ?? "")"
            )
        }
    }

    @Test("a README without commands is not overlooked")
    func none() throws {
        #expect(try Readme.all().contains { $0.description == "Hello/README.md" })
    }

    @Test("a console block is read as commands and what they print")
    func reading() {
        let text = """
            Text, and `$ no command`.
            ```console
            $ printf 'a\\n' | \\
                swift run hello
            one
            …
            $ swift run other
            ```
            ```text
            $ shown, not run
            ```
            """
        let readme = Readme(text, name: "Example/README.md", folder: URL(filePath: "/"))
        #expect(
            readme.commands.map(\.script) == ["printf 'a\\n' | \\\n    swift run hello", "swift run other"]
        )
        #expect(readme.commands.map(\.output) == [["one", "…"], []])
        #expect(readme.commands.map(\.line) == [3, 7])
        #expect(readme.mistakes == [])
        let empty = Readme("```console\nhello\n```", name: "", folder: URL(filePath: "/"))
        #expect(empty.mistakes.count == 1)
    }

    @Test(
        "a line of … stands for any lines, every other for itself",
        arguments: [
            (["a", "…", "d"], ["a", "b", "c", "d"], true),
            (["a", "…", "d"], ["a", "d"], true),
            (["…"], [], true),
            (["a", "…"], ["b"], false),
            (["a"], ["a", "b"], false),
            (["a", "b"], ["a"], false),
            ([], ["a"], false),
        ]
    )
    func comparing(expected: [String], printed: [String], isSame: Bool) {
        #expect((Transcript.difference(expected: expected, printed: printed) == nil) == isSame)
    }

    @Test("a difference shows what the README says and what was printed")
    func difference() {
        #expect(
            Transcript.difference(expected: ["same", "said"], printed: ["same", "printed"])
                == "  same\n- said\n+ printed"
        )
    }

    @Test("a command that does not end is ended with its test", .timeLimit(.minutes(1)))
    func endless() async throws {
        let scratch = try ScratchFolder()
        let running = Task { try await scratch.run("sleep 1000 | cat") }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
    }
}
