import Foundation
import Glibc
import PortcullisTesting
import Testing

@testable import portcullis

/// `focus release` and `focus status` from outside.
@Suite("focus release and status", .serialized)
struct FocusReleaseTests {
    private let words = ["focus", "run", "--goal", "10", "--progress-stdin", "--app", FocusHome.token]

    /// Shuts the app and leaves it so, with nobody who watches.
    private func shut(_ home: FocusHome, _ app: FocusApp, killing signal: Int32 = SIGINT) async throws {
        let run = try FocusChild(home, words)
        run.type("3\n")
        try await run.waitForProgress(3)
        try await app.waitUntilStopped()
        run.send(signal)
        #expect(try await run.end() == 128 + signal)
        #expect(app.isStopped)
    }

    @Test("A-9: without anybody who watches, released once and again")
    func alone() async throws {
        let home = try FocusHome()
        #expect(try await home.run("focus", "release").status == 0, "nothing was ever set")
        #expect(!FileManager.default.fileExists(atPath: home.store.path))
        let app = try home.startApp()
        try await shut(home, app, killing: SIGKILL)
        #expect(try await home.run("focus", "release").status == 0)
        try await app.waitUntilItRuns()
        #expect(try await home.run("focus", "release").status == 0)
        #expect(app.runs)
    }

    @Test("P-6: with a passcode set, a wrong one is 1, a throttled one 5, and only the right one opens")
    func passcode() async throws {
        let home = try FocusHome()
        #expect(try await home.run("passcode", "set", input: "835291\n").status == 0)
        let app = try home.startApp()
        try await shut(home, app)
        #expect(try await home.run("focus", "release").status == 2, "nothing was given")
        #expect(try await home.run("focus", "release", input: "111112\n").status == 1)
        #expect(app.isStopped)
        #expect(try await home.run("passcode", "status", "--json").json["failures"] as? Int == 1, "one count")
        #expect(try await home.run("focus", "release", input: "835291\n").status == 0)
        try await app.waitUntilItRuns()

        try await shut(home, app)
        for _ in 0..<5 { _ = try await home.run("focus", "release", input: "111112\n") }
        let outcome = try await home.run("focus", "release", input: "835291\n")
        #expect(outcome.status == 5, "also the right one waits")
        #expect(!(outcome.text + outcome.errors).contains("835291"))
        #expect(app.isStopped)
        #expect(try await home.run("focus", "status", "--json").json["enabled"] as? Bool == true)
    }

    @Test(
        "A-11: by force, root is obeyed at once; a damaged store opens nothing otherwise",
        .enabled(if: geteuid() == 0)
    )
    func force() async throws {
        let home = try FocusHome()
        #expect(try await home.run("passcode", "set", input: "835291\n").status == 0)
        let app = try home.startApp()
        try await shut(home, app)
        let outcome = try await home.run("focus", "release", "--force")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("released by force"))
        try await app.waitUntilItRuns()
        let forced = try await home.run("focus", "status", "--json").json["forcedRelease"] as? [String: Any]
        #expect(forced?["user"] as? Int == 0)
        #expect((forced?["time"] as? String)?.hasSuffix("Z") == true)

        // Damaged in the middle, with a run that watches.
        let run = try FocusChild(home, words)
        try await run.waitForStart()
        try await app.waitUntilStopped()
        var bytes = try Data(contentsOf: home.store)
        for index in stride(from: 0, to: bytes.count, by: 97) { bytes[index] ^= 0x55 }
        try bytes.write(to: home.store)
        #expect(try await home.run("focus", "release", input: "835291\n").status != 0)
        #expect(app.isStopped)
        // By force, every stopped process of root's would go on now, also what is none of this test's.
        run.send(SIGKILL)
        _ = try await run.end()
    }

    @Test(
        "A-11: by force, a user waits, and Ctrl-C leaves everything as it is",
        .enabled(if: FocusHome.canDrop)
    )
    func forceOfUser() async throws {
        let home = try FocusHome(ordinary: true)
        let app = try home.startApp()
        try await shut(home, app)
        let release = try FocusChild(home, ["focus", "release", "--force"])
        try await BoundedWait.untilProcess("the countdown") { release.errors.contains("in 1 h") }
        release.send(SIGINT)
        #expect(try await release.end() == 128 + SIGINT)
        #expect(app.isStopped)
        #expect(try await home.run("focus", "status", "--json").json["enabled"] as? Bool == true)
        #expect(try await home.run("focus", "release").status == 0)
        try await app.waitUntilItRuns()
    }

    @Test(
        "A-11: whoever is root only in a namespace of their own waits like before",
        .enabled(if: FocusHome.canDrop && FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare"))
    )
    func forceOfNamesake() async throws {
        let home = try FocusHome(ordinary: true)
        let trial = home.process(["/usr/bin/unshare", "-r", "true"])
        trial.standardError = FileHandle.nullDevice
        try trial.run()
        trial.waitUntilExit()
        // Some systems let nobody have such a namespace.
        guard trial.terminationStatus == 0 else { return }
        let app = try home.startApp()
        try await shut(home, app)
        let words = ["focus", "release", "--force"]
        let release = try FocusChild(home, words, through: ["/usr/bin/unshare", "-r"])
        try await BoundedWait.untilProcess("the countdown") { release.errors.contains("in 1 h") || app.runs }
        release.send(SIGINT)
        #expect(try await release.end() == 128 + SIGINT)
        #expect(app.isStopped)
    }

    @Test(
        "A-10: status tells all of it and only reads",
        arguments: FocusHome.canDrop ? [false, true] : [false]
    )
    func status(ordinary: Bool) async throws {
        let home = try FocusHome(ordinary: ordinary)
        #expect(try await home.run("focus", "status").text == "App Lock is off: it was never set.\n")
        #expect(!FileManager.default.fileExists(atPath: home.store.path))
        let app = try home.startApp()
        let run = try FocusChild(home, words + ["--title", "Pages"])
        run.type("3\n")
        try await run.waitForProgress(3)
        try await app.waitUntilStopped()
        var status = try await home.run("focus", "status", "--json").json
        #expect(status["enabled"] as? Bool == true)
        #expect(status["watched"] as? Bool == true)
        #expect(status["title"] as? String == "Pages")
        #expect(status["progress"] as? Double == 3)
        #expect(status["goal"] as? Double == 10)
        #expect(status["unlocked"] as? Bool == false)
        #expect(status["shut"] as? Int == 1)
        #expect(status["stopped"] as? Int == 1)
        let state = (status["apps"] as? [[String: Any]])?.first?["state"] as? String
        #expect(state == (ordinary || geteuid() != 0 ? "reactive" : state))

        run.send(SIGKILL)
        _ = try await run.end()
        // Somebody lets it go on by hand: a look does not stop it again.
        kill(app.pid, SIGCONT)
        try await app.waitUntilItRuns()
        let before = try Data(contentsOf: home.store)
        status = try await home.run("focus", "status", "--json").json
        #expect(status["watched"] as? Bool == false)
        #expect(app.runs)
        #expect(try Data(contentsOf: home.store) == before)
        let text = try await home.run("focus", "status").text
        #expect(text.contains("Pages") && text.contains("3 / 10") && text.contains("Toy Game"))
        #expect(text.contains("No run watches") && !text.contains("\u{1B}"))
        #expect(try Data(contentsOf: home.store) == before)
    }
}
