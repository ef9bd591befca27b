#if os(Linux)
import Glibc
import PortcullisCore
import Testing

@testable import ProcessShield

/// Entries whose program is no known wrapper and names another program: either of the two may be the app.
@Suite("Programs that name others", .timeLimit(.minutes(5)))
struct NamedProgramTests {
    private let scratch: Scratch
    private let resolver: ProgramResolver

    init() throws {
        scratch = try Scratch()
        for name in ["bin/chess", "bin/mail", "bin/wrap", "opt/game", "opt/wrap", "opt/part", "opt/a.so"] {
            // As each program that is no script begins.
            try scratch.write("\u{7F}ELF \(name)", to: name, mode: 0o755)
        }
        for name in ["bin/bash", "bin/flatpak", "bin/nice"] {
            try scratch.write("\u{7F}ELF \(name)", to: name, mode: 0o755)
        }
        try scratch.write("#!/bin/sh\n", to: "bin/start", mode: 0o755)
        try scratch.write("text", to: "bin/data", mode: 0o755)
        try scratch.write("\u{7F}ELF", to: "bin/level", mode: 0o644)
        try scratch.link("bin/other", to: "chess")
        resolver = ProgramResolver(
            catalogue: DesktopCatalogue(
                folders: ["\(scratch.path)/applications"],
                searchPath: ["\(scratch.path)/bin"]
            )
        )
    }

    private func resolution(_ exec: String, _ more: String = "") throws -> ProgramResolver.Resolution {
        let whole = exec.split(separator: "OPT", omittingEmptySubsequences: false)
            .joined(separator: "\(scratch.path)/opt")
        try scratch.write(
            "[Desktop Entry]\nName=A\nExec=\(whole)\n\(more)\n",
            to: "applications/a.desktop"
        )
        let token = AppToken("a.desktop")
        return try #require(resolver.resolve(ShieldSelection(apps: [token])).apps[token])
    }

    @Test(
        "X-1: a program that names another one is not taken for the app, wherever among the arguments it is named",
        arguments: [
            "wrap chess", "wrap chess %U", "wrap -- chess -x", "wrap -N -e chess",
            "wrap -s -d 500 chess --new",
            "wrap -g cpu:/ chess", "wrap 5 start", "wrap OPT/game", "OPT/wrap OPT/game -x", "start chess",
            "nice -n 5 wrap chess", "wrap nice chess", "wrap bash -c chess", "wrap flatpak run org.go.Go",
            "wrap A=b mail %f", "wrap other", "bash -c \"exec wrap chess\"",
        ]
    )
    func refuses(_ exec: String) throws {
        guard case .refused(let reason) = try resolution(exec) else {
            Issue.record("\(exec): \(try resolution(exec))")
            return
        }
        #expect(reason.hasPrefix("nothing in its entry tells whether "), "\(exec): \(reason)")
    }

    @Test("X-1: a path that an entry starts in counts for what its program names")
    func relative() throws {
        guard case .refused = try resolution("wrap ./game", "Path=\(scratch.path)/opt") else {
            throw Missing(what: "a reason")
        }
        guard case .program = try resolution("wrap ./game") else { throw Missing(what: "an app") }
    }

    @Test(
        "X-1: an app's own arguments make it no wrapper: files, words, and commands' names outside of the search path",
        arguments: [
            "chess", "chess %U", "chess --with=mail", "chess --game=OPT/game", "chess none", "chess data",
            "chess level", "chess chess", "other chess", "chess OPT", "chess OPT/a.so", "chess OPT/none",
            "chess %f mail", "chess \"\"", "chess .", "OPT/game mail", "OPT/game -x start",
        ]
    )
    func resolves(_ exec: String) throws {
        guard case .program(let program) = try resolution(exec) else {
            Issue.record("\(exec): \(try resolution(exec))")
            return
        }
        #expect(program.files.count == 1)
    }

    @Test("X-1: an entry that calls itself a terminal is one also where it names the shell that it starts")
    func terminals() throws {
        try scratch.write(
            "[Desktop Entry]\nName=T\nExec=wrap -e bash\nCategories=TerminalEmulator;\n",
            to: "applications/t.desktop"
        )
        let token = AppToken("\(scratch.path)/bin/wrap")
        #expect(resolver.standing(of: token) == .refused(reason: "it is a terminal"))
    }

