#if os(Linux)
import PortcullisCore
import Testing

@testable import ProcessShield

/// What tokens come to that name something everybody needs, or nothing by themselves.
@Suite("Tokens of protected programs", .timeLimit(.minutes(5)))
struct RefusalTests {
    private let scratch: Scratch
    private let resolver: ProgramResolver

    init() throws {
        scratch = try Scratch()
        for name in ["bash", "python3.11", "systemd", "busybox", "snap", "flatpak", "chess", "dpkg", "orca"] {
            try scratch.copy("/bin/true", to: "bin/\(name)")
        }
        resolver = ProgramResolver(
            catalogue: DesktopCatalogue(
                folders: ["\(scratch.path)/applications"],
                searchPath: ["\(scratch.path)/bin"]
            )
        )
    }

    @Test(
        "X-1: shells, interpreters, init, multi-call programs and launchers are refused by path",
        arguments: ["bash", "python3.11", "systemd", "busybox", "snap", "flatpak", "dpkg", "orca"]
    )
    func refused(_ name: String) {
        guard case .refused = resolver.standing(of: AppToken("\(scratch.path)/bin/\(name)")) else {
            Issue.record("\(name) is not refused")
            return
        }
    }

    @Test("X-1: links are followed to the end: to a shell it is refused, to an app it is the app")
    func links() throws {
        try scratch.link("bin/one", to: "\(scratch.path)/bin/two")
        try scratch.link("bin/two", to: "\(scratch.path)/bin/bash")
        try scratch.link("bin/sol", to: "\(scratch.path)/bin/sol2")
        try scratch.link("bin/sol2", to: "\(scratch.path)/bin/chess")
        try scratch.link("bin/loop", to: "\(scratch.path)/bin/loop")
        // As a multi-call program's commands are: what is run is the program of all of them.
        try scratch.link("bin/vi", to: "\(scratch.path)/bin/busybox")
        func standing(_ name: String) -> ShieldTokenStanding {
            resolver.standing(of: AppToken("\(scratch.path)/bin/\(name)"))
        }
        #expect(standing("one") == .refused(reason: "it is a shell"))
        #expect(standing("sol") == .known)
        #expect(standing("loop") == .unknown)
        #expect(standing("vi") == .refused(reason: "it starts many other programs"))
        let tokens = [AppToken("\(scratch.path)/bin/sol"), AppToken("\(scratch.path)/bin/chess")]
        let resolved = resolver.resolve(ShieldSelection(apps: Set(tokens))).apps
        guard case .program(let link) = resolved[tokens[0]], case .program(let app) = resolved[tokens[1]]
        else {
            Issue.record("no program")
            return
        }
        #expect(link.files == app.files)
    }

    @Test("X-1: after an upgrade the program that shields is refused by its path, and so is what leads to it")
    func upgraded() throws {
        let own = try scratch.write("older", to: "bin/shielder", mode: 0o755)
        let resolver = ProgramResolver(catalogue: resolver.catalogue, ownPath: own)
        // The newer file is another one than the one that runs.
        try scratch.remove("bin/shielder")
        try scratch.write("newer", to: "bin/shielder", mode: 0o755)
        try scratch.link("bin/goals", to: own)
        for (id, command) in [("own", "shielder settings"), ("link", "goals"), ("other", "chess")] {
            try scratch.write(
                "[Desktop Entry]\nType=Application\nName=\(id)\nExec=\(command)\nCategories=Utility;\n",
                to: "applications/\(id).desktop"
            )
        }
        let refused = ShieldTokenStanding.refused(reason: "it runs the shield")
        for token in [own, "\(scratch.path)/bin/goals", "own.desktop", "link.desktop"] {
            #expect(resolver.standing(of: AppToken(token)) == refused, "\(token)")
        }
        #expect(resolver.list().apps.map(\.token) == [AppToken("other.desktop")])
    }

    @Test("X-1: a script is its own file and never its interpreter, also by env")
    func scripts() throws {
        let script = try scratch.write("#!/usr/bin/env python3\n", to: "bin/game.py", mode: 0o755)
        guard
            case .program(let program) = resolver.resolve(ShieldSelection(apps: [AppToken(script)])).apps
                .values.first
        else {
            Issue.record("no program")
            return
        }
        #expect(Array(program.files.values) == [script] && program.scripts == [script])
        #expect(program.canBeGated)
    }

    @Test(
        "X-1: apps of flatpak and snap are known by their launcher's arguments, and are not behind the gate"
    )
    func launched() throws {
        for (name, exec) in [("a", "flatpak run --branch=stable org.go.Go"), ("b", "env X=1 snap run go")] {
            try scratch.write(
                "[Desktop Entry]\nType=Application\nName=\(name)\nExec=\(exec)\n",
                to: "applications/\(name).desktop"
            )
            let resolved = resolver.resolve(ShieldSelection(apps: [AppToken("\(name).desktop")])).apps
            guard case .program(let program) = resolved.values.first else {
                Issue.record("no program")
                continue
            }
            #expect(program.launch != nil && program.files.isEmpty && !program.canBeGated)
            #expect(program.unitID == name)
        }
    }
}
#endif
