#if os(Linux)
import Glibc
import PortcullisCore
import Testing

@testable import ProcessShield

/// What a person may put where the shield reads.
@Suite("Files that anyone may write", .timeLimit(.minutes(5)))
struct HostileFilesTests {
    private let scratch: Scratch
    private let catalogue: DesktopCatalogue
    private let resolver: ProgramResolver

    init() throws {
        scratch = try Scratch()
        catalogue = DesktopCatalogue(
            folders: ["\(scratch.path)/applications"],
            searchPath: ["\(scratch.path)/bin"]
        )
        resolver = ProgramResolver(catalogue: catalogue)
        for name in ["chess", "tool"] { try scratch.write("program", to: "bin/\(name)", mode: 0o755) }
    }

    private func write(_ lines: String, _ name: String) throws {
        try scratch.write("[Desktop Entry]\nType=Application\n\(lines)\n", to: "applications/\(name)")
    }

    private var ids: [String] { catalogue.apps().keys.map(\.rawValue).sorted() }

    @Test("X-1: a regular file is read, also by a link to it, and so much of it")
    func regular() throws {
        let file = try scratch.write("entry", to: "file")
        try scratch.link("link", to: file)
        for path in [file, "\(scratch.path)/link"] {
            #expect(SmallFiles.readRegular(path, limit: 3) == Array("ent".utf8))
            #expect(SmallFiles.readRegular(path, limit: 9) == Array("entry".utf8))
        }
        #expect(SmallFiles.readRegular("\(scratch.path)/none", limit: 9) == nil)
    }

    @Test(
        "X-1: a device, a pipe or a folder at a file's place is not read",
        arguments: ["/dev/zero", "/tmp"]
    )
    func devices(_ path: String) throws {
        try scratch.link("applications/a.desktop", to: path)
        #expect(SmallFiles.readRegular("\(scratch.path)/applications/a.desktop", limit: 9) == nil)
        let pipe = "\(scratch.path)/applications/b.desktop"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(SmallFiles.readRegular(pipe, limit: 9) == nil)
        #expect(ids.isEmpty)
    }

    @Test("X-1: a terminal that an entry links to is not opened, and so is not this process's own")
    func terminal() throws {
        let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(master >= 0)
        defer { close(master) }
        var (number, isLocked): (UInt32, Int32) = (0, 0)
        // The requests to unlock the other side and to tell its number.
        try #require(unsafe ioctl(master, 0x4004_5431, &isLocked) == 0)
        try #require(unsafe ioctl(master, 0x8004_5430, &number) == 0)
        let slave = "/dev/pts/\(number)"
        try scratch.link("applications/a.desktop", to: slave)
        #expect(ids.isEmpty)
        // The other end hears of it when a terminal was opened and closed.
        var wait = pollfd(fd: master, events: 0, revents: 0)
        _ = unsafe poll(&wait, 1, 0)
        #expect(wait.revents & Int16(POLLHUP) == 0)
    }

    @Test("X-1: links to folders above are no further folders, and a folder's entries have that folder's ids")
    func links() throws {
        try write("Name=A\nExec=chess", "a.desktop")
        try write("Name=B\nExec=chess", "games/b.desktop")
        // No folder, and before one.
        try scratch.write("", to: "applications/README")
        for name in ["again", "once", "x"] { try scratch.link("applications/\(name)", to: ".") }
        try scratch.link("applications/games/up", to: "..")
        // Read before the folder that it leads to, if it were by name.
        try scratch.link("applications/fun", to: "games")
        #expect(ids == ["a.desktop", "games-b.desktop"])
        #expect(EntryTree.folders(below: catalogue.folders[0]).count == 2)
    }

    @Test("X-1: a folder below is read as far as the third, and entries as far as there may be")
    func depth() throws {
        for folder in ["", "1/", "1/2/", "1/2/3/", "1/2/3/4/"] {
            try write("Name=A\nExec=chess", "\(folder)a.desktop")
        }
        #expect(ids == ["1-2-3-a.desktop", "1-2-a.desktop", "1-a.desktop", "a.desktop"])
        for number in 0..<4_096 {
            try scratch.link("applications/b\(number).desktop", to: "a.desktop")
        }
        #expect(ids.count == 4_096)
    }

