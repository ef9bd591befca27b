#if os(Linux)
import Glibc
import PortcullisCore
import Synchronization
import Testing

@testable import ProcessShield

@Suite("Scripts", .timeLimit(.minutes(5)))
struct ScriptTests {
    private static let shell = "/usr/bin/bash"
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// A process that runs these words in a folder, as a table shows it.
    private func process(_ words: [String], of program: String = shell, in folder: String) throws
        -> RunningProcess
    {
        let number = 500
        try scratch.write(words.map { "\($0)\0" }.joined(), to: "proc/\(number)/cmdline")
        try? scratch.remove("proc/\(number)/cwd")
        try scratch.link("proc/\(number)/cwd", to: "\(scratch.path)/\(folder)")
        return RunningProcess(
            identity: .init(pid: Int32(number), start: 1),
            parent: 1,
            group: Int32(number),
            session: Int32(number),
            terminal: 0,
            foreground: -1,
            state: "S",
            isKernelThread: false,
            user: 1_000,
            executable: FileID(device: 1, inode: 1, born: 1),
            executablePath: program,
            controlGroup: "/",
            tableFolder: "\(scratch.path)/proc"
        )
    }

    private func program(of token: String) throws -> Program {
        let resolver = ProgramResolver(catalogue: DesktopCatalogue(folders: [], searchPath: []))
        let token = AppToken(token)
        guard case .program(let program) = resolver.resolve(ShieldSelection(apps: [token])).apps[token] else {
            throw Missing(what: "a script")
        }
        return program
    }

    @Test("X-1: a script's relative name means the file in the folder of the process that runs it")
    func relative() throws {
        let play = try scratch.write("#!/bin/bash\n", to: "one/play", mode: 0o755)
        try scratch.write("#!/bin/bash\n", to: "two/play", mode: 0o755)
        try scratch.write("#!/bin/bash\n", to: "one/sub/play", mode: 0o755)
        let app = try program(of: play)
        for (words, folder, isApp) in [
            (["bash", "play"], "one", true), (["bash", "./play", "x"], "one", true),
            (["bash", "../play"], "one/sub", true), (["bash", "play"], "two", false),
            (["bash", "play"], "one/sub", false), (["bash", play], "two", true),
            (["bash", "-o", "posix", "-x", "play"], "one", true),
            (["bash", "+O", "extglob", "play"], "one", true),
            // Names of something else.
            (["bash", "-c", "play"], "one", false), (["bash", "-c", "true", "play"], "one", false),
            (["bash", "-s", "play"], "one", false), (["bash", "-o", "play"], "one", false),
            (["bash", "other", "play"], "one", false), (["bash"], "one", false),
            (["bash", "-l"], "one", false),
        ] {
            let process = try process(words, in: folder)
            #expect(app.matches(process) == isApp, "\(words) in \(folder)")
        }
        // Another name of the same file.
        try scratch.hardLink("two/other", to: play)
        let other = "\(scratch.path)/two/other"
        #expect(try app.matches(process(["bash", "other"], in: "two")))
        #expect(try !app.matches(process(["bash", other], in: "two")), "nothing says whose root it is")
        try scratch.link("proc/500/root", to: "/")
        #expect(try app.matches(process(["bash", other], in: "two")))
        try scratch.remove("proc/500/root")
        // Without its folder nothing says which file is meant.
        var lost = try process(["bash", "play"], in: "one")
        try scratch.remove("proc/500/cwd")
        #expect(!app.matches(lost))
        // What is no script is not what an interpreter runs.
        lost = try process(["bash", "play"], in: "one")
        #expect(!Program(files: app.files).matches(lost))
        let python = "/usr/bin/python3.11"
        #expect(try app.matches(process(["python3", "-W", "ignore", "play"], of: python, in: "one")))
        #expect(try !app.matches(process(["python3", "-m", "play"], of: python, in: "one")))
        #expect(try !app.matches(process(["python3", "-W", "play"], of: python, in: "one")))
        let busybox = "/bin/busybox"
        #expect(try app.matches(process(["sh", "play"], of: busybox, in: "one")))
        #expect(try app.matches(process(["busybox", "sh", "play"], of: busybox, in: "one")))
        #expect(try !app.matches(process(["busybox", "cat", "play"], of: busybox, in: "one")))
        #expect(try !app.matches(process(["vi", "play"], of: busybox, in: "one")))
        // Words that are no files, in a folder with a script of that name.
        for words in [
            ["make", "play"], ["find", "play"], ["npm", "play"], ["cargo", "play"], ["docker", "play"],
            ["git", "play"], ["toolbox", "play"], ["dbus-send", "play"], ["nohup", "play"],
            ["xargs", "play"],
        ] {
            #expect(try !app.matches(process(words, of: "/usr/bin/\(words[0])", in: "one")), "\(words)")
        }
        #expect(try app.matches(process(["oils-for-unix", "play"], of: "/usr/bin/oils-for-unix", in: "one")))
        #expect(try app.matches(process(["osh", "play"], of: "/usr/bin/oils-for-unix", in: "one")))
    }

    @Test("X-1: a module of the same name in another folder is another program")
    func modules() throws {
        let python = "/usr/bin/python3.11"
        try scratch.write("", to: "one/game.py")
        try scratch.write("", to: "two/game.py")
        var launch = Program.Launch(launcher: "python3", path: python, arguments: ["-m", "game"])
        launch.home = FileID(path: "\(scratch.path)/one")
        let app = Program(launch: launch)
        #expect(try app.matches(process(["python3", "-m", "game"], of: python, in: "one")))
        #expect(try !app.matches(process(["python3", "-m", "game"], of: python, in: "two")))
    }

