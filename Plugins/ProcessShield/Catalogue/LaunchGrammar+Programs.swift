extension LaunchGrammar {
    /// The grammar of a listed program: of one without its own, the first argument that is no option is a file.
    static func of(_ program: String) -> LaunchGrammar {
        if ProtectedPrograms.reason(for: program) == ProtectedPrograms.shellReason { return shell }
        return grammars[program] ?? LaunchGrammar(named: ["-e", "-c"])
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
    private static let opener = LaunchGrammar(isNamed: true)
    private static let deno = LaunchGrammar(named: ["-e", "--eval"], verbs: ["run", "eval"])

    private static let wine = LaunchGrammar(verbs: ["start", "/unix", "/Unix", "/wait", "/b"])

    private static let grammars: [String: LaunchGrammar] = [
        "python": python, "pypy": python, "perl": perl, "ruby": ruby, "jruby": ruby, "node": node,
        "nodejs": node, "java": java, "lua": lua, "luajit": lua, "awk": awk, "gawk": awk, "mawk": awk,
        "nawk": awk, "gjs": gjs, "gjs-console": gjs, "deno": deno, "bun": deno,
        "php": LaunchGrammar(
            named: ["-r", "-B", "-R", "-E", "-S"],
            files: ["-f", "-F"],
            valued: ["-d", "-c", "-z", "-t"]
        ),
        "dotnet": LaunchGrammar(valued: ["--fx-version", "--roll-forward"], verbs: ["exec"]),
        "mono": LaunchGrammar(valued: ["--config"]),
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
        "gio": LaunchGrammar(verbs: ["launch", "open"], needsVerb: true, isNamed: true),
        "steam": LaunchGrammar(named: ["-applaunch"], isNamed: true),
        "exo-open": LaunchGrammar(named: ["--launch"], isNamed: true),
        "wine": wine, "wine64": wine, "wineloader": wine, "wine-preloader": wine, "wine64-preloader": wine,
        "xdg-open": opener, "gtk-launch": opener, "kde-open": opener,
        "electron": LaunchGrammar(valued: ["-r", "--require"]),
        "qml": LaunchGrammar(valued: ["-I", "-f", "-c", "--config"]),
    ]
}
