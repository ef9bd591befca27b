import PortcullisCore
import Testing

@testable import ProcessShield

@Suite("The catalogue of desktop entries", .timeLimit(.minutes(5)))
struct CatalogueTests {
    private let scratch: Scratch
    private let catalogue: DesktopCatalogue
    private let resolver: ProgramResolver

    init() throws {
        scratch = try Scratch()
        catalogue = DesktopCatalogue(
            folders: ["\(scratch.path)/home/applications", "\(scratch.path)/usr/applications"],
            searchPath: ["\(scratch.path)/bin"],
            languages: ["de_CH.UTF-8", "fr"]
        )
        resolver = ProgramResolver(catalogue: catalogue)
        for name in ["chess", "mail", "kgx", "flatpak", "bash"] {
            try scratch.write("program", to: "bin/\(name)", mode: 0o755)
        }
        try scratch.write("no program", to: "bin/readme")
    }

    private func entry(_ lines: String, _ name: String, in place: String = "usr") throws {
        try scratch.write(
            "[Desktop Entry]\nType=Application\n\(lines)\n",
            to: "\(place)/applications/\(name)"
        )
    }

    private func resolution(_ token: String) -> ProgramResolver.Resolution? {
        resolver.resolve(ShieldSelection(apps: [AppToken(token)])).apps[AppToken(token)]
    }

    @Test("A-23: names are in the person's language, from the best locale there is")
    func localisedNames() throws {
        try entry("Name=Chess\nName[de]=Schach\nName[fr]=Échecs\nExec=chess", "chess.desktop")
        try entry("Name=Mail\nName[fr]=Courrier\nExec=mail", "mail.desktop")
        #expect(resolver.list().apps.map(\.label) == ["Courrier", "Schach"])
    }

    @Test(
        "A-23: a locale that names no language takes the plain name",
        arguments: ["_", "__", "_.UTF-8", "_@x", "@", ".", ""]
    )
    func emptyLocale(_ locale: String) {
        let text = "[Desktop Entry]\nType=Application\nName=Plain\nName[de]=Deutsch\nExec=chess\n"
        #expect(DesktopEntry(parsing: text, languages: [locale])?.name == "Plain")
    }

    @Test(
        "A-23: a locale is matched from the most exact form to the language alone",
        arguments: [
            ("sr_RS.UTF-8@latin", ["sr_RS@latin", "sr_RS", "sr@latin", "sr"]), ("de_CH", ["de_CH", "de"]),
            ("de", ["de"]), ("de_CH@a@b", ["de_CH@a@b", "de_CH", "de@a@b", "de"]),
        ]
    )
    func locales(_ row: (locale: String, keys: [String])) throws {
        // Take the best away, and the next is found.
        for index in row.keys.indices {
            let names = row.keys[index...].map { "Name[\($0)]=\($0)" }.reversed().joined(separator: "\n")
            let text = "[Desktop Entry]\nName=none\n\(names)\n"
            #expect(DesktopEntry(parsing: text, languages: [row.locale])?.name == row.keys[index])
        }
    }