    @Test("X-1: a script that was replaced is the app by its path; in another root that path is another file")
    func replaced() throws {
        let play = try scratch.write("#!/bin/bash\n", to: "one/play", mode: 0o755)
        let app = try program(of: play)
        try scratch.write("#!/bin/bash\n", to: "one/new", mode: 0o755)
        #expect(unsafe rename("\(scratch.path)/one/new", play) == 0)
        #expect(try app.matches(process(["bash", "play"], in: "one")))
        #expect(try app.matches(process(["bash", play], in: "one")))
        #expect(try app.matches(process(["bash", "../one/play"], in: "one")))
        #expect(try !app.matches(process(["bash", "../one/none"], in: "one")))
        try scratch.link("proc/500/root", to: "/")
        #expect(try app.matches(process(["bash", play], in: "one")))
        try scratch.remove("proc/500/root")
        try scratch.write("#!/bin/bash\n", to: "jail\(play)", mode: 0o755)
        try scratch.link("proc/500/root", to: "\(scratch.path)/jail")
        #expect(try !app.matches(process(["bash", play], in: "one")))
    }

    @Test("X-1: an app that is a script with arguments is no other use of that script")
    func arguments() throws {
        let play = try scratch.write("", to: "one/play")
        let id = try #require(FileID(path: play))
        var app = Program(files: [id: play], scripts: [play])
        app.launch = Program.Launch(
            launcher: "bash",
            path: Self.shell,
            arguments: ["-x", play, "chess"],
            following: ["chess"]
        )
        for (words, isApp) in [
            (["bash", "-x", play, "chess"], true), (["bash", "play", "chess", "--new"], true),
            (["bash", "play"], false), (["bash", "play", "mail"], false), (["bash", "chess", play], false),
            (["bash", "-x"], false),
        ] {
            #expect(try app.matches(process(words, in: "one")) == isApp, "\(words)")
        }
    }

    @Test("X-1: a file that cannot be read is taken for a program as well as for a script, and read again")
    func unreadable() throws {
        let play = try scratch.write("#!/bin/bash\n", to: "one/play", mode: 0o755)
        try scratch.link("one/link", to: play)
        let isReadable = Mutex(false)
        let resolver = ProgramResolver(
            catalogue: DesktopCatalogue(folders: [], searchPath: []),
            scripts: ScriptReader { path in
                isReadable.withLock(\.self) ? SmallFiles.read(path, limit: 16_384) : nil
            }
        )
        let token = AppToken("\(scratch.path)/one/link")
        for isKnown in [false, true] {
            isReadable.withLock { $0 = isKnown }
            guard case .program(let app) = resolver.resolve(ShieldSelection(apps: [token])).apps[token] else {
                throw Missing(what: "a script")
            }
            #expect(Array(app.files.values) == [play] && app.canBeGated)
            #expect(app.scripts == [play, token.rawValue])
            #expect(resolver.scripts.read(play) == (isKnown ? .script("#!/bin/bash\n") : .unreadable))
        }
    }

    @Test("X-1: what is read of a file that is replaced meanwhile says nothing about the new one")
    func replacedWhileRead() throws {
        let play = try scratch.write("#!/bin/bash\n", to: "play", mode: 0o755)
        let readings = Mutex(0)
        let reader = Mutex<ScriptReader?>(nil)
        let scratch = scratch
        let slow = ScriptReader(limit: 60_000) { path in
            let number = readings.withLock {
                $0 += 1
                return $0
            }
            let bytes = SmallFiles.read(path, limit: 16_384)
            if number == 1 {
                _ = try? scratch.write("program of another length", to: "play", mode: 0o755)
                // Somebody else asks before this reading is over.
                #expect(reader.withLock(\.self)?.read(play) == .data)
            }
            return bytes
        }
        reader.withLock { $0 = slow }
        _ = slow.read(play)
        #expect(slow.read(play) == .data)
        #expect(readings.withLock(\.self) == 2, "the new one is known")
        reader.withLock { $0 = nil }
    }
}

extension RealProcesses {
    @Suite("Scripts that run", .timeLimit(.minutes(5)))
    struct RunningScriptTests {
        @Test("X-1: of two scripts of one relative name the chosen one is stopped, and the other goes on")
        func relative() async throws {
            let bench = try ShieldBench()
            let path = bench.scratch.path
            #expect(unsafe mkfifo("\(path)/never", 0o600) == 0)
            var children: [Child] = []
            for folder in ["one", "two"] {
                try bench.scratch.write(
                    "#!/bin/sh\nread line <> \(path)/never\n",
                    to: "\(folder)/play",
                    mode: 0o755
                )
                children.append(try Child("/bin/sh", ["-c", "cd \(path)/\(folder) && exec /bin/sh play"]))
            }
            for child in children {
                let table = ProcessTable()
                let words = ["/bin/sh", "play"]
                #expect(await child.wait { table.process($0.pid)?.arguments() == words } != nil)
            }
            try await bench.apply("\(path)/one/play")
            #expect(children[0].isStopped && !children[1].isStopped)
            try await bench.shield.clear(bench.daily)
            #expect(!children[0].isStopped)
        }

        @Test("X-1: a terminal that an app has started goes on when the app's group is stopped")
        func terminal() async throws {
            let bench = try ShieldBench()
            try bench.scratch.write(
                "[Desktop Entry]\nType=Application\nName=T\nExec=mail\nCategories=TerminalEmulator;\n",
                to: "applications/mail.desktop"
            )
            let chess = try Child(bench.chess, ["60"])
            let terminal = try Child(bench.mail, ["60"], group: chess.pid)
            try await bench.apply("chess.desktop", categories: ["Office"])
            #expect(chess.isStopped && !terminal.isStopped)
        }
    }
}
#endif