    @Test("X-1: of the folders below one, and of the names in one, so many are looked at")
    func folders() throws {
        let top = catalogue.folders[0]
        for number in 0..<261 { try write("Name=A\nExec=chess", "\(number)/a.desktop") }
        #expect(EntryTree.folders(below: top).count == 256)
        let full = "\(scratch.path)/full"
        try scratch.write("", to: "full/z/a.desktop")
        for number in 1..<4_096 { try scratch.link("full/a\(number)", to: "none") }
        #expect(EntryTree.folders(below: full).map(\.prefix) == ["", "z-"])
        try scratch.link("full/b", to: "none")
        #expect(EntryTree.folders(below: full).map(\.prefix) == [""])
    }

    @Test("X-1: an entry of several names is an app by each of them")
    func names() throws {
        try write("Name=A\nExec=chess", "a.desktop")
        try scratch.hardLink("applications/b.desktop", to: "\(scratch.path)/applications/a.desktop")
        try scratch.link("applications/c.desktop", to: "a.desktop")
        #expect(ids == ["a.desktop", "b.desktop", "c.desktop"])
        let entries = EntryReader()
        #expect(catalogue.apps(entries).count == 3 && entries.count == 1, "it is read once")
    }

    @Test(
        "X-1: an entry is an app as long as the file, its name and its command have a length that is meant",
        arguments: [
            (name: 1, exec: "chess", padding: 65_483, isApp: true),
            (name: 1, exec: "chess", padding: 65_484, isApp: false),
            (name: 1, exec: "chess", padding: 70_000, isApp: false),
            (name: 1_024, exec: "chess", padding: 0, isApp: true),
            (name: 1_025, exec: "chess", padding: 0, isApp: false),
            (name: 1, exec: "chess " + String(repeating: "a ", count: 999), padding: 0, isApp: true),
            (name: 1, exec: "chess " + String(repeating: "a ", count: 1_000), padding: 0, isApp: false),
            (name: 1, exec: "chess " + String(repeating: "a", count: 8_186), padding: 0, isApp: true),
            (name: 1, exec: "chess " + String(repeating: "a", count: 8_187), padding: 0, isApp: false),
        ]
    )
    func lengths(_ row: (name: Int, exec: String, padding: Int, isApp: Bool)) throws {
        let padding = String(repeating: "x", count: row.padding)
        try write(
            "Name=\(String(repeating: "n", count: row.name))\nExec=\(row.exec)\n#\(padding)",
            "a.desktop"
        )
        #expect(ids.isEmpty == !row.isApp)
    }

    @Test("X-1: texts of flags and of accents without a letter are read like any others")
    func characters() throws {
        let (flags, accents) = (String(repeating: "🇦", count: 900), String(repeating: "\u{301}", count: 900))
        try write(
            "\(flags)=x\nName= é \nExec=\"\(scratch.path)/bin/chess\" \(flags)=\(accents) \"\(accents) 🇦\"\nCategories=a;\(accents);Game",
            "a.desktop"
        )
        let app = try #require(catalogue.apps()[AppToken("a.desktop")])
        #expect(app.entry.name == "é" && app.entry.categories.last == "Game")
        #expect(app.command.arguments == ["\(flags)=\(accents)", "\(accents) 🇦"])
    }

    @Test("X-1: a word that is longer than a file's name is no version of a program")
    func words() {
        for (count, end, isKnown) in [
            (0, "", true), (100, "", true), (124, "", true), (124, "1", false), (125, "", false),
            (30_000, "", false),
        ] {
            let word = "busybox" + String(repeating: "-a", count: count) + end
            #expect((ProtectedPrograms.known(word) == "busybox") == isKnown, "\(word.utf8.count) bytes")
        }
    }

