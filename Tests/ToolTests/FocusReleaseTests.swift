import Foundation
import Glibc
import PortcullisTesting
import ProcessShield
import TerminalEmulator
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

    /// What may have become of a store, and the exit status of a release without force.
    enum Loss: CaseIterable {
        case damaged, wrongKey, missingKey, missingStore

        var status: Int32 { [Loss.damaged: 4, .wrongKey: 3, .missingKey: 3, .missingStore: 1][self] ?? -1 }

        func happen(to home: FocusHome) throws {
            let key = home.home.appending(path: "portcullis/default.key")
            switch self {
            case .damaged:
                var bytes = try Data(contentsOf: home.store)
                for index in stride(from: 0, to: bytes.count, by: 97) { bytes[index] ^= 0x55 }
                try bytes.write(to: home.store)
            case .wrongKey: try Data(repeating: 7, count: 32).write(to: key)
            case .missingKey: try FileManager.default.removeItem(at: key)
            case .missingStore: try FileManager.default.removeItem(at: home.store)
            }
        }
    }

    @Test(
        "A-11: by force, everything of the user goes on, whatever has become of the store, and nobody else's",
        .enabled(if: FocusHome.canDrop),
        arguments: Loss.allCases
    )
    func forceWithoutStore(_ loss: Loss) async throws {
        // Users of this test's own: what else is stopped on this machine is none of its business.
        let first = 65_600 + UInt32.random(in: 0..<1_000_000) * 2
        let home = try FocusHome.open()
        let app = try home.startApp(as: first)
        let other = try home.startApp(as: first + 1)
        for app in [app, other] { try await app.waitUntilItRuns() }
        let user = ["--user", "\(first)"]
        let words = ["focus", "run", "--goal", "10", "--progress-stdin", "--app", home.program.path]
        let run = try FocusChild(home, words + user)
        try await run.waitForStart()
        try await app.waitUntilStopped()
        #expect(other.runs, "other users' programs are theirs")
        kill(other.pid, SIGSTOP)
        try await other.waitUntilStopped()
        run.send(SIGKILL)
        _ = try await run.end()
        try loss.happen(to: home)
        let asked = try FocusChild(home, ["focus", "release"] + user)
        asked.closeInput()
        #expect(try await asked.end() == loss.status)
        #expect((asked.output + asked.errors).contains("focus release --force"), "it names the way out")
        #expect(app.isStopped)
        let forced = try FocusChild(home, ["focus", "release", "--force"] + user)
        forced.closeInput()
        #expect(try await forced.end() == 0, "\(forced.errors)")
        #expect(forced.errors.contains("released by force, by root"))
        #expect(forced.errors.contains("the store was no help"))
        #expect(forced.errors.contains("was not switched off") && forced.output.isEmpty)
        try await app.waitUntilItRuns()
        #expect(other.isStopped)
    }

    @Test(
        "A-11: by force, a run that watches is ended where the store takes no release",
        .enabled(if: FocusHome.canDrop)
    )
    func forceWithHeldStore() async throws {
        let user = 65_600 + UInt32.random(in: 0..<1_000_000) * 2
        let home = try FocusHome.open()
        let app = try home.startApp(as: user)
        try await app.waitUntilItRuns()
        let words = ["focus", "run", "--goal", "10", "--progress-stdin", "--app", home.program.path]
        let run = try FocusChild(home, words + ["--user", "\(user)"])
        try await run.waitForStart()
        try await app.waitUntilStopped()
        // As a process that hangs in a write holds it.
        let lock = unsafe open(home.store.path + ".lock", O_RDWR)
        try #require(lock >= 0)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        let forced = try FocusChild(home, ["focus", "release", "--force", "--user", "\(user)"])
        forced.closeInput()
        #expect(try await forced.end() == 0, "\(forced.errors)")
        #expect(forced.errors.contains("the store was no help"))
        #expect(try await run.end() != 0, "it would stop the program again")
        try await app.waitUntilItRuns()
    }

    @Test(
        "A-11: by force, open settings are ended, too, where the store takes no release",
        .enabled(if: FocusHome.canDrop)
    )
    func forceWithOpenSettings() async throws {
        let user = ["--user", "\(65_600 + UInt32.random(in: 0..<1_000_000) * 2)"]
        let home = try FocusHome.open()
        let app = try home.startApp(as: try #require(UInt32(user[1])))
        try await app.waitUntilItRuns()
        let words = ["focus", "run", "--goal", "10", "--progress-stdin", "--app", home.program.path]
        let run = try FocusChild(home, words + user)
        try await run.waitForStart()
        try await app.waitUntilStopped()
        run.send(SIGKILL)
        _ = try await run.end()
        let settings = try GuardedRun(["focus", "settings"] + user, home: home.home)
        try await settings.wait("the screens") { $0.isAlternate }
        #expect(try await home.run("focus", "status", "--json").json["watched"] as? Bool == true)
        let lock = unsafe open(home.store.path + ".lock", O_RDWR)
        try #require(lock >= 0)
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        let forced = try FocusChild(home, ["focus", "release", "--force"] + user)
        forced.closeInput()
        #expect(try await forced.end() == 0, "\(forced.errors)")
        #expect(try await settings.waitForEnd() == 128 + SIGTERM, "they would stop the program again")
        try await app.waitUntilItRuns()
    }

    @Test(
        "A-11: by force, all runs are ended where the store is damaged, a stopped one and those behind it too",
        .enabled(if: FocusHome.canDrop)
    )
    func forceWithStoppedRun() async throws {
        let user = 65_600 + UInt32.random(in: 0..<1_000_000) * 2
        let home = try FocusHome.open()
        let app = try home.startApp(as: user)
        try await app.waitUntilItRuns()
        let words = ["focus", "run", "--goal", "10", "--progress-stdin", "--app", home.program.path]
        let first = try FocusChild(home, words + ["--user", "\(user)"])
        try await first.waitForStart()
        // Another program's lock, between those of the runs.
        let other = WatchPresence(store: home.store.path)
        let isHeld = other != nil
        #expect(isHeld)
        let second = try FocusChild(home, words + ["--user", "\(user)"])
        try await second.waitForStart()
        try await app.waitUntilStopped()
        first.send(SIGSTOP)
        try Loss.damaged.happen(to: home)
        let forced = try FocusChild(home, ["focus", "release", "--force", "--user", "\(user)"])
        forced.closeInput()
        #expect(try await forced.end() == 0, "\(forced.errors)")
        #expect(try await first.end() != 0)
        #expect(try await second.end() != 0)
        try await app.waitUntilItRuns()
        _ = consume other
    }

    @Test(
        "A-11: root's release by force ends an account's runs on its own store, and says that the lock is on",
        .enabled(if: FocusHome.canDrop),
        arguments: [false, true]
    )
    func forceOverOwnStore(hasStore: Bool) async throws {
        let user = 65_600 + UInt32.random(in: 0..<1_000_000) * 2
        let (home, app, run, asUser) = try await shutByAccount(user)
        let root = try FocusHome()
        if hasStore { #expect(try await root.run("passcode", "set", input: "835291\n").status == 0) }
        let account = "\(user)"
        if !hasStore {
            let asked = try await root.run("focus", "release", "--account", account)
            #expect(asked.status == 1 && asked.text.isEmpty && asked.errors.contains("focus release --force"))
        }
        let forced = try await root.run("focus", "release", "--force", "--account", account)
        #expect(forced.status == 7, "\(forced.errors)")
        #expect(forced.errors.contains("App Lock was not switched off") && forced.text.isEmpty)
        #expect(try await run.end() != 0, "it would stop the program again")
        try await app.waitUntilItRuns()
        try await expectOn(home, asUser)
    }

    @Test(
        "A-11: root's release by force continues what an account's run stopped that has ended since",
        .enabled(if: FocusHome.canDrop)
    )
    func forceOverEndedRun() async throws {
        let user = 65_600 + UInt32.random(in: 0..<1_000_000) * 2
        let (home, app, run, asUser) = try await shutByAccount(user)
        run.send(SIGKILL)
        _ = try await run.end()
        let root = try FocusHome()
        #expect(try await root.run("passcode", "set", input: "835291\n").status == 0)
        let forced = try await root.run("focus", "release", "--force", "--account", "\(user)")
        #expect(forced.status == 0 && forced.text.contains("App Lock is off in"), "\(forced.errors)")
        #expect(forced.errors.contains("is switched off by that account's"))
        try await app.waitUntilItRuns()
        try await expectOn(home, asUser)
    }

    /// An account's program that the account's own run shuts, and the words that make commands the account's.
    private func shutByAccount(
        _ user: UInt32
    ) async throws -> (FocusHome, FocusApp, FocusChild, asUser: [String]) {
        let home = try FocusHome.open()
        let paths = FileManager.default.subpaths(atPath: home.home.path) ?? []
        for path in [home.home.path] + paths.map({ "\(home.home.path)/\($0)" }) {
            unsafe lchown(path, user, user)
        }
        let asUser = [FocusHome.setpriv] + FocusHome.asUser(user)
        let app = try home.startApp(as: user)
        try await app.waitUntilItRuns()
        let words = ["focus", "run", "--goal", "10", "--progress-stdin", "--app", home.program.path]
        let run = try FocusChild(home, words, through: asUser)
        try await run.waitForStart()
        try await app.waitUntilStopped()
        return (home, app, run, asUser)
    }

    /// Expects that the lock is on in the account's store, and that no run watches.
    private func expectOn(_ home: FocusHome, _ asUser: [String]) async throws {
        let status = try FocusChild(home, ["focus", "status", "--json"], through: asUser)
        #expect(try await status.end() == 0)
        #expect(status.output.contains("\"enabled\":true") && status.output.contains("\"watched\":false"))
    }

    @Test(
        "A-11: by force, a run that does not end is told, and App Lock is not called off",
        .enabled(if: FocusHome.canDrop)
    )
    func forceWithLastingRun() async throws {
        let user = 65_600 + UInt32.random(in: 0..<1_000_000) * 2
        let home = try FocusHome.open()
        let words = ["focus", "run", "--goal", "10", "--progress-stdin", "--app", home.program.path]
        // The run spares a signal that it ignores since its start.
        let shell = ["/bin/sh", "-c", "trap '' TERM; exec \"$@\"", "sh"]
        let run = try FocusChild(home, words + ["--user", "\(user)"], through: shell)
        try await run.waitForStart()
        try Loss.damaged.happen(to: home)
        let forced = try FocusChild(home, ["focus", "release", "--force", "--user", "\(user)"])
        forced.closeInput()
        #expect(try await forced.end() == 7)
        #expect(forced.errors.contains("process \(run.pid) still watches"))
        #expect(!forced.output.contains("App Lock is off"))
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
