import Foundation
import Glibc
import PortcullisTesting
import ProcessShield
import TerminalEmulator
import Testing

/// `focus release --force` of root for other users. Each test has users of its own.
@Suite("focus release by force, for another user", .serialized)
struct ForcedReleaseTests {
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
        let force = ["focus", "release", "--force", "--busy-timeout", "1s", "--user", "\(user)"]
        let forced = try FocusChild(home, force)
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
        let forced = try FocusChild(home, ["focus", "release", "--force", "--busy-timeout", "1s"] + user)
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
}