    @Test(
        "X-1: a wrapper stands for the program that its last line goes on as, and for none where another exec differs",
        arguments: [
            ("exec /bin/chess \"$@\"", "/bin/chess"),
            ("if x; then\n  exec /bin/chess -a\nfi\nexec /bin/chess", "/bin/chess"),
            ("# exec /bin/tool\nexec 2>/dev/null\nexec 3<&0 >&2\nexec -a x '/bin/chess'", "/bin/chess"),
            ("[ -x /bin/chess ] && exec /bin/chess \"$@\"", "/bin/chess"),
            ("exec env A=b nice /bin/chess", "/bin/chess"),
            ("echo executable; x=/bin/exec /bin/tool", nil),
            ("if x; then\n  exec /bin/chess\nfi\nexec /bin/tool \"not installed\"", nil),
            ("[ -x \"$d/chess\" ] && exec \"$d/chess\"\nexec /bin/tool \"not installed\"", nil),
            ("command -v chess && (exec chess)\nexec /bin/tool", nil),
            ("exec \"$HERE/chess\" \"$@\"", nil), ("exec /opt/$1/chess", nil), ("exec chess", nil),
            ("exec \"/bin/chess", nil), ("", nil),
            // A tool that the script only goes on as where something is missing, or that a text names.
            ("[ -d /opt/chess ] || exec /bin/tool README\n./chess", nil),
            ("[ -d /opt/chess ] || exec /bin/tool README", nil), ("[ -x /bin/chess ] && exec /bin/tool", nil),
            ("./chess\nif [ $? -ne 0 ]; then\n  exec /bin/tool failed\nfi", nil),
            ("cat <<END\nexec /bin/tool\nEND\n./chess", nil), ("cat <<END\nexec /bin/tool", nil),
            ("cat <<-'END' <<B\n\texec /bin/tool\n\tEND\nexec /bin/other\nB\nexec /bin/chess", "/bin/chess"),
            ("./chess || echo \"Try this:\nexec /bin/tool\"", nil),
            ("cat <<<x\nexec /bin/chess", "/bin/chess"),
            ("chess # it's \\\nexec /bin/chess", "/bin/chess"),
            ("# it's a wrapper\nA=b C=\"d e\" exec \\\n  /bin/chess \\\n  --new # x", "/bin/chess"),
            // One that follows the app.
            ("cd /opt && ./chess && exit\nexec /bin/tool README", nil),
            ("\"$HERE/chess\" -x\nexec /bin/tool", nil),
            ("if /opt/chess; then exit; fi\nexec /bin/tool", nil), ("(./chess)\nexec /bin/tool", nil),
            (
                "D=$(cd \"$(dirname \"$0\")/..\" && pwd)\n/bin/mkdir -p /x/y\n. /etc/chess\n[ -d /x/y ] || "
                    + "mkdir /x/y\nexport A=/x/y\nexec /bin/chess", "/bin/chess"
            ),
            ("supergame \"$@\"\nexec /bin/tool 1", nil), ("nowhere\nexec /bin/tool", nil),
            // One that starts the app in a way that does not begin its line.
            ("(cd /opt && ./chess)\nexec /bin/tool", nil),
            ("/opt/chess -u \"$(id -u)\"\nexec /bin/tool", nil),
            ("LOG=$(/opt/chess 2>&1)\nexec /bin/tool", nil), ("LOG=`/opt/chess`\nexec /bin/tool", nil),
            ("$(which chess) -x\nexec /bin/tool", nil), ("eval \"/opt/chess -x\"\nexec /bin/tool", nil),
            ("eval \"$(/opt/chess)\"\nexec /bin/tool", nil), (">log ./chess\nexec /bin/tool", nil),
            ("2> log ./chess\nexec /bin/tool", nil),
            ("function play { /opt/chess; }\nplay\nexec /bin/tool", nil),
            ("play() { /opt/chess; }\nplay\nexec /bin/tool", nil),
            ("case $1 in\n-x) /opt/chess ;;\nesac\nexec /bin/tool", nil),
            (
                "N=$((2 * (3 + 4)))\nD=$(dirname \"$(readlink -f \"$0\")\")\nawk '{ print $(NF-1) }' x\n"
                    + "eval set -- x\n>/dev/null mkdir /x\ncase $1 in\n-x)\nshift ;;\nesac\nexec /bin/chess",
                "/bin/chess"
            ),
            ("GAME=/opt/game\n\"$GAME\" \"$@\"\nexec /bin/tool", nil),
            // The app is what the system's interpreter runs.
            ("python3 game.py\nexec /bin/tool", nil),
            ("/usr/bin/java -jar a.jar \"$@\"\nexec /bin/tool", nil),
            ("bash /opt/run\nexec /bin/tool", nil), ("sh -c /opt/chess\nexec /bin/tool", nil),
            (". /opt/run\nexec /bin/tool", nil), ("source ./run\n[ -x /bin/tool ] && exec /bin/tool", nil),
            ("python3 -V\n. /usr/share/chess.sh\nexec /bin/chess", "/bin/chess"),
            ("python3 game.py\nexec /opt/chess", "/opt/chess"),
            ("run() {\n  echo x\n}\nfunction go {\n  :\n}\nrun; go\nexec /bin/chess", "/bin/chess"),
            ("case $1 in\n-h) echo x ;;\n--new) supergame ;;\nesac\nexec /bin/chess", nil),
            ("case $1 in\n-h) echo x ;;\n*) mkdir -p /x 2>/dev/null ;;\nesac\nexec /bin/chess", "/bin/chess"),
            ("2>/dev/null\nwhile read a; do echo $a; done\nexec /bin/chess", "/bin/chess"),
            ("exec /bin/chess\n./tool", nil), ("./tool\nexec 2>/dev/null", nil),
            ("exec /bin/chess\n" + String(repeating: "#", count: 16_384), nil),
            ("exec 0</dev/null\nexec 9>&1\nexec\t/bin/chess", "/bin/chess"),
            ("exec :>x\nexec /bin/chess", nil), ("exec 9\nexec /bin/chess", nil),
            // With the lines around it one byte less than is read of a script, and as much.
            ("exec /bin/chess\n" + String(repeating: "#", count: 16_356), "/bin/chess"),
            ("exec /bin/chess\n" + String(repeating: "#", count: 16_357), nil),
        ] as [(String, String?)]
    )
    func targets(_ row: (text: String, target: String?)) {
        let found = ScriptTarget.path(in: "#!/bin/sh\n\(row.text)\n") { name in
            switch name {
            case "nowhere", "-x": nil
            case "supergame": "/usr/games/supergame"
            default: "/usr/bin/\(name)"
            }
        }
        #expect(found == row.target)
    }