    @Test("X-1: what a script goes on as is not taken for the app where it names another program")
    func scripts() throws {
        let (bin, opt) = ("\(scratch.path)/bin", "\(scratch.path)/opt")
        for (line, target) in [
            ("exec \(opt)/game \"$@\"", "\(opt)/game"), ("exec \(bin)/wrap \(opt)/game \"$@\"", nil),
            ("exec \(bin)/wrap -x chess", nil), ("exec \(bin)/wrap \"$CHESS\"", "\(bin)/wrap"),
        ] {
            let script = try scratch.write("#!/bin/sh\n\(line)\n", to: "opt/start", mode: 0o755)
            guard case .program(let program) = try resolution("OPT/start") else {
                throw Missing(what: "a script")
            }
            #expect(Set(program.files.values) == Set([script, target].compactMap(\.self)), "\(line)")
        }
    }

    @Test("X-1: of arguments without end only so many are looked up; the next one counts as a program")
    func manyArguments() throws {
        let files = try (0...64).map { number in
            try scratch.write("text", to: "data/\(number)", mode: 0o755)
        }
        let wrap = "\(scratch.path)/bin/wrap"
        #expect(resolver.program(namedBy: files.dropLast(), of: wrap) == nil)
        #expect(resolver.program(namedBy: files, of: wrap) == files.last)
    }
}

extension RealProcesses {
    @Suite("Programs that name others, live", .timeLimit(.minutes(5)))
    struct RunningNamedProgramTests {
        @Test("X-1: other uses of a wrapper that no list has go on, and its entry is told to be left out")
        func unlisted() async throws {
            let bench = try ShieldBench()
            let wrapper = try bench.scratch.copy("/usr/bin/timeout", to: "bin/wrapper")
            try bench.scratch.write(
                "[Desktop Entry]\nName=G\nExec=wrapper -s KILL 60 chess 60\n",
                to: "applications/game.desktop"
            )
            let other = try Child(wrapper, ["60", bench.mail, "60"])
            #expect(await other.wait { ProcessTable().process($0.pid)?.executablePath == wrapper } != nil)
            try await bench.apply("game.desktop")
            #expect(!other.isStopped)
            guard case .refused = await bench.shield.coverage().apps[AppToken("game.desktop")] else {
                throw Missing(what: "a reason")
            }
        }

        @Test(
            "X-1: an app that a shell's text ends as is stopped, however the entry quotes the text",
            arguments: [
                "\"exec CHESS 60\"", "\"CHESS 60\"", "\"cd /tmp && CHESS 60\"", "'CHESS 60'",
                "\"cd BIN && ./chess 60\"", "'cd BIN; exec ./chess 60 >/dev/null'",
            ]
        )
        func texts(_ text: String) async throws {
            let bench = try ShieldBench()
            let whole = text.split(separator: "CHESS", omittingEmptySubsequences: false)
                .joined(separator: bench.chess).split(separator: "BIN", omittingEmptySubsequences: false)
                .joined(separator: "\(bench.scratch.path)/bin")
            try bench.scratch.write(
                "[Desktop Entry]\nName=G\nExec=/bin/sh -c \(whole)\n",
                to: "applications/game.desktop"
            )
            let chess = try Child("/bin/sh", ["-c", "exec \(bench.chess) 60"])
            #expect(await chess.wait { ProcessTable().process($0.pid)?.executablePath == bench.chess } != nil)
            let mail = try Child("/bin/sh", ["-c", "exec \(bench.mail) 60"])
            try await bench.apply("game.desktop")
            #expect(chess.isStopped && !mail.isStopped)
            let late = try Child("/bin/sh", ["-c", String(whole.dropFirst().dropLast())])
            // Some shells stay as its parent.
            let isStopped = await late.wait(limit: .seconds(10)) { late in
                ProcessTable().all().values.contains {
                    $0.group == late.pid && $0.executablePath == bench.chess && $0.state == "T"
                }
            }
            kill(-late.pid, SIGKILL)
            #expect(isStopped != nil, "one that starts later")
        }
    }
}
#endif
