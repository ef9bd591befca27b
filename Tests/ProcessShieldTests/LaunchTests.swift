#if os(Linux)
import PortcullisCore
import Testing

@testable import ProcessShield

/// What entries come to whose program runs others: it is never shut itself, and neither is another app of it.
@Suite("Launched apps", .timeLimit(.minutes(5)))
struct LaunchTests {
    private let scratch: Scratch
    private let resolver: ProgramResolver

    init() throws {
        scratch = try Scratch()
        for name in [
            "bash", "sh", "zsh-5.9", "python3", "python3.11", "perl", "node", "java", "wine", "flatpak",
            "snap",
            "busybox", "sudo", "xterm", "ld-linux-x86-64.so.2", "timeout", "gio", "steam", "ruby", "php",
            "awk",
            "chess", "capsh", "runcon", "xinit", "switcherooctl", "qemu-x86_64", "uwsm-app", "nixGL",
            "chroot",
            "lua", "xdg-open", "exo-open", "make", "npm", "find", "git", "wish", "busctl", "dotnet", "bun",
            "deno", "gapplication", "just", "docker", "julia", "tclsh8.6", "box64", "gtk-launch", "kde-open",
            "kde-open5", "dex", "flatpak-spawn", "toolbox", "distrobox", "systemd-run", "gamescope", "bwrap",
            "kstart5", "pkexec", "podman", "mimeopen", "strace", "script", "xargs", "start-stop-daemon",
            "love", "bundle", "poetry", "nix-shell", "swift", "ion",
        ] {
            try scratch.write("program", to: "bin/\(name)", mode: 0o755)
        }
        for name in ["game.py", "game.jar", "sub/game.py"] { try scratch.write("", to: "opt/\(name)") }
        resolver = ProgramResolver(
            catalogue: DesktopCatalogue(
                folders: ["\(scratch.path)/applications"],
                searchPath: ["\(scratch.path)/bin"]
            )
        )
    }

    private func resolution(_ exec: String, _ more: String = "") throws -> ProgramResolver.Resolution {
        // As the file's own format has it.
        let escaped = exec.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
        try scratch.write(
            "[Desktop Entry]\nType=Application\nName=A\nExec=\(escaped)\n\(more)\n",
            to: "applications/a.desktop"
        )
        let token = AppToken("a.desktop")
        return try #require(resolver.resolve(ShieldSelection(apps: [token])).apps[token])
    }