    @Test(
        "X-1: a command that is too long to be read may start the app, as a shorter one does",
        arguments: [
            ("/opt/game", 1, 8_000), ("/opt/game", 1, 8_200), ("/opt/game", 1_000, 1), ("tool", 1, 8_000),
            ("tool", 999, 1), ("tool", 1, 8_200), ("tool", 1_000, 1),
        ]
    )
    func longCommands(_ row: (program: String, words: Int, length: Int)) {
        let word = String(repeating: "a", count: row.length)
        let words = [row.program] + Array(repeating: word, count: row.words)
        let command = words.joined(separator: " ")
        let found = ScriptTarget.path(in: "#!/bin/sh\n\(command) &\nexec /bin/tail\n") { "/usr/bin/\($0)" }
        let isKnown = row.program == "tool" && row.words < 1_000 && row.length <= 8_000
        #expect(found == (isKnown ? "/bin/tail" : nil))
    }

    @Test("X-1: the commands of a line are parts of it, however many there are")
    func commands() {
        let line = String(repeating: "exec $A ", count: 1_600)
        let commands = ScriptTarget.commands(in: Substring(line))
        #expect(commands.count == 1_600)
        #expect(commands.reduce(0) { $0 + $1.utf8.count } == line.utf8.count)
    }

    @Test("X-1: a script of many pages and commands is understood about as fast as any other of its length")
    func manyPages() throws {
        let pages = (0..<480).map { "a\($0)=https://x\n" }.joined()
        let script = try scratch.write(
            "#!/bin/sh\n\(pages)\(String(repeating: "exec x ", count: 1_200))\n:\n",
            to: "bin/many",
            mode: 0o755
        )
        let start = ContinuousClock.now
        #expect(resolver.standing(of: AppToken(script)) == .known)
        // The limit is hundreds of times what the call needs on a machine with nothing else to do.
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("X-1: of a script's commands each is looked up once, and of very many none is the app")
    func lookups() {
        for (count, target) in [(64, "/bin/chess"), (65, nil)] as [(Int, String?)] {
            var names: [String] = []
            let lines = String(repeating: (0..<count).map { "tool\($0)\n" }.joined(), count: 3)
            let found = ScriptTarget.path(in: "#!/bin/sh\n\(lines)exec /bin/chess\n") { name in
                names.append(name)
                return "/usr/bin/\(name)"
            }
            #expect(found == target)
            #expect(names.count == 64 && Set(names).count == 64)
        }
    }

    @Test(
        "X-1: of words without end only so many are looked for in the folder, which then counts as the app's"
    )
    func manyWords() {
        let folder = scratch.path
        let words = (0..<65).map { "word\($0)" }
        #expect(resolver.home(of: words.dropLast() + words.dropLast(), in: folder) == nil)
        #expect(resolver.home(of: words[...], in: folder) == FileID(path: folder))
    }

    @Test("X-1: a shield of paths reads no script of an entry")
    func onlyPaths() async throws {
        let bench = try ShieldBench()
        try bench.scratch.write("#!/bin/sh\nexec x\n", to: "bin/play", mode: 0o755)
        try bench.scratch.write(
            "[Desktop Entry]\nName=P\nExec=play\nCategories=Game;\n",
            to: "applications/play.desktop"
        )
        let selection = try await bench.shield.selection(apps: [bench.chess], categories: [])
        #expect(selection.apps == [AppToken(bench.chess)])
        #expect(await bench.shield.resolver.scripts.count == 1, "only the program itself was read")
        _ = try await bench.shield.selection(apps: [bench.chess], categories: ["Game"])
        #expect(await bench.shield.resolver.scripts.count > 1)
    }

    @Test("X-1: a tool that a wrapper only names in its error branch is not the app")
    func errorBranch() throws {
        let bin = "\(scratch.path)/bin"
        let start = try scratch.write(
            "#!/bin/sh\nif [ -x \(bin)/chess ]; then\n  exec \(bin)/chess\nfi\nexec \(bin)/tool gone\n",
            to: "bin/start",
            mode: 0o755
        )
        let token = AppToken(start)
        let found = resolver.resolve(ShieldSelection(apps: [token])).apps[token]
        guard case .program(let program) = found else { throw Missing(what: "the script") }
        #expect(Array(program.files.values) == [start])
    }

    @Test("X-1: of many processes with many arguments or variables, only what shows an app is kept")
    func manyArguments() throws {
        let processes = try ProcessFolder()
        let python = try processes.scratch.write("python", to: "bin/python3", mode: 0o755)
        let image = try processes.scratch.write("image", to: "chess.AppImage", mode: 0o755)
        let launch = Program.Launch(launcher: "python3", path: python, arguments: ["-m", "game"])
        let id = try #require(FileID(path: image))
        let programs = [Program(launch: launch), Program(files: [id: image], isImage: true)]
        let rest = Array(repeating: "", count: 65_536)
        try processes.write(500, python, words: ["python3", "-m", "game"] + rest)
        try processes.write(501, python, words: ["python3", "-m", "mail"] + rest)
        try processes.write(502, "/tmp/.mount_X/chess")
        let variables = Array(repeating: "APPIMAGE=/a\0APPIMAGE=\(image)\0", count: 1_000).joined()
        try processes.scratch.write(variables, to: "proc/502/environ")
        let stopper = processes.stopper()
        var found = processes.table.look(for: programs).processes
        #expect(stopper.readStarts(of: &found, for: programs))
        #expect(found[500]?.argumentBytes?.count == 65_536 && found[501]?.argumentBytes == [])
        #expect(found[502]?.images == [image])
        #expect(Set(stopper.targets(in: found, of: programs).keys) == [500, 502])
    }

    @Test("X-1: what calls itself a terminal is one by its path as well, and is left by an app of a path")
    func terminals() throws {
        try write("Name=T\nExec=tool\nCategories=System;TerminalEmulator;", "t.desktop")
        let tokens = ["chess", "tool"].map { AppToken("\(scratch.path)/bin/\($0)") }
        let found = resolver.resolve(ShieldSelection(apps: Set(tokens))).apps
        guard case .program(let chess) = found[tokens[0]] else { throw Missing(what: "an app") }
        #expect(chess.spared == ["\(scratch.path)/bin/tool"])
        #expect(found[tokens[1]] == .refused("it is a terminal"))
        #expect(resolver.standing(of: tokens[1]) == .refused(reason: "it is a terminal"))
        // One that a launcher runs has no file to be known by.
        try scratch.write("program", to: "bin/python3", mode: 0o755)
        try write("Name=U\nExec=python3 -m term\nCategories=TerminalEmulator;", "u.desktop")
        #expect(resolver.standing(of: AppToken("u.desktop")) == .refused(reason: "it is a terminal"))
        // To another user's shield the same entry says so of its own id only, unless it is root's.
        let entry = "\(scratch.path)/applications/t.desktop"
        if getuid() == 0 {
            let guest = ProgramResolver(catalogue: catalogue, user: 1_000)
            #expect(guest.standing(of: tokens[1]) == .refused(reason: "it is a terminal"), "root's")
            try #require(unsafe chown(entry, 1_000, 1_000) == 0)
            #expect(guest.standing(of: tokens[1]) == .refused(reason: "it is a terminal"), "its own")
        }
        let other = ProgramResolver(catalogue: catalogue, user: getuid() + 1)
        #expect(other.standing(of: tokens[1]) == .known)
        #expect(other.standing(of: AppToken("t.desktop")) == .refused(reason: "it is a terminal"))
    }
}
#endif
