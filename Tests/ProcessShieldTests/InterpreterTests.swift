#if os(Linux)
import Glibc
import PortcullisCore
import Testing

@testable import ProcessShield

/// Scripts of an interpreter that is no listed one, as a game engine is.
@Suite("Interpreters of scripts", .timeLimit(.minutes(5)))
struct InterpreterTests {
    private let scratch: Scratch
    private let resolver: ProgramResolver

    init() throws {
        scratch = try Scratch()
        try scratch.write("program", to: "bin/renpy", mode: 0o755)
        try scratch.link("bin/engine", to: "renpy")
        resolver = ProgramResolver(
            catalogue: DesktopCatalogue(folders: [], searchPath: ["\(scratch.path)/bin"])
        )
    }

    private func program(_ first: String) throws -> Program {
        let game = try scratch.write("#!\(first)\n", to: "opt/game", mode: 0o755)
        let found = resolver.resolve(ShieldSelection(apps: [AppToken(game)])).apps.values.first
        guard case .program(let program) = found else { throw Missing(what: "a script") }
        return program
    }

    @Test("X-1: a script's interpreter is the program that its first line names, also by env")
    func found() throws {
        let renpy = "\(scratch.path)/bin/renpy"
        for (line, path, arguments) in [
            (renpy, renpy, []), (" \(renpy) --new -x", renpy, ["--new", "-x"]),
            ("\(scratch.path)/bin/engine", renpy, []), ("/usr/bin/env renpy", renpy, []),
            ("/usr/bin/env -S A=b engine run", renpy, ["run"]), ("/usr/bin/env", nil, []),
            ("\(scratch.path)/bin/none", nil, []), ("", nil, []),
        ] as [(String, String?, [String])] {
            let expected = path.map { Interpreter(path: $0, arguments: arguments) }
            #expect(try program(line).interpreter == expected, "\(line)")
        }
    }

    @Test("X-1: a process of a script's interpreter is the app where it runs that script")
    func matches() throws {
        let (renpy, game) = ("\(scratch.path)/bin/renpy", "\(scratch.path)/opt/game")
        for (line, words, isApp) in [
            (renpy, ["renpy", game], true), (renpy, ["renpy", "game"], true),
            (renpy, ["renpy", "-d", "./game", "x"], true), (renpy, ["renpy", "other"], false),
            (renpy, ["renpy", "other", game], false), (renpy, ["renpy"], false), (renpy, [], false),
            ("\(renpy) run fast", ["renpy", "run fast", game], true),
            ("\(renpy) run fast", ["renpy", "run", "fast", game], true),
            // Another use of the interpreter, such as an editor's that has the script open.
            ("\(renpy) run fast", ["renpy", game], false), ("\(renpy) -S", ["renpy", game], false),
            ("\(renpy) -S", ["renpy", "-S", game], true),
            ("/usr/bin/env -S renpy -S", ["renpy", game], false),
            ("/usr/bin/env -S renpy -u x -S", ["renpy", "-S", game], false),
            ("/bin/other", ["renpy", game], false),
        ] {
            try scratch.write(words.map { "\($0)\0" }.joined(), to: "proc/500/cmdline")
            try? scratch.remove("proc/500/cwd")
            try scratch.link("proc/500/cwd", to: "\(scratch.path)/opt")
            let process = RunningProcess(
                identity: .init(pid: 500, start: 1),
                parent: 1,
                group: 500,
                session: 500,
                terminal: 0,
                foreground: -1,
                state: "S",
                isKernelThread: false,
                user: 1_000,
                executable: FileID(path: renpy),
                executablePath: renpy,
                controlGroup: "/",
                tableFolder: "\(scratch.path)/proc"
            )
            #expect(try program(line).matches(process) == isApp, "\(words) of \(line)")
        }
    }

    @Test(
        "X-1: what else is in the unit of a script is not the app where the interpreter goes on as no other program"
    )
    func units() throws {
        try scratch.copy("/bin/true", to: "bin/bash")
        #expect(try !program("\(scratch.path)/bin/renpy").isKnownByUnit)
        #expect(try program("\(scratch.path)/bin/bash").isKnownByUnit)
    }
}

extension RealProcesses {
    @Suite("Scripts of their own interpreters, live", .timeLimit(.minutes(5)))
    struct RunningInterpreterTests {
        @Test(
            "X-1: a script of an interpreter of its own is stopped, and another one of that interpreter goes on"
        )
        func stops() async throws {
            let bench = try ShieldBench()
            let path = bench.scratch.path
            let engine = try bench.scratch.copy("/bin/sh", to: "bin/engine")
            #expect(unsafe mkfifo("\(path)/never", 0o600) == 0)
            let children = try ["one", "two"].map { name in
                let text = "#!\(engine)\nread line <> \(path)/never\n"
                return try Child(bench.scratch.write(text, to: "bin/\(name)", mode: 0o755))
            }
            for child in children {
                #expect(await child.wait { ProcessTable().process($0.pid)?.executablePath == engine } != nil)
            }
            try await bench.apply("\(path)/bin/one")
            #expect(children[0].isStopped && !children[1].isStopped)
            try await bench.shield.clear(bench.daily)
            #expect(!children[0].isStopped)
        }
    }
}
#endif
