#if os(Linux)
import Foundation
import Glibc
import Testing

@testable import portcullis

/// What a shell makes of the scripts, with Tab on a real terminal. Serialized: each shell has a terminal of its own.
@Suite("completions", .serialized, .timeLimit(.minutes(10)))
struct CompletionTests {
    /// A shell, and what it reads before the first line.
    struct Shell: Sendable, CustomTestStringConvertible {
        var name: String
        var options: [String]
        var setUp: String

        var path: String? {
            ["/bin/\(name)", "/usr/bin/\(name)"].first(where: FileManager.default.isExecutableFile)
        }
        var testDescription: String { name }
    }

    private static let shells = [
        Shell(
            name: "bash",
            options: ["--norc", "--noprofile", "-i"],
            setUp: "source <(portcullis completions bash)"
        ),
        Shell(
            name: "zsh",
            options: ["-f", "-i"],
            setUp: "autoload -Uz compinit; compinit -u -D; source <(portcullis completions zsh)"
        ),
        Shell(name: "fish", options: ["--no-config", "-i"], setUp: "portcullis completions fish | source"),
    ]
    private static let installed = shells.filter { $0.path != nil }

    /// What a store of a hostile backup may hold: a shell that took it for words of a line would make a file.
    private static let trap = "$(touch ran)"
    private static let names = [
        "api-key", "my name", "aws:key", "me@host", "prod/db/key", "prod/web/key", "dollar$x", "it's",
        "ex!cl", "`touch ran`", trap, "ut'", "say\"", "ox!", "up b", "up$c",
    ]

    /// A home with an app and these secrets in it.
    private func home(_ names: [String] = names) async throws -> FocusHome {
        let home = try FocusHome()
        for name in names {
            #expect(try await home.tool.run("secret", "set", "--", name, input: "x").status == 0)
        }
        return home
    }