    @Test("X-1: an app of a snap is known by its unit; the snap command by itself is no app")
    func snaps() throws {
        try scratch.write("program", to: "usr/bin/snap", mode: 0o755)
        for name in ["chess", "games.go", "snap-store", "games.bash"] {
            try scratch.link("snap/bin/\(name)", to: "\(scratch.path)/usr/bin/snap")
        }
        let hint = "env BAMF_DESKTOP_FILE_HINT=/a.desktop \(scratch.path)/snap/bin"
        for (exec, id) in [("\(hint)/chess %U", "chess_chess"), ("\(hint)/games.go", "games_go")] {
            guard case .program(let program) = try resolution(exec) else {
                Issue.record("\(exec) is no program")
                continue
            }
            #expect(program.unitID == id && program.isKnownByUnit && !program.canBeGated)
            #expect(program.files.isEmpty && program.launch == nil && program.mayStartUnseen)
        }
        for exec in ["\(hint)/snap-store", "\(hint)/games.bash"] {
            guard case .refused = try resolution(exec) else {
                Issue.record("\(exec) is an app")
                continue
            }
        }
        #expect(
            try resolution("\(scratch.path)/usr/bin/snap")
                == .refused(ProtectedPrograms.launcherReason)
        )
    }

    @Test(
        "X-1: a launch that names nothing but options is refused, however the shell or launcher is called",
        arguments: [
            "bash", "bash -l", "bash --login -i", "sh -c", "bash -c %f", "bash -lc %f", "bash -s x",
            "bash -o posix",
            "bash +O extglob", "bash -", "bash -c \"\"", "bash --rcfile game.py", "zsh-5.9 -i", "python3",
            "python3 -m %f", "python3 -Bm %f", "python3 -c %f", "python3 -", "python3 -W ignore %f",
            "python3.11 -u",
            "perl -e %f", "perl -I lib", "ruby -r set", "node -r x", "java -jar %f", "java -cp x.jar",
            "php -d a=b", "awk -f %f", "env bash", "env -i bash -l", "env -u A bash -l", "env -S \"bash -l\"",
            "env -S\"python3 -u\"", "env --split-string=\"bash -i\"", "env A=b env C=d sh -c", "nohup bash",
            "nohup bash -l", "nice -n 5 bash -i", "timeout 5 bash -l", "timeout -k 1 5 sh -c %f",
            "sh -c bash",
            "sh -c \"exec bash -l\"", "sh -c \"\\$SHELL\"", "sh -c \"exec \\\"\\$@\\\" \" sh",
            "sh -c \"A=b\"",
            "bash -c \"sh -c 'exec bash'\"", "sh -c \"sudo -i\"", "sh -c \"env python3 -\"", "flatpak update",
            "flatpak run", "flatpak run --command bash %f", "snap list", "snap run", "wine",
            "wine start /unix",
            "wine \"C:\\\\windows\\\\command\\\\start.exe\" /unix %f", "busybox", "busybox sh",
            "busybox sh -l",
            "busybox timeout", "gio open %U", "gio info x", "steam -silent %U", "sudo -i", "sudo chess",
            "xterm -e bash",
            "xterm -e chess", "ld-linux-x86-64.so.2 /bin/chess", "sh game.py", "python3 bin/game.py",
            "bash /dev/stdin", "python3 /dev/fd/0", "bash /proc/self/fd/0", "bash /tmp",

            "python3 - game.py", "python3 -c \"\"", "perl -e \" \"", "bash -xs game.py", "gio info chess",
            "wine \"C:/windows/command/start.exe\" /unix %f", "wine \"C:\\\\start.exe\" \"\" /b",
            "sh -c \"sh -c 'exec bash'\"",
            "setarch x86_64 bash", "x86_64 bash -l", "setpriv --reuid 1 bash",
            "sh -c \"bash -l # x\"", "sh -c \"cd /; exec bash -i\"", "sh -c \"cd /x && A=b bash\"",
            "sh -c \"exec 2>&1; exec bash -l\"", "sh -c \"# chess\"",
            "sh -c \"bash -c 'cd /; bash'; sudo -i\"",
            "capsh -- -l", "runcon x chess", "xinit chess", "switcherooctl launch chess", "qemu-x86_64 chess",
            "uwsm-app -- chess", "nixGL chess", "chroot / chess", "prlimit --nofile=5 bash",
            "tini -- bash -l",
            "chess --app-id=abc", "chess -a --app=https://example.org/ --b", "env A=b chess --app-id=abc %U",
            // Pages of a browser.
            "chess https://example.org/--app-id=a", "chess --kiosk http://example.org",
            "chess HTTPS://example.org",
            "chess file:///opt/a.txt", "chess --kiosk FILE:/opt/a", "chess /opt/Start.HTML",
            "chess a.htm?x#y",
            "chess /opt/a.xhtml#b.c", "chess manual.pdf", "chess about:config",
            "flatpak run org.a.Browser /a.html",
            "flatpak run org.a.Browser file:///a", "sh -c \"exec chess file:///a\"",
            "sh -c \"chess /a.html\"",
            "xdg-open https://example.org", "flatpak run org.a.Browser https://example.org",
            "sh -c \"exec chess --new-window 'https://example.org'\"", "sh -c \"exec chess --app-id=a\"",
            "sh -c \"chess https://example.org\"",
            // What opens others as well.
            "xdg-open chess", "xdg-open /opt/game.py", "exo-open chess", "gio open chess", "kde-open chess",
            "kde-open5 chess", "sh -c \"xdg-open chess\"", "steam chess", "steam -applaunch 4",
            "steam steam://rungameid/4", "chess lutris:rungameid/4", "chess heroic://launch/a",
            "sh -c \"steam steam://rungameid/4\"", "sh -c \"exec chess lutris:rungameid/4\"",
            "dex game.desktop", "flatpak-spawn --host chess", "toolbox run chess",
            "distrobox enter a -- chess",
            "systemd-run --user chess", "gamescope -- chess", "bwrap --bind / / chess", "kstart5 chess",
            "pkexec chess", "podman run chess", "mimeopen chess", "strace -f chess", "script -c chess",
            "xargs chess", "start-stop-daemon --start --exec chess",
            // Words that mean something else in each folder.
            "bundle exec ./server", "poetry run chess", "nix-shell --run chess", "swift run chess",
            "ion -l",
            "make play", "npm start", "find game.py", "git gui", "wish -encoding utf-8", "busctl call a",
            "dotnet run", "bun run game", "deno task game", "gapplication launch org.a.Game", "just play",
            "docker run game",
        ]
    )
    func options(_ exec: String) throws {
        guard case .refused(let reason) = try resolution(exec) else {
            Issue.record("\(exec): \(try resolution(exec))")
            return
        }
        #expect(!reason.isEmpty)
    }

    @Test(
        "X-1: a launch that names an app by text is that text and no other",
        arguments: [
            "bash -lc \"cd /x; ./chess; true\"", "python3 -m game", "python3 -Bm game",
            "perl -we \"print\"", "java -cp x.jar org.Game", "flatpak run --command bash org.go.Go",
            "flatpak run --branch=stable org.go.Go @@u %U @@", "snap run go", "env X=1 snap run go",
            "wine \"C:\\\\Go\\\\go.exe\"",
            "wine \"C:\\\\windows\\\\command\\\\start.exe\" /unix go.lnk", "busybox sh -c \"./chess; wait\"",
            "env -S \"python3 -m game\"", "sh -c \"cd /x; ./chess; bash\"",
            "sh -c \"./chess '; bash'; true # bash\"",
            "sh -c \"./a#b && bash\"",
            "python3 -mgame", "node --eval=1",
            "ruby -we puts", "lua -ie print", "awk BEGIN", "gio launch chess", "gtk-launch chess",
            "exo-open --launch chess",
            "wine \"C:\\\\windows\\\\command\\\\start.exe\" /home/go.lnk",
        ]
    )
    func named(_ exec: String) throws {
        guard case .program(let program) = try resolution(exec) else {
            Issue.record("\(exec): \(try resolution(exec))")
            return
        }
        #expect(program.files.isEmpty && !program.canBeGated && program.launch?.following == nil)
        #expect(program.launch?.arguments.isEmpty == false && program.mayStartUnseen)
    }

    @Test(
        "X-1: a shell's text is the app that it ends as, where that is told; else it is refused or the shell is it"
    )
    func texts() throws {
        let (bin, opt) = ("\(scratch.path)/bin", "\(scratch.path)/opt")
        for name in ["go", "part"] { try scratch.write("program", to: "opt/\(name)", mode: 0o755) }
        let (go, game) = ("\(opt)/go", "\(opt)/game.py")
        // The files of the app; none: it is known by the shell's own arguments. `nil`: it is refused.
        let rows: [(String, [String]?)] = [
            ("exec \(go)", [go]), (go, [go]), ("chess", ["\(bin)/chess"]),
            ("cd /tmp && exec chess -x", ["\(bin)/chess"]),
            ("cd \(opt); ./go", [go]), ("cd \(scratch.path); cd opt && ./go -x", [go]),
            ("cd \(opt) || exit 1; A=b ./go >/dev/null 2>&1 &", [go]),
            ("exec 2>&1; exec \(go) &>/dev/null", [go]),
            ("cd \(opt) && exec python3 0</dev/null game.py", [game]),
            ("cd \(opt) && exec python3 9>/dev/null game.py", [game]),
            ("export A=b; nice -n 5 \(go) \\\"\\$@\\\"", [go]), ("[ -x \(go) ] && exec \(go)", [go]),
            ("/bin/sleep 5; \(go)", [go]), ("/bin/mkdir -p /tmp; exec \(go)", [go]),
            ("/bin/mkdir -p /tmp; \(go)", [go]),
            ("if [ -d \(opt) ]; then cd \(opt); fi; ./go", [go]),
            ("python3 \(game) --level", [game]), ("cd \(opt) && exec python3 game.py", [game]),
            ("sh -c 'exec \(go)'", [go]), ("(cd /tmp; exec sh -c \(go))", nil),
            // The shell stays while the first of them runs.
            ("\(go); true", []), ("\(go); bash", []), ("\(go) || \(opt)/part", ["\(opt)/part"]),
            ("./go; wait", []), ("\(go); exec \(opt)/part", ["\(opt)/part"]), ("\(go); sleep 5", []),
            // Nothing tells what the shell goes on as.
            ("/bin/mkdir -p /tmp; /bin/ls", nil), ("/bin/touch /tmp; /bin/sleep 5", nil), ("./go", nil),
            ("cd sub && ./go", nil), ("cd \\$A && ./go", nil), ("cd; ./go", nil), ("\\$HOME/go", nil),
            ("~/go", nil),
            ("exec \\`which go\\`", nil), ("if true; then exec \(go); fi", nil),
            ("if true; then \(go); fi", nil),
            ("case a in a) \(go);; esac", nil), ("run() { \(go); }; run", nil), ("{ \(go); }", nil),
            ("eval \(go)", nil), ("for a in b; do exec \(go); done", nil),
            ("true || exec chess; exec \(go)", nil),
            ("bash -l", nil), ("xdg-open \(go)", nil), ("chess https://example.org", nil),
        ]
        for (text, files) in rows {
            let found = try resolution("sh -c \"\(text)\"")
            switch (found, files) {
            case (.program(let program), let files?):
                #expect(Set(program.files.values) == Set(files), "\(text)")
                #expect(
                    (program.launch?.launcher == "sh") == (files.isEmpty || files == ["\(opt)/part"]),
                    "\(text)"
                )
                #expect(
                    program.launch == nil || program.isKnownByUnit == (program.launch?.launcher == "sh"),
                    "\(text)"
                )
            case (.refused, nil): break
            default: Issue.record("\(text): \(found)")
            }
        }
        for text in ["exec none", "\(opt)/none", "cd \(opt) && ./none"] {
            #expect(try resolution("sh -c \"\(text)\"") == .unresolved, "\(text)")
        }
        guard case .program(let program) = try resolution("sh -c ./go", "Path=\(opt)") else {
            throw Missing(what: "a program in its entry's folder")
        }
        #expect(Array(program.files.values) == [go] && program.canBeGated)
        let entry = try #require(
            DesktopEntry(parsing: "[Desktop Entry]\nName=A\nExec=sh -c 'cd /a && ./b'\n", languages: [])
        )
        #expect(resolver.catalogue.places(of: entry).contains("/a/./b"), "it may be installed later")
        let hidden = try #require(
            DesktopEntry(parsing: "[Desktop Entry]\nName=A\nExec=/a/b\nHidden=true\n", languages: [])
        )
        #expect(resolver.catalogue.places(of: hidden).isEmpty, "it is as good as removed")
    }

    @Test("X-1: the files of an entry's first 64 arguments are awaited")
    func awaitedWords() throws {
        let words = (0..<200).map { "/opt/part\($0) -\($0)" }.joined(separator: " ")
        let text = "[Desktop Entry]\nName=A\nExec=/opt/game \(words)\n"
        let entry = try #require(DesktopEntry(parsing: text, languages: []))
        let places = Set(["/opt/game"] + (0..<64).map { ExactPath("/opt/part\($0)") })
        #expect(resolver.catalogue.places(of: entry) == places)
    }

    @Test(
        "X-1: an option that is called like that of a browser's web apps is an app's own where it names no address",
        arguments: [
            "chess --app=go", "chess --app", "chess --app-identity=a", "chess --server=https://example.org",
            "chess httpd", "chess .html", "chess --manual=/opt/a.html", "chess htmlview", "chess steamy",
            "chess a.html.png", "gtk-launch chess", "python3 -m game --server",
        ]
    )
    func options(like exec: String) throws {
        guard case .program = try resolution(exec) else { throw Missing(what: exec) }
    }

    @Test("X-1: words that name something in their entry's folder are the app in that folder only")
    func folders() throws {
        let opt = "\(scratch.path)/opt"
        try scratch.write("class", to: "opt/org/go/Main.class")
        for (exec, isAtHome) in [
            ("python3 -m game", true), ("python3 -Bm game.main", true), ("python3 -mgame --full", true),
            ("python3 -m elsewhere", false), ("python3 -c 'import game'", true),
            ("python3 -c 'import other'", false), ("perl -Mlib=. -MSome -e run", true),
            ("perl -e print", false), ("snap run game", false), ("flatpak run org.go.Main", false),
            ("java -cp . Main", true), ("java org.go.Main", true),
            ("java -cp /x/go.jar Main", false), ("node -e \"require('./game.py')\"", true),
            ("lua -e \"dofile('game.jar')\"", true), ("ruby -I . -r set -e main", true),
            ("sh -c \"./game.py && ./game.py --again; wait\"", true),
            ("sh -c \"cd /x; ./game.py; wait\"", false),
        ] {
            guard case .program(let program) = try resolution(exec, "Path=\(opt)") else {
                throw Missing(what: exec)
            }
            #expect(program.launch?.home == (isAtHome ? FileID(path: opt) : nil), "\(exec)")
        }
    }

    @Test(
        "X-1: words that mean another program in each folder are refused where their entry names no folder",
        arguments: [
            "java -cp . Main", "java Main", "java -Xmx1g org.go.Main", "node -e \"require('./game')\"",
        ]
    )
    func relative(_ exec: String) throws {
        guard case .refused(let reason) = try resolution(exec) else { throw Missing(what: exec) }
        #expect(reason.contains("in which folder"))
    }

    @Test("X-1: a launch that names a script is that file, which its entry may name from its own folder")
    func scripts() throws {
        let opt = "\(scratch.path)/opt"
        let rows = [
            ("python3 \(opt)/game.py --level 2 %f", "", "game.py", ["--level", "2"]),
            ("python3 -B -W ignore game.py", "Path=\(opt)", "game.py", []),
            ("env -C \(opt)/sub python3 game.py", "Path=\(opt)", "sub/game.py", []),
            ("env --chdir=\(opt)/sub python3 game.py", "", "sub/game.py", []),
            ("bash -l -- \(opt)/game.py", "", "game.py", []),
            ("bash -o posix -- ./game.py x", "Path=\(opt)", "game.py", ["x"]),
            ("java -Xmx1g -jar \(opt)/game.jar", "", "game.jar", []),
            ("wine start /unix \(opt)/game.jar", "", "game.jar", []),
            ("bash --posix \(opt)/game.py", "", "game.py", []),
            ("bash -eo posix \(opt)/game.py", "", "game.py", []),
            ("python3 -Wignore \(opt)/game.py", "", "game.py", []),
            ("python3 -BW ignore \(opt)/game.py", "", "game.py", []),
            ("perl -Mfeature \(opt)/game.py", "", "game.py", []),
            ("node --conditions=e \(opt)/game.py", "", "game.py", []),
            ("tclsh8.6 -encoding utf-8 \(opt)/game.py", "", "game.py", []),
            ("julia -t 4 \(opt)/game.py", "", "game.py", []), ("box64 \(opt)/game.py", "", "game.py", []),
            ("love \(opt)/game.py", "", "game.py", []),
            ("deno run \(opt)/game.py", "", "game.py", []), ("bun \(opt)/game.py", "", "game.py", []),
            ("dotnet exec \(opt)/game.py", "", "game.py", []),
            ("python3 \(opt)/game.py https://example.org", "", "game.py", ["https://example.org"]),
            ("timeout -k 1 5 nice python3 \(opt)/../opt/game.py", "", "game.py", []),
        ]
        for (exec, more, file, following) in rows {
            guard case .program(let program) = try resolution(exec, more) else {
                Issue.record("\(exec): \(try resolution(exec, more))")
                continue
            }
            let path = "\(opt)/\(file)"
            #expect(program.files == [try #require(FileID(path: path)): path], "\(exec)")
            #expect(program.launch?.following == following && !program.canBeGated, "\(exec)")
            #expect(program.scripts.contains(path) && !program.mayStartUnseen, "\(exec)")
        }
        #expect(try resolution("python3 \(opt)/none.py") == .unresolved)
        #expect(try resolution("python3 none.py", "Path=\(opt)") == .unresolved)
        #expect(try resolution("sh \(scratch.path)/bin/bash") == .refused("it is a shell"))
        for device in ["/dev/stdin", "/proc/self/fd/0"] {
            let reason = "its entry runs '\(device)', which is another file in each process"
            #expect(try resolution("bash \(device)") == .refused(reason))
        }
        guard case .program(let link) = try resolution("python3 \(opt)/../opt/game.py") else {
            throw Missing(what: "a script by another path")
        }
        #expect(link.scripts == ["\(opt)/game.py", "\(opt)/../opt/game.py"])
    }

    @Test("X-1: a script that shows a page is refused where its entry gives it to a shell, too")
    func pages() throws {
        for (line, isRefused) in [
            ("exec firefox https://example.org", true), ("exec chromium --app-id=a", true),
            ("curl https://example.org\n./chess", false), ("exec firefox file:///opt/a", true),
            ("PAGE=/opt/a.html\nexec firefox \"$PAGE\"", true), ("exec lutris lutris:rungameid/4", true),
        ] {
            let script = try scratch.write("#!/bin/sh\n\(line)\n", to: "opt/start.sh")
            let reason = line.contains("lutris") ? WebApp.storeReason : WebApp.reason
            #expect((try resolution("sh \(script)") == .refused(reason)) == isRefused, "\(line)")
        }
    }

    @Test("X-1: a category none of whose apps can be shielded is refused")
    func refusedCategory() throws {
        _ = try resolution("xterm", "Categories=Game;")
        let game = CategoryToken("Game")
        #expect(resolver.standing(of: game) == .refused(reason: "none of its apps can be shielded"))
        _ = try resolution("chess", "Categories=Game;")
        #expect(resolver.standing(of: game) == .known)
    }

    @Test("X-1: a program is looked for in its entry's folder, and never in that of this process")
    func relative() throws {
        try scratch.write("program", to: "opt/bin/go", mode: 0o755)
        guard case .program(let program) = try resolution("bin/go", "Path=\(scratch.path)/opt") else {
            throw Missing(what: "a program in its own folder")
        }
        #expect(Array(program.files.values) == ["\(scratch.path)/opt/bin/go"])
        #expect(try resolution("bin/go") == .unresolved)
        #expect(try resolution("bin/go", "Path=opt") == .unresolved)
        // There from wherever this process is.
        let up = String(repeating: "../", count: 40)
        #expect(try resolution("\(up)\(scratch.path.dropFirst())/bin/chess") == .unresolved)
        #expect(try resolution("chess", "TryExec=\(up)\(scratch.path.dropFirst())/bin/chess") == .unresolved)
    }

    @Test("X-1: a hard link to a protected program is refused, and no wrapper's program")
    func hardLinks() throws {
        let bin = "\(scratch.path)/bin"
        try scratch.write("#!/bin/bash\nexec \(bin)/game \"$@\"\n", to: "bin/start", mode: 0o755)
        for (name, reason) in [
            ("bash", "it is a shell"), ("python3.11", "it starts many other programs"),
            ("xterm", "it is a terminal"),
            ("ld-linux-x86-64.so.2", "other programs depend on it"),
        ] {
            try scratch.hardLink("bin/game", to: "\(bin)/\(name)")
            #expect(try resolution("game") == .refused(reason))
            #expect(try resolution("\(bin)/game") == .refused(reason))
            let token = AppToken("\(bin)/game")
            #expect(resolver.standing(of: token) == .refused(reason: reason))
            guard case .program(let start) = try resolution("start") else { throw Missing(what: "a wrapper") }
            #expect(Array(start.files.values) == ["\(bin)/start"])
            #expect(try resolution("sh \(bin)/game") == .refused(reason))
            try scratch.remove("bin/game")
        }
        // The loader is often one folder below, which is named for the machine's kind.
        try scratch.write("loader", to: "bin/x86_64-linux-gnu/ld-linux-x86-64.so.2", mode: 0o755)
        try scratch.hardLink("bin/game", to: "\(bin)/x86_64-linux-gnu/ld-linux-x86-64.so.2")
        #expect(try resolution("game") == .refused("other programs depend on it"))
        try scratch.remove("bin/game")
        // A symbolic link of a protected name tells what the file is called as.
        try scratch.write("program", to: "bin/game", mode: 0o755)
        try scratch.link("bin/dash", to: "\(bin)/game")
        #expect(try resolution("game") == .refused("it is a shell"))
        try scratch.remove("bin/game")
        try scratch.remove("bin/dash")
        // More than one name alone is no reason.
        try scratch.hardLink("bin/game", to: "\(bin)/chess")
        guard case .program = try resolution("game") else { throw Missing(what: "a game of two names") }
    }

    @Test("X-1: what calls itself a terminal is one, whatever its name, and so are its other entries")
    func terminals() throws {
        try scratch.write(
            "[Desktop Entry]\nName=T\nExec=chess\nCategories=System;TerminalEmulator;\nNoDisplay=true\n",
            to: "applications/t.desktop"
        )
        func standing(_ token: String) -> ShieldTokenStanding { resolver.standing(of: AppToken(token)) }
        let refused = ShieldTokenStanding.refused(reason: "it is a terminal")
        _ = try resolution("chess --preferences", "Categories=Utility;")
        #expect(standing("t") == refused && standing("a") == refused)
        #expect(resolver.list().apps.isEmpty)
        let utility = CategoryToken("Utility")
        let members = resolver.resolve(ShieldSelection(categories: [utility])).categories[utility]
        #expect(members == [AppToken("a.desktop"): .refused("it is a terminal")])
        // Also one that an interpreter runs.
        try scratch.write(
            "[Desktop Entry]\nName=T\nExec=python3 \(scratch.path)/opt/game.py\nCategories=TerminalEmulator\n",
            to: "applications/t.desktop"
        )
        #expect(try resolution("python3 \(scratch.path)/opt/game.py --new") == .refused("it is a terminal"))
        guard case .program(let chess) = try resolution("chess") else { throw Missing(what: "an app") }
        #expect(chess.spared == ["\(scratch.path)/opt/game.py"])
    }

    @Test("X-1: the program that shields is not shut: it is the way out")
    func own() throws {
        let own = try #require(SmallFiles.realPath("/proc/self/exe"))
        #expect(resolver.standing(of: AppToken(own)) == .refused(reason: "it runs the shield"))
        #expect(try resolution("\"\(own)\"") == .refused("it runs the shield"))
        #expect(resolver.standing(of: AppToken("/proc/self/exe")) == .refused(reason: "it runs the shield"))
    }

    @Test("X-1: apps that menus do not show are in no category, and apps by name")
    func undisplayed() throws {
        _ = try resolution("chess", "Categories=Game;\nNoDisplay=true")
        let game = CategoryToken("Game")
        #expect(resolver.resolve(ShieldSelection(categories: [game])).categories[game] == [:])
        #expect(resolver.standing(of: AppToken("a.desktop")) == .known)
    }
}
#endif
