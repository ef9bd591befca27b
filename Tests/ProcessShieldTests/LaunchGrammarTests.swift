import Testing

@testable import ProcessShield

/// What the words of a launch name, without the files that they may mean.
@Suite("What a launch names", .timeLimit(.minutes(5)))
struct LaunchGrammarTests {
    @Test(
        "X-1: options that stand for several are told from longer ones by the program that reads them",
        arguments: [
            ("node", "-xe game.js", .file(1)), ("node", "-e game.js", .words(1)),
            ("python3", "-xc game", .words(1)), ("python3", "-x game.py", .file(1)),
            ("bash", "+c game", .file(1)), ("bash", "-xc game", .text(1)), ("bash", "+s game", .file(1)),
            ("bash", "-xs game", nil),
            ("dotnet", "-xe game.dll", .file(1)), ("mono", "--config x game.exe", .file(2)),
            ("php", "-f game.php", .file(1)), ("php", "-r game", .words(1)), ("awk", "-f game", .file(1)),
            ("java", "-jar game.jar", .file(1)), ("java", "--module=game", .words(0)),
            ("gtk-launch", "go", .words(0)), ("exec", "go", nil), ("busybox", "sh game", .file(1)),
            ("gio", "open go", nil), ("gio", "launch go", .words(1)), ("xdg-open", "go", nil),
            ("gio", "go", nil), ("snap", "run -- go", .words(2)), ("bun", "test game", nil),
            ("bun", "game.js", .file(0)), ("dotnet", "run", nil), ("dotnet", "game.dll", .file(0)),
        ] as [(String, String, LaunchGrammar.Subject?)]
    )
    func subjects(_ row: (program: String, words: String, subject: LaunchGrammar.Subject?)) {
        let words = row.words.split(separator: " ").map(String.init)
        let subject = LaunchGrammar.subject(program: "/bin/\(row.program)", called: row.program, words)
        #expect(subject == row.subject)
    }

    private static let unnamed = "its command's text names no program"
    private static let shell = "it is a shell"

    @Test(
        "X-1: a shell's text is refused with the reason of what it ends in, and not where a command is an app",
        arguments: [
            ("bash -l", shell), ("bash -l; cd /x", shell), ("cd /x; bash", shell),
            ("bash -l; sudo -i", "it belongs to logging in"), ("sudo -i\nbash", shell), ("cd /x", unnamed),
            ("", unnamed), ("$SHELL", unnamed), ("0>x", unnamed), ("9<x", unnamed), ("\"open", unnamed),
            ("python3", "it starts many other programs"), ("cd /x <&3", unnamed), ("cd /x >&2", unnamed),
            ("chess", nil), ("# x\nchess", nil), ("bash # x\nchess", nil), ("# x; chess", unnamed),
            ("x\\;bash", nil), ("$A\\ b; chess", nil), ("'$\\'; chess", nil), ("x \"; bash\"", nil),
            ("cd '/x; chess'", unnamed), ("bash|chess", nil), ("bash&chess", nil),
        ] as [(String, String?)]
    )
    func texts(_ row: (text: String, reason: String?)) {
        #expect(ShellText.refusal(of: row.text) == row.reason)
    }

    @Test(
        "X-1: what a line substitutes is told from what its quotes keep as it is",
        arguments: [
            ("a '$(b)' $(c)", "a '$(b)' $_", ["c"]), ("a '`b`' `c`", "a '`b`' $_", ["c"]),
            ("a 'b' $(c) 'd'", "a 'b' $_ 'd'", ["c"]), ("a \"it's $(b)\"", "a \"it's $_\"", ["b"]),
            ("a '\"' $(b)", "a '\"' $_", ["b"]), ("a '\\' $(b)", "a '\\' $_", ["b"]),
            ("a \\' $(b)", "a \\' $_", ["b"]), ("a $((1 + 2))", "a $_", []),
        ]
    )
    func substitutions(_ row: (line: String, outer: String, inner: [String])) {
        let (outer, inner) = ShellText.substitutions(in: row.line)
        #expect(outer == row.outer && inner == row.inner)
    }

    @Test("X-1: a shell's text in a shell's text is looked at, so deep and no deeper")
    func depth() {
        #expect(ShellText.refusal(of: "chess", depth: 3) == nil)
        #expect(ShellText.refusal(of: "chess", depth: 4) == Self.unnamed)
        #expect(ShellText.refusal(of: "sh -c chess", depth: 2) == nil)
        #expect(ShellText.refusal(of: "sh -c chess", depth: 3) == Self.unnamed)
    }

    @Test("X-1: a command's output within a script's line is looked at, so deep and no deeper")
    func outputs() {
        func startsOwn(_ line: String) -> Bool {
            ScriptTarget.startsOwn(line, but: "/opt/game", []) { "/usr/bin/\($0)" }
        }
        #expect(!startsOwn("ls $(ls $(ls $(ls)))"))
        #expect(startsOwn("ls $(ls $(ls $(ls $(ls))))"))
    }
}
