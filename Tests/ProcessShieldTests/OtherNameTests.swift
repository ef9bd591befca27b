#if os(Linux)
import Glibc
import PortcullisCore
import Testing

@testable import ProcessShield

/// Programs that run others and are called by a symbolic link: the file has another name than the program.
@Suite("Launchers of another name", .timeLimit(.minutes(5)))
struct OtherNameTests {
    private let scratch: Scratch
    private let resolver: ProgramResolver
    private var bin: String { "\(scratch.path)/bin" }

    init() throws {
        scratch = try Scratch()
        for name in ["mono-sgen", "python-exec2", "rustup", "original-awk", "tool", "bash"] {
            try scratch.write("program", to: "lib/\(name)", mode: 0o755)
        }
        // One whose name no list has.
        for (name, file) in [
            ("mono", "mono-sgen"), ("cli", "mono-sgen"), ("python3", "python-exec2"),
            ("emerge", "python-exec2"), ("cargo", "rustup"), ("rustc", "rustup"), ("awk", "original-awk"),
            ("gawk", "tool"), ("ruby", "tool"), ("sh", "bash"), ("x-terminal-emulator", "tool"),
        ] {
            try scratch.link("bin/\(name)", to: "../lib/\(file)")
        }
        // As update-alternatives(1) has them.
        try scratch.link("etc/lua", to: "\(scratch.path)/lib/tool")
        try scratch.link("bin/language", to: "\(scratch.path)/etc/lua")
        for name in ["game.exe", "game.py"] { try scratch.write("", to: "opt/\(name)") }
        resolver = ProgramResolver(
            catalogue: DesktopCatalogue(
                folders: ["\(scratch.path)/applications"],
                searchPath: ["\(scratch.path)/bin"]
            )
        )
    }

    private func resolution(_ exec: String) throws -> ProgramResolver.Resolution {
        try scratch.write("[Desktop Entry]\nName=A\nExec=\(exec)\n", to: "applications/a.desktop")
        let token = AppToken("a.desktop")
        return try #require(resolver.resolve(ShieldSelection(apps: [token])).apps[token])
    }

    /// A process of a file, as a table shows it.
    private func process(_ file: String, _ words: [String]) throws -> RunningProcess {
        let path = "\(scratch.path)/lib/\(file)"
        try scratch.write(words.map { "\($0)\0" }.joined(), to: "proc/500/cmdline")
        if SmallFiles.link("\(scratch.path)/proc/500/root") == nil {
            try scratch.link("proc/500/root", to: "/")
        }
        return RunningProcess(
            identity: .init(pid: 500, start: 1),
            parent: 1,
            group: 500,
            session: 500,
            terminal: 0,
            foreground: -1,
            state: "S",
            isKernelThread: false,
            user: 1_000,
            executable: FileID(path: path),
            executablePath: path,
            controlGroup: "/",
            tableFolder: "\(scratch.path)/proc"
        )
    }

    @Test(
        "X-1: an app of an interpreter that a link leads to is its script, and no other of that interpreter",
        arguments: [
            ("mono", "mono-sgen", "game.exe"), ("python3", "python-exec2", "game.py"),
            ("ruby", "tool", "game.py"), ("language", "tool", "game.py"), ("sh", "bash", "game.py"),
        ]
    )
    func scripts(_ row: (name: String, file: String, script: String)) throws {
        let script = "\(scratch.path)/opt/\(row.script)"
        guard case .program(let app) = try resolution("\(row.name) \(script)") else {
            Issue.record("\(try resolution("\(row.name) \(script)"))")
            return
        }
        #expect(app.files == [try #require(FileID(path: script)): script])
        let other = try scratch.write("", to: "opt/other")
        let called = row.name == "language" ? "lua" : row.name
        #expect(try app.matches(process(row.file, [called, script])))
        for words in [[row.name, other], [row.name], ["emerge", "--sync"], ["other", script]] {
            let isPlain = words[0] == "other" && row.file != "tool" && row.file != "python-exec2"
            #expect(try app.matches(process(row.file, words)) == isPlain, "\(words)")
        }
    }

    @Test("X-1: an app that is a launcher's text is that text, also where only a link tells of the launcher")
    func texts() throws {
        guard case .program(let app) = try resolution("gawk BEGIN") else { throw Missing(what: "a text") }
        #expect(app.files.isEmpty)
        #expect(try app.matches(process("tool", ["gawk", "BEGIN"])))
        #expect(try !app.matches(process("tool", ["gawk", "END"])))
        let glance = ProcessGlance(for: [app], in: ProcessTable(folder: "\(scratch.path)/proc"))
        try scratch.link("proc/500/exe", to: "\(scratch.path)/lib/tool")
        #expect(glance.verdict(on: 500) == .candidate)
    }

    @Test(
        "X-1: an entry of a program of another name that says nothing of an app is refused",
        arguments: [
            "mono", "mono --config x", "cargo run --manifest-path /x/Cargo.toml", "rustc x.rs", "awk",
            "emerge",
            "python3 -m %f", "ruby -e %f", "language", "gawk", "x-terminal-emulator", "cli",
        ]
    )
    func refuses(_ exec: String) throws {
        guard case .refused = try resolution(exec) else {
            Issue.record("\(exec): \(try resolution(exec))")
            return
        }
    }

    @Test("X-1: a file to which a link of a protected name leads is refused by its own name as well")
    func files() throws {
        for name in ["tool", "mono-sgen", "original-awk", "rustup", "python-exec2"] {
            let token = AppToken("\(scratch.path)/lib/\(name)")
            guard case .refused = resolver.standing(of: token) else {
                Issue.record("\(name): \(resolver.standing(of: token))")
                continue
            }
        }
        let token = AppToken("\(bin)/x-terminal-emulator")
        #expect(resolver.standing(of: token) == .refused(reason: "it is a terminal"))
    }

    @Test("X-1: a link of another user takes no program out of a shield")
    func owners() throws {
        guard geteuid() == 0 else {
            print("skipped: only root gives links away")
            return
        }
        let game = try scratch.write("program", to: "lib/game", mode: 0o755)
        try scratch.link("bin/perl", to: game)
        #expect(resolver.standing(of: AppToken(game)) == .refused(reason: "it starts many other programs"))
        #expect(unsafe lchown("\(bin)/perl", 1_234, 1_234) == 0)
        #expect(resolver.standing(of: AppToken(game)) == .known)
    }

    @Test("X-1: a wrapper that goes on as an interpreter of another name stands for itself alone")
    func wrappers() throws {
        for name in ["cli", "ruby", "language", "x-terminal-emulator"] {
            let script = try scratch.write(
                "#!/bin/sh\nexec \(bin)/\(name) \(scratch.path)/opt/game.exe \"$@\"\n",
                to: "bin/pinta",
                mode: 0o755
            )
            guard case .program(let app) = try resolution("pinta %U") else { throw Missing(what: name) }
            #expect(Array(app.files.values) == [script], "\(name)")
        }
    }
}
#endif
