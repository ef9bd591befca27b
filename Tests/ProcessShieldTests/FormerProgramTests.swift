#if os(Linux)
import PortcullisCore
import Testing

@testable import ProcessShield

/// What is remembered of a program whose entry has changed or is gone.
@Suite("Programs that an entry no longer names (X-1)")
struct FormerProgramTests {
    private static let token = AppToken("game.desktop")
    private let folder: ProcessFolder

    init() throws { folder = try ProcessFolder() }

    private func selection(_ resolution: ProgramResolver.Resolution) -> ResolvedSelection {
        ResolvedSelection(
            selection: ShieldSelection(apps: [Self.token]),
            apps: [Self.token: resolution]
        )
    }

    private func isWatched(_ process: RunningProcess, _ selection: ResolvedSelection) -> Bool {
        selection.watched.contains { $0.matches(process) }
    }

    private func process(_ program: String, scope: String = "/", words: [String] = []) throws
        -> RunningProcess
    {
        try folder.write(900, program, scope: scope, words: words)
        return try #require(folder.table.process(900))
    }

    private func file(_ name: String) throws -> (path: String, id: FileID) {
        let path = try folder.scratch.write("program", to: "bin/\(name)", mode: 0o755)
        return (path, try #require(FileID(path: path)))
    }

    private var flatpak: Program {
        var program = Program(unitID: "game")
        program.launch = .init(
            launcher: "flatpak",
            path: "/usr/bin/flatpak",
            arguments: ["run", "org.game"],
            knownAs: nil,
            following: nil
        )
        return program
    }

    private var elf: Program {
        get throws {
            let other = try file("other")
            return Program(files: [other.id: other.path], unitID: "game")
        }
    }

    @Test("X-1: an app that only its unit shows stays known by the unit when its entry is gone or refused")
    func unit() throws {
        let sandboxed = try process("/bin/sleep", scope: "/user.slice/app-game-1.scope")
        let before = selection(.program(flatpak))
        #expect(isWatched(sandboxed, before))
        for now in [ProgramResolver.Resolution.unresolved, .refused("no"), .program(try elf)] {
            var next = before
            // Each look follows the one before it.
            for _ in 0..<6 { next = selection(now).following(next) }
            #expect(isWatched(sandboxed, next), "\(now)")
        }
        // An app that its file shows is no longer known by its unit, which may hold other programs.
        let gone = selection(.unresolved).following(selection(.program(try elf)))
        #expect(!isWatched(sandboxed, gone))
    }

    @Test("X-1: a script and an image stay known when the entry names another program")
    func otherProgram() throws {
        let script = try file("game.py")
        var scripted = Program(files: [script.id: script.path], unitID: "game")
        scripted.scripts = [script.path]
        scripted.interpreter = Interpreter(path: "/usr/bin/python3", arguments: [])
        let run = try process("/usr/bin/python3", words: ["python3", script.path])
        let now = selection(.program(try elf))
        #expect(isWatched(run, selection(.program(scripted))) && !isWatched(run, now))
        #expect(isWatched(run, now.following(selection(.program(scripted)))))
        // Without a change nothing is remembered.
        #expect(now.following(now).former.isEmpty)
    }

    @Test("X-1: of the programs of one app the last four are remembered, and none of an app not chosen")
    func limit() throws {
        func launched(_ name: String) -> Program {
            var program = flatpak
            program.launch?.arguments = ["run", name]
            return program
        }
        var last = selection(.program(launched("0")))
        for number in 1...9 { last = selection(.program(launched("\(number)"))).following(last) }
        #expect(
            last.former[Self.token]?.map { $0.launch?.arguments.last } == ["5", "6", "7", "8"]
        )
        #expect(ResolvedSelection().following(last).watched.isEmpty)
    }
}
#endif
