import Foundation
import Glibc
import TerminalEmulator
import Testing

/// `focus run` on a terminal.
@Suite("focus run on a terminal", .serialized)
struct FocusLineTests {
    /// A run whose progress is in a file of its home.
    private func start(_ home: FocusHome, columns: Int, extra: [String] = [], isJob: Bool = false) throws
        -> GuardedRun
    {
        let file = home.home.appending(path: "steps.txt")
        return try GuardedRun(
            [
                "focus", "run", "--goal", "10000", "--progress-file", file.path, "--app", FocusHome.token,
            ] + extra,
            columns: columns,
            rows: 12,
            home: home.home,
            isJob: isJob
        )
    }

    private func write(_ text: String, in home: FocusHome) throws {
        try Data(text.utf8).write(to: home.home.appending(path: "steps.txt"), options: .atomic)
    }

    @Test("A-10: a line shows how things are, fits the window, and events scroll by above it")
    func line() async throws {
        let home = try FocusHome()
        try write("7450", in: home)
        let run = try start(home, columns: 100)
        try await run.waitForText("7,450 / 10,000  74 %  Toy Game shut")
        #expect(run.screen.lines[0].hasPrefix("Steps ▕██"))
        #expect(run.screen.lines.filter { $0.contains("Steps") }.count == 1)
        #expect(run.screen.x == 0, "the cursor waits at its start")

        run.resize(columns: 40, rows: 12)
        try await run.wait("the narrow line") { screen in
            let line = screen.lines.first { $0.contains("74 %") } ?? ""
            return line.contains("1 app shut") && !line.contains("left") && line.count < 40
        }
        run.resize(columns: 12, rows: 12)
        try await run.wait("the narrowest line") { screen in
            screen.lines.filter { !$0.isEmpty }.count == 1 && screen.lines[0].hasPrefix("74 %")
        }
        run.resize(columns: 100, rows: 12)
        try await run.waitForText("Toy Game shut")

        try write("lots", in: home)
        try await run.wait("the problem above the line") { screen in
            screen.lines[0].contains("Progress cannot be read") && screen.text.contains("progress unknown")
        }
        try write("10000", in: home)
        try await run.waitForText("Apps Unlocked!")
        try await run.wait("the line below it") { screen in
            let lines = screen.lines.filter { !$0.isEmpty }
            return lines.last?.contains("100 %  unlocked") == true
        }
        #expect(run.raw.components(separatedBy: "Apps Unlocked!").count == 2)

        run.type("\u{3}")
        #expect(try await run.waitForEnd() == 128 + SIGINT)
        #expect(!run.screen.text.contains("▕"), "the line is gone")
        #expect(run.screen.lines.filter { !$0.isEmpty }.last?.hasPrefix("Stopped watching.") == true)
        #expect(run.screen.x == 0)
    }

    @Test("A-10: a closed terminal ends the run, and what is shut stays shut; Ctrl-Z pauses it")
    func endings() async throws {
        let home = try FocusHome()
        try write("1", in: home)
        let app = try home.startApp()
        let run = try start(home, columns: 80, isJob: true)
        try await run.waitForText("1 / 10,000")
        run.type("\u{1A}")
        try await run.waitUntilStopped()
        run.resume()
        try await run.wait("the line again") { $0.lines.contains { $0.contains("1 / 10,000") } }
        run.send(SIGHUP)
        #expect(try await run.waitForEnd() == 128 + SIGHUP)
        #expect(app.isStopped)
    }

    @Test("A-3, A-11: in the background a typed line is the shell's, and the run goes on when it is in front")
    func background() async throws {
        let home = try FocusHome()
        let run = try GuardedRun(
            [
                "-c", GuardedRun.inBackground, Tool.executable.path, "focus", "run", "--once", "--goal", "10",
                "--progress-stdin", "--app", FocusHome.token,
            ],
            executable: "/bin/sh",
            columns: 100,
            rows: 12,
            home: home.home
        )
        try await run.waitForText(" shut")
        run.type("7\n")
        try await run.wait("the trouble") { _ in
            run.raw.contains("the terminal cannot be read in the background")
        }
        try Data().write(to: home.home.appending(path: "go"))
        run.type("3\n")
        try await run.waitForText("3 / 10")
        run.type("10\n")
        #expect(try await run.waitForEnd() == 0)
        #expect(!run.raw.contains("7 / 10"))
    }

    @Test("A-10: what is told above the line is broken between words, in a narrow window too")
    func words() async throws {
        let home = try FocusHome()
        try write("1", in: home)
        let run = try start(home, columns: 40)
        try await run.waitForText("1 app shut")
        run.type("\u{3}")
        #expect(try await run.waitForEnd() == 128 + SIGINT)
        let told = "Stopped watching. What is shut stays shut; `portcullis focus release` opens it."
        let words = run.screen.lines.flatMap { $0.split(separator: " ") }
        #expect(Set(told.split(separator: " ")).isSubset(of: words), "\(run.screen.text)")
    }

