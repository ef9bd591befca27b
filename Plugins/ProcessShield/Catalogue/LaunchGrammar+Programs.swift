extension LaunchGrammar {
    /// Returns the grammar of a listed program. In the grammar of a program that is not listed, no argument
    /// names an app.
    ///
    /// Three kinds of programs are left out of the list on purpose:
    /// - Programs whose arguments name no program file, as in `make run` and `find run`. The meaning of such
    ///   arguments depends on the folder.
    /// - Launchers of containers, because they do not start the container's processes themselves.
    /// - Programs that open documents (`xdg-open`) or the games of a store (`steam -applaunch`), because they
    ///   also open other documents and games.
    static func of(_ program: String) -> LaunchGrammar {
        if ProtectedPrograms.reason(for: program) == ProtectedPrograms.shellReason { return shell }
        return grammars[program] ?? LaunchGrammar(needsVerb: true)
    }

    private static let shell = LaunchGrammar(
        clusters: true,
        named: ["--command"],
        valued: ["--rcfile", "--init-file", "-o", "-O", "+o", "+O", "-C", "--init-command"],
        isShell: true
    )

    private static let python = LaunchGrammar(
        clusters: true,
        named: ["-c", "-m"],
        valued: ["-W", "-X", "--check-hash-based-pycs"]
    )
    private static let perl = LaunchGrammar(
        clusters: true,
        named: ["-e", "-E"],
        valued: ["-I"],
        attached: "mMxCDFliVd0"
    )
    private static let ruby = LaunchGrammar(
        clusters: true,
        named: ["-e"],
        valued: ["-r", "-I", "-C", "-E"],
        attached: "FTKWxi0"
    )
    private static let node = LaunchGrammar(
        named: ["-e", "--eval", "-p", "--print", "-pe"],
        valued: ["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"]
    )
    private static let java = LaunchGrammar(
        named: ["-m", "--module"],
        files: ["-jar"],
        valued: [
            "-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "--add-opens",
            "--add-exports", "--add-reads", "--upgrade-module-path",
        ],
        isNamed: true
    )
    private static let lua = LaunchGrammar(clusters: true, named: ["-e"], valued: ["-l"], attached: "jbO")
    private static let awk = LaunchGrammar(files: ["-f"], valued: ["-v", "-F"], isNamed: true)
    private static let gjs = LaunchGrammar(
        named: ["-c", "--command"],
        valued: ["-I", "--include-path", "-C", "--coverage-prefix", "--coverage-output"]
    )
    private static let emulator = LaunchGrammar()
    private static let mono = LaunchGrammar(valued: ["--config"])
    private static let tcl = LaunchGrammar(valued: ["-encoding"])

    private static let wine = LaunchGrammar(verbs: ["start", "/unix", "/Unix", "/wait", "/b"])

    private static let grammars: [String: LaunchGrammar] = [
        "python": python, "pypy": python, "perl": perl, "ruby": ruby, "jruby": ruby, "node": node,
        "nodejs": node, "java": java, "lua": lua, "luajit": lua, "awk": awk, "gawk": awk, "mawk": awk,
        "nawk": awk, "original-awk": awk, "gjs": gjs, "gjs-console": gjs, "tclsh": tcl, "wish": tcl,
        "box64": emulator, "box86": emulator, "escript": emulator, "appimage-run": emulator,
        "umu-run": emulator, "steam-run": emulator, "love": emulator, "nw": emulator, "nwjs": emulator,
        "deno": LaunchGrammar(named: ["-e", "--eval"], verbs: ["run", "eval"], needsVerb: true),
        // `bun run NAME` runs the file NAME only if the project has no script of that name. The names of the
        // project's scripts are not known here. So `run` is listed as a command, and the arguments after a
        // command are not taken for files.
        "bun": LaunchGrammar(
            named: ["-e", "--eval"],
            commands: [
                "run", "test", "x", "repl", "exec", "install", "i", "add", "a", "remove", "rm", "update",
                "outdated", "audit", "link", "unlink", "publish", "patch", "pm", "info", "why", "build",
                "init",
                "create", "c", "upgrade",
            ]
        ),
        "expect": LaunchGrammar(named: ["-c"], files: ["-f"]),
        "guile": LaunchGrammar(named: ["-c"], files: ["-s"], valued: ["-e", "-l", "-L", "-C", "-x"]),
        "julia": LaunchGrammar(
            named: ["-e", "-E", "--eval", "--print"],
            valued: ["-L", "-t", "-p", "-J", "-C", "--load"]
        ),
        "octave": LaunchGrammar(named: ["--eval"], valued: ["-p", "--path"]),
        "racket": LaunchGrammar(named: ["-e", "-l", "-p"], files: ["-u", "-f", "-r", "-t"]),
        "raku": LaunchGrammar(named: ["-e"], valued: ["-I", "-M"]),
        "Rscript": LaunchGrammar(named: ["-e"]),
        "ipython3": LaunchGrammar(named: ["-c", "-m"], valued: ["--profile"]),
        "qmlscene": LaunchGrammar(valued: ["-I"]),
        "php": LaunchGrammar(
            named: ["-r", "-B", "-R", "-E", "-S"],
            files: ["-f", "-F"],
            valued: ["-d", "-c", "-z", "-t"]
        ),
        "dotnet": LaunchGrammar(
            valued: ["--fx-version", "--roll-forward"],
            verbs: ["exec"],
            commands: [
                "add", "build", "build-server", "clean", "dev-certs", "format", "fsi", "help", "list",
                "msbuild", "new", "nuget", "pack", "package", "project", "publish", "reference", "remove",
                "restore", "run", "sdk", "sln", "solution", "store", "test", "tool", "user-secrets", "vstest",
                "watch", "workload",
            ]
        ),
        "mono": mono, "mono-sgen": mono, "mono-boehm": mono,
        "flatpak": LaunchGrammar(
            valued: [
                "--command", "--branch", "--arch", "--runtime", "--runtime-version", "--cwd", "--env",
                "--installation", "--filesystem", "--socket", "--device", "--share", "--persist",
            ],
            verbs: ["run"],
            needsVerb: true,
            isNamed: true
        ),
        "snap": LaunchGrammar(verbs: ["run"], needsVerb: true, isNamed: true),
        "gio": LaunchGrammar(verbs: ["launch"], needsVerb: true, isNamed: true),
        "exo-open": LaunchGrammar(named: ["--launch"], needsVerb: true),
        "wine": wine, "wine64": wine, "wineloader": wine, "wine-preloader": wine, "wine64-preloader": wine,
        "gtk-launch": LaunchGrammar(isNamed: true),
        "electron": LaunchGrammar(valued: ["-r", "--require"]),
        "qml": LaunchGrammar(valued: ["-I", "-f", "-c", "--config"]),
    ]
}