    @Test("names, zones, apps, categories and options are completed", arguments: installed)
    func completes(shell: Shell) async throws {
        let home = try await home()
        // A secret is no file, also where one has its name.
        for folder in ["api-key", "my folder"] {
            let path = home.home.appending(path: folder)
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
        }
        let tools = Tool.executable.deletingLastPathComponent().path
        let run = try GuardedRun(
            shell.options,
            executable: try #require(shell.path),
            columns: 120,
            home: home.home,
            variables: ["PATH=\(tools):/usr/bin:/bin", "PWD=\(home.home.path)"]
        )
        run.type("cd; \(shell.setUp); echo rea''dy\r")
        try await run.waitForText("ready")
        for (typed, text) in [
            ("secret get ap", "secret get api-key "),
            ("secret rm ap", "secret rm api-key "),
            ("secret ls --name", "--namespace "),
            ("secret slots ls --sto", "--store "),
            ("schedule prev --tz Europe/Zur", "--tz Europe/Zurich "),
            ("secret get my", "secret get my\\ name "),
            ("secret get aws:k", "secret get aws:key "),
            ("secret get me", "secret get me@host "),
            ("secret get prod/d", "secret get prod/db/key "),
            ("secret get do", "secret get dollar\\$x "),
            ("secret get \"do", "secret get \"dollar\\$x\" "),
            ("secret get 'my", "secret get 'my name' "),
            ("secret check --store my\\ f", "secret check --store my\\ folder/"),
            ("schedule next --tz Europe/Zur", "--tz Europe/Zurich "),
            ("focus run --app to", "--app toy.desktop "),
            ("focus apps --category Ga", "--category Game "),
            ("secret set x --accessib", "--accessibility "),
            ("sched", "portcullis schedule "),
        ] {
            // The last letter alone tells that what was typed has come to an end, whatever a shell has drawn by then.
            run.type("\u{15}portcullis \(typed)\t!")
            try await run.waitForText("\(text)!")
        }
        // Every name is a word that the shell has to leave as it is.
        run.type("\u{15}portcullis secret get \t\t\u{15}echo do''ne\r")
        try await run.waitForText("done")
        // Bash tells every name whole: of these two only their first part was typed.
        if shell.name == "bash" { #expect(run.raw.contains("prod/web/key")) }
        #expect(!FileManager.default.fileExists(atPath: home.home.appending(path: "ran").path))
    }

    @Test(
        "what bash puts into a line is the secret's name, whatever quote is open",
        arguments: installed.filter { $0.name == "bash" }
    )
    func quotes(bash: Shell) async throws {
        let home = try await home()
        let tools = Tool.executable.deletingLastPathComponent().path
        let run = try GuardedRun(
            bash.options,
            executable: try #require(bash.path),
            columns: 120,
            home: home.home,
            variables: ["PATH=\(tools):/usr/bin:/bin", "PWD=\(home.home.path)"]
        )
        run.type("cd; \(bash.setUp); echo rea''dy\r")
        try await run.waitForText("ready")
        for (typed, name) in [
            ("it", "it's"), ("'it", "it's"), ("\"it", "it's"), ("my\\ n", "my name"),
            ("ex", "ex!cl"), ("'ex", "ex!cl"), ("\"ex", "ex!cl"), ("\\`", "`touch ran`"),
            ("do", "dollar$x"), ("'do", "dollar$x"), ("\"dollar\\$", "dollar$x"),
            ("aws:", "aws:key"), ("\"aws:", "aws:key"), ("\\$", Self.trap), ("'$", Self.trap),
            // The last character is the open quote, or ends it.
            ("'ut", "ut'"), ("\"say", "say\""), ("\"ox", "ox!"),
        ] {
            // From the line's beginning on, another command tells the words that the shell makes of the line.
            run.type("\u{15}clear\r\u{15}portcullis secret get \(typed)\t\u{1}printf '<%s>' \r")
            try await run.waitForText("<portcullis><secret><get><\(name)>")
        }
        // Two names that differ in a quoted character: no half of it is put in, so both are told.
        run.type("\u{15}clear\r\u{15}portcullis secret get up\t\t")
        try await run.waitForText("up\\ b")
        #expect(!FileManager.default.fileExists(atPath: home.home.appending(path: "ran").path))
    }

    /// What the script of bash asks the tool.
    private func asked(_ words: [String], _ tool: Tool) async throws -> Tool.Outcome {
        var tool = tool
        tool.variables["SAP_SHELL"] = "bash"
        let line = ["portcullis", "secret", "get"] + words + [""]
        let question = ["---completion", "secret", "get", "--", "positional@0", "\(line.count - 1)", "0"]
        return try await tool.run(question + line, input: Data())
    }

    @Test("names are those of the store and group that the line names")
    func line() async throws {
        let home = try await home(["a"])
        let tool = home.tool
        let other = home.home.appending(path: "other store").path
        try await tool.run("secret", "set", "b", "--store", other, "--namespace", "ci", input: "x")
        #expect(try await asked([], tool).text == "a\n")
        for words in [
            ["--store", "'\(other)'", "--namespace", "ci"],
            ["--store", "=", other.replacing(" ", with: "\\ "), "--namespace=ci"],
            ["--namespace", "\"ci\"", "--store", "~/other\\ store"],
        ] {
            #expect(try await asked(words, tool).text == "b\n")
        }
        #expect(try await asked(["--", "--namespace", "ci"], tool).text == "a\n")
    }

    @Test("where there is nothing to tell nothing is asked, made or said")
    func silent() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let fifo = tool.home.appending(path: "fifo").path
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        for words in [
            [], ["--store", fifo], ["--key-file", fifo], ["--passphrase-file", "-"], ["--namespace", ""],
            ["--passphrase-file", fifo], ["--store"],
        ] {
            let outcome = try await asked(words, tool)
            #expect(outcome.errors.isEmpty, "\(words)")
            #expect(outcome.text.allSatisfy { $0.isNewline }, "\(words)")
        }
        let damaged = try await tool.run(shell: #""$0" ---completion secret get -- "$(printf '\377')""#)
        #expect(damaged.status == 1 && damaged.errors.isEmpty && damaged.output.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.home.path) == ["fifo"])
    }

    @Test("completions for a shell that there is none for are a usage error")
    func unknownShell() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run("completions", "tcsh")
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        for shell in ["bash", "zsh", "fish"] {
            #expect(try await tool.run("completions", shell).text.contains("import-lines"))
        }
    }
}
#endif