    @Test("X-1: the machine's own menu is read where it is told of, and nowhere else")
    func menus() async throws {
        let home = try FocusHome()
        let folder = home.home.appending(path: "machine/applications")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let entry = "[Desktop Entry]\nName=Machine's\nExec=\(home.program.path)\n"
        try Data(entry.utf8).write(to: folder.appending(path: "machine.desktop"))
        var runs: [GuardedRun] = []
        for (variables, isThere) in [
            ([], false), (["XDG_DATA_DIRS=\(home.home.path)/machine"], true),
        ] as [([String], Bool)] {
            let run = try GuardedRun(["focus", "apps"], rows: 100, home: home.home, variables: variables)
            // The home goes with the first of them that does.
            runs.append(run)
            #expect(try await run.waitForEnd() == 0)
            #expect(run.screen.text.contains("Machine's") == isThere)
            #expect(run.screen.lines.filter { !$0.isEmpty }.count == (isThere ? 3 : 2))
        }
    }

    @Test("X-1: the progress command, perhaps another user's, has no way to the terminal")
    func terminal() async throws {
        let home = try FocusHome()
        var words = [
            "focus", "run", "--goal", "10", "--app", home.program.path, "--progress",
            "if ( : </dev/tty ) 2>/dev/null; then echo 7; else echo 2; fi",
        ]
        if geteuid() == 0 {
            guard FocusHome.canDrop else { return }
            words += ["--user", "\(FocusHome.ordinary)"]
        }
        let run = try GuardedRun(words, columns: 80, rows: 12, home: home.home)
        try await run.wait("the progress") { $0.text.contains("2 / 10") || $0.text.contains("7 / 10") }
        #expect(run.screen.text.contains("2 / 10"))
        run.type("\u{3}")
        #expect(try await run.waitForEnd() == 128 + SIGINT)
    }

    @Test("X-1: apps fit the window, in any locale and without colours", arguments: [80, 40, 30])
    func apps(columns: Int) async throws {
        let home = try FocusHome()
        try home.add(
            "office",
            name: "A rather long name of an office program",
            exec: home.program.path,
            categories: "Office;Education;"
        )
        let plain = ["NO_COLOR=1", "LC_ALL=C"]
        let run = try GuardedRun(
            ["focus", "apps"],
            columns: columns,
            rows: 12,
            home: home.home,
            variables: plain
        )
        #expect(try await run.waitForEnd() == 0)
        let lines = run.screen.lines.filter { !$0.isEmpty }
        #expect(lines.count == 3, "\(run.screen.text)")
        #expect(lines[0].hasPrefix("App") && lines[2].hasPrefix("Toy"))
        #expect(lines.allSatisfy { $0.count <= columns })
        #expect(lines[1].contains("~") == (columns < 80))
        #expect(run.raw.allSatisfy(\.isASCII) && !run.raw.contains("\u{1B}"))
    }

    @Test("A-2: status without colours and beyond ASCII nothing, before and after the first run")
    func plainStatus() async throws {
        let home = try FocusHome()
        // Each takes the home with it when it goes.
        var runs: [GuardedRun] = []
        func status() async throws -> TerminalEmulator {
            let run = try GuardedRun(
                ["focus", "status"],
                columns: 50,
                rows: 12,
                home: home.home,
                variables: ["NO_COLOR=1", "LC_ALL=C"]
            )
            runs.append(run)
            #expect(try await run.waitForEnd() == 0)
            #expect(run.raw.allSatisfy(\.isASCII) && !run.raw.contains("\u{1B}"))
            return run.screen
        }
        #expect(try await status().lines[0] == "App Lock is off: it was never set.")
        let child = try FocusChild(
            home,
            ["focus", "run", "--goal", "10", "--progress-stdin", "--app", FocusHome.token]
        )
        child.type("5\n")
        try await child.waitForProgress(5)
        let text = try await status().text
        #expect(text.contains("[####") && text.contains("----]  5 / 10  50 %"), "\(text)")
    }

    @Test("A-2: status fits the window, and tells with a bar")
    func status() async throws {
        let home = try FocusHome()
        let child = try FocusChild(
            home,
            ["focus", "run", "--goal", "10", "--progress-stdin", "--app", FocusHome.token]
        )
        child.type("5\n")
        try await child.waitForProgress(5)
        let run = try GuardedRun(["focus", "status"], columns: 50, rows: 12, home: home.home)
        #expect(try await run.waitForEnd() == 0)
        #expect(run.screen.text.contains("5 / 10  50 %"))
        #expect(run.screen.text.contains("A process watches."))
        #expect(run.screen.lines.contains { $0.contains("Toy Game") })
        let apps = try GuardedRun(["focus", "apps"], columns: 30, rows: 12, home: home.home)
        #expect(try await apps.waitForEnd() == 0)
        #expect(apps.screen.lines[0].hasPrefix("App") && apps.screen.lines[1].hasPrefix("Toy Game"))
    }
}