    @Test("A-23: entries that are hidden, undisplayed, no application or not installed are not listed")
    func leftOut() throws {
        try entry("Name=Chess\nExec=chess", "chess.desktop")
        try entry("Name=Undisplayed\nExec=chess\nNoDisplay=true", "b.desktop")
        try entry("Name=Hidden\nExec=chess\nHidden=true", "c.desktop")
        try entry("Name=Gone\nExec=gone", "d.desktop")
        try entry("Name=Not tried\nExec=chess\nTryExec=gone", "e.desktop")
        try entry("Name=No program\nExec=readme", "f.desktop")
        try entry("Name=Terminal\nExec=kgx", "g.desktop")
        try scratch.write("[Desktop Entry]\nType=Link\nName=Link\nURL=x:", to: "usr/applications/h.desktop")
        try scratch.write("Name=Outside\nExec=chess", to: "usr/applications/i.desktop")
        try scratch.write("[Desktop Action new]\nName=Action\nExec=chess", to: "usr/applications/j.desktop")
        #expect(resolver.list().apps.map(\.label) == ["Chess"])
        // Named by hand, what menus do not show is an app all the same.
        guard case .program = resolution("b.desktop") else { throw Missing(what: "an undisplayed app") }
        for id in ["c", "d", "e", "f", "h", "i"] { #expect(resolution("\(id).desktop") == .unresolved) }
    }

    @Test("X-1: a folder in the person's home stands before the system's; deleting there deletes")
    func order() throws {
        try entry("Name=Chess\nExec=chess", "chess.desktop")
        try entry("Name=My chess\nExec=mail", "chess.desktop", in: "home")
        try entry("Name=Mail\nExec=mail", "mail.desktop")
        try entry("Name=Mail\nExec=mail\nHidden=true", "mail.desktop", in: "home")
        #expect(resolver.list().apps == [.init(token: AppToken("chess.desktop"), label: "My chess")])
        // One that is deleted is not there, and those behind the ones that home has are.
        #expect(resolver.standing(of: AppToken("mail.desktop")) == .unknown)
        try entry("Name=Zebra\nExec=mail", "zebra.desktop")
        #expect(resolver.list().apps.map(\.label) == ["My chess", "Zebra"])
    }

    @Test("X-1: a folder below becomes a dash in the id")
    func ids() throws {
        try entry("Name=Chess\nExec=chess", "games/chess.desktop")
        #expect(resolver.list().apps.map(\.token.rawValue) == ["games-chess.desktop"])
        guard case .program = resolution("games-chess") else {
            throw Missing(what: "an id without its ending")
        }
    }

    @Test("X-1: a program is known by its file, links and paths aside")
    func files() throws {
        let id = try #require(FileID(path: "\(scratch.path)/bin/chess"))
        try entry(
            "Name=Chess\nExec=env A=b nice -n 5 \"\(scratch.path)/bin/chess\" --new %U",
            "chess.desktop"
        )
        for token in ["chess.desktop", "\(scratch.path)/bin/chess", "\(scratch.path)/bin/../bin/chess"] {
            guard case .program(let program) = resolution(token) else { throw Missing(what: token) }
            #expect(program.files == [id: "\(scratch.path)/bin/chess"])
            #expect(program.canBeGated)
        }
        #expect(resolution("/nowhere") == .unresolved)
        #expect(resolution(scratch.path) == .unresolved, "a folder is no program")
    }

    @Test("X-1: a wrapper stands for the program it ends in, and for itself")
    func wrappers() throws {
        let script = try scratch.write(
            "#!/bin/sh\n# exec /bin/no\nexec \"\(scratch.path)/bin/chess\" \"$@\"\n",
            to: "bin/start",
            mode: 0o755
        )
        guard case .program(let program) = resolution(script) else { throw Missing(what: "the script") }
        let ids = [script, "\(scratch.path)/bin/chess"].compactMap(FileID.init)
        #expect(Set(program.files.keys) == Set(ids))
        #expect(program.scripts.contains(script))
    }

    @Test("X-1: shells, terminals and bare launchers are refused, with a reason")
    func refusals() throws {
        try entry("Name=Terminal\nExec=kgx", "terminal.desktop")
        try entry("Name=Flatpak\nExec=flatpak", "flatpak.desktop")
        try entry("Name=Shell\nExec=bash", "shell.desktop")
        #expect(resolution("terminal.desktop") == .refused("it is a terminal"))
        #expect(resolution("flatpak.desktop") == .refused("it starts many other programs"))
        #expect(resolution("shell.desktop") == .refused("it is a shell"))
        #expect(resolution("\(scratch.path)/bin/bash") == .refused("it is a shell"))
        #if os(Linux)
        let own = try #require(SmallFiles.realPath("/proc/self/exe"))
        #expect(resolution(own) == .refused("it runs the shield"))
        #endif
    }

    @Test("X-1: an app of a shared launcher is known by its unit and its arguments, never by the launcher")
    func launchers() throws {
        try entry("Name=Go\nExec=flatpak run --branch=stable org.go.Go @@u %U @@", "org.go.Go.desktop")
        try entry("Name=One\nExec=bash -c \"./thing; true\"", "one.desktop")
        guard case .program(let program) = resolution("org.go.Go.desktop") else { throw Missing(what: "Go") }
        #expect(program.files.isEmpty && !program.canBeGated)
        #expect(program.unitID == "org.go.Go")
        #expect(program.launch?.arguments == ["run", "--branch=stable", "org.go.Go", "@@u"])
        guard case .program(let shell) = resolution("one.desktop") else { throw Missing(what: "sh -c") }
        #expect(shell.launch?.arguments == ["-c", "./thing; true"])
    }

    @Test("X-1: categories hold what names them, programs installed later too")
    func categories() throws {
        try entry("Name=Chess\nExec=chess\nCategories=GTK;Game;LogicGame;", "chess.desktop")
        try entry("Name=Chat\nExec=mail\nCategories=Network;InstantMessaging;", "chat.desktop")
        try entry("Name=Terminal\nExec=kgx\nCategories=Game;", "terminal.desktop")
        let labels = resolver.list().categories.map(\.label)
        #expect(labels == ["Games", "Internet", "Social"])
        func members(_ token: String) -> [AppToken: ProgramResolver.Resolution] {
            let token = CategoryToken(token)
            return resolver.resolve(ShieldSelection(categories: [token])).categories[token] ?? [:]
        }
        for token in ["Game", "games"] {
            #expect(Set(members(token).keys.map(\.rawValue)) == ["chess.desktop", "terminal.desktop"])
        }
        #expect(members("social").keys.map(\.rawValue) == ["chat.desktop"])
        #expect(members("Office").isEmpty)
        try entry("Name=Go\nExec=mail\nCategories=Game;", "go.desktop")
        #expect(members("Game").count == 3)
        // What is no category takes nothing from those that are.
        let tokens = Set(AppCategories.all.map { CategoryToken($0.token) })
        let unknown = (0..<20).map { CategoryToken("none\($0)") }
        let found = resolver.resolve(ShieldSelection(categories: tokens.union(unknown))).categories
        #expect(Set(found.keys) == tokens)
    }

    @Test("X-1: the environment names the folders, in order and once")
    func environment() {
        let catalogue = DesktopCatalogue(environment: [
            "HOME": "/h", "XDG_DATA_DIRS": "/x:/y:/x", "PATH": "/bin:relative:/sbin",
            "LANG": "de_CH.UTF-8",
            "LANGUAGE": "rm:de",
        ])
        #expect(catalogue.folders == ["/h/.local/share", "/x", "/y"].map { "\($0)/applications" })
        #expect(catalogue.searchPath == ["/bin", "/sbin"])
        #expect(catalogue.languages == ["rm", "de", "de_CH.UTF-8"])
        #expect(DesktopCatalogue(environment: ["XDG_DATA_HOME": "/d"]).folders[0] == "/d/applications")
        // What flatpak and snap export goes with the machine's own folder.
        let exported = ["/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop"].map {
            "\($0)/applications"
        }
        for folders in [nil, "", "/x:/usr/share", "/usr/share/"] {
            let catalogue = DesktopCatalogue(environment: folders.map { ["XDG_DATA_DIRS": $0] } ?? [:])
            #expect(catalogue.folders.suffix(2) == exported)
        }
        let sparse = DesktopCatalogue(environment: [
            "HOME": "/h", "XDG_DATA_HOME": "", "XDG_DATA_DIRS": "relative:/x", "LC_ALL": "",
            "LC_MESSAGES": "fr",
            "LANG": "de",
        ])
        #expect(sparse.folders == ["/h/.local/share/applications", "/x/applications"])
        #expect(sparse.languages == ["fr"])
        let usual = ["/usr/local/bin", "/usr/bin", "/bin"]
        #expect(sparse.searchPath == usual + ["/usr/local/games", "/usr/games", "/h/.local/bin"])
        // The path that sudo sets lacks the folders of games and of the person's own programs.
        let secure = DesktopCatalogue(environment: ["HOME": "/h", "PATH": "/usr/games:/usr/sbin:/usr/bin"])
        #expect(
            secure.searchPath
                == ["/usr/games", "/usr/sbin", "/usr/bin", "/usr/local/games", "/h/.local/bin"]
        )
        #expect(
            secure.folders.suffix(3)
                == (["/h/.local/share/flatpak/exports/share"] + ["/var/lib/flatpak/exports/share"]
                + ["/var/lib/snapd/desktop"]).map { "\($0)/applications" }
        )
    }
}

/// Something a test needs was not there.
struct Missing: Error {
    let what: String
}
