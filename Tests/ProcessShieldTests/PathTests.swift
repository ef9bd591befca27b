#if os(Linux)
import Testing

@testable import ProcessShield

/// Processes that have an app's path, or look as if they had, and are not the app.
@Suite("Paths of processes", .timeLimit(.minutes(5)))
struct PathTests {
    private let scratch: Scratch
    private static let other = FileID(device: 1, inode: 1, born: 1)

    init() throws { scratch = try Scratch() }

    private func process(_ path: String?, unit: String = "/") -> RunningProcess {
        RunningProcess(
            identity: .init(pid: 500, start: 1),
            parent: 1,
            group: 500,
            session: 500,
            terminal: 0,
            foreground: -1,
            state: "S",
            isKernelThread: false,
            user: 1_000,
            executable: Self.other,
            executablePath: path,
            controlGroup: unit,
            tableFolder: "\(scratch.path)/proc"
        )
    }

    private func program(_ path: String) -> Program {
        Program(files: [FileID(device: 2, inode: 2, born: 2): path], unitID: "chess")
    }

    @Test("X-1: a path is the app's in this root, and another program's in that of a container")
    func roots() throws {
        let chess = "\(scratch.path)/bin/chess"
        #expect(program(chess).matches(process(chess)))
        try scratch.link("proc/500/root", to: "/")
        #expect(program(chess).matches(process(chess)), "its file was replaced")
        try scratch.remove("proc/500/root")
        try scratch.write("", to: "image/etc/os-release")
        try scratch.link("proc/500/root", to: "\(scratch.path)/image")
        #expect(!program(chess).matches(process(chess)))
        // By the file it is the app wherever it runs.
        #expect(Program(files: [Self.other: "/opt/chess"]).matches(process(chess)))
    }

    @Test("X-1: a path is another program's where other things are mounted, unless the program was replaced")
    func mounts() throws {
        let chess = "\(scratch.path)/bin/chess"
        try scratch.link("proc/self/ns/mnt", to: "mnt:[1]")
        try scratch.link("proc/500/ns/mnt", to: "mnt:[1]")
        #expect(program(chess).matches(process(chess)))
        try scratch.remove("proc/500/ns/mnt")
        try scratch.link("proc/500/ns/mnt", to: "mnt:[2]")
        #expect(!program(chess).matches(process(chess)))
        var replaced = process(chess)
        replaced.isReplaced = true
        #expect(program(chess).matches(replaced))
    }

    @Test(
        "X-1: paths are equal byte by byte, and one that is no text is like no other",
        arguments: [
            ("/opt/chess", "/opt/chess", true), ("/opt/j\u{e9}u", "/opt/j\u{e9}u", true),
            ("/opt/j\u{e9}u", "/opt/je\u{301}u", false), ("/opt/M\u{fffd}", "/opt/M\u{fffd}", false),
        ]
    )
    func spelling(_ row: (app: String, process: String, isApp: Bool)) throws {
        #expect(program(row.app).matches(process(row.process)) == row.isApp)
        let id = FileID(device: 2, inode: 2, born: 2)
        let script = Program(files: [id: row.app], scripts: [row.app])
        try scratch.write("bash\0\(row.process)\0", to: "proc/500/cmdline")
        #expect(script.matches(process("/bin/bash")) == row.isApp)
    }

    @Test(
        "X-1: the kernel's note on a removed program is no part of its path, where its file is not called so"
    )
    func notes() throws {
        let table = ProcessTable(folder: "\(scratch.path)/proc")
        let odd = try scratch.write("", to: "bin/game (deleted)")
        try scratch.link("proc/500/exe", to: odd)
        #expect(table.program(of: 500) == odd)
        try scratch.link("proc/501/exe", to: "\(scratch.path)/bin/gone (deleted)")
        #expect(table.program(of: 501) == "\(scratch.path)/bin/gone")
        try scratch.link("proc/502/exe", to: "\(scratch.path)/bin/plain")
        #expect(table.program(of: 502) == "\(scratch.path)/bin/plain")
        #expect(table.program(of: 503) == nil)
    }

    @Test("X-1: what else is in an app's unit is the app only where no file says what runs")
    func units() {
        let unit = "/user.slice/app-chess-1.scope"
        let id = FileID(device: 2, inode: 2, born: 2)
        let launch = Program.Launch(
            launcher: "flatpak",
            path: "/usr/bin/flatpak",
            arguments: ["run", "org.go.Go"]
        )
        let script = Program.Launch(launcher: "sh", path: "/bin/sh", arguments: ["/opt/start"], following: [])
        for (program, isApp) in [
            (program("/opt/chess"), false),
            (Program(unitID: "chess", launch: launch), true),
            // A wrapper goes on as a program that it does not name.
            (Program(files: [id: "/opt/start"], scripts: ["/opt/start"], unitID: "chess"), true),
            (
                Program(files: [id: "/opt/start"], scripts: ["/opt/start"], unitID: "chess", launch: script),
                true
            ),
            // One that names it is that program.
            (
                Program(
                    files: [id: "/opt/start", Self.gone: "/opt/chess"],
                    scripts: ["/opt/start"],
                    unitID: "chess"
                ), false
            ),
        ] {
            #expect(program.matches(process("/usr/bin/browser", unit: unit)) == isApp)
            #expect(!program.matches(process("/usr/bin/browser", unit: "/user.slice/app-mail-1.scope")))
        }
    }

    private static let gone = FileID(device: 3, inode: 3, born: 3)
}
#endif
