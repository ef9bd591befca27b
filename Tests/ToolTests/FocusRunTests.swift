import Foundation
import Glibc
import PortcullisTesting
import Testing

/// `focus run` from outside, on real processes.
@Suite("focus run", .serialized)
struct FocusRunTests {
    private static let users = FocusHome.canDrop ? [false, true] : [false]

    private func isUnlocked(_ event: [String: Any]) -> Bool {
        event["event"] as? String == "status" && event["unlocked"] as? Bool == true
    }

    @Test(
        "A-2, A-3: an app is stopped until the goal is reached, goes on where it was, and one notification goes out",
        arguments: users
    )
    func unlocks(ordinary: Bool) async throws {
        let home = try FocusHome(ordinary: ordinary)
        let app = try home.startApp()
        let run = try FocusChild(
            home,
            ["focus", "run", "--goal", "100", "--progress-stdin", "--app", FocusHome.token]
        )
        try await run.waitForProgress(0)
        try await app.waitUntilStopped()
        run.type("40\n")
        try await run.waitForProgress(40)
        #expect(app.isStopped)
        run.type("100\n")
        try await run.wait("the unlocking", for: isUnlocked)
        try await app.waitUntilItRuns()
        run.type("120\n130\n")
        run.closeInput()
        #expect(try await run.end() == 0)
        let notifications = run.events("notification")
        #expect(notifications.count == 1)
        #expect(notifications.first?["title"] as? String == "Apps Unlocked!")
        #expect(run.events.last?["event"] as? String == "ended")
        #expect(run.output.split(separator: "\n").count == run.events.count, "every line is JSON")
        #expect(app.runs)
    }

    @Test("X-1: a program that starts while its app is shut does not get to run", arguments: users)
    func starts(ordinary: Bool) async throws {
        let home = try FocusHome(ordinary: ordinary)
        let run = try FocusChild(
            home,
            ["focus", "run", "--goal", "100", "--progress-stdin", "--category", "Game"]
        )
        try await run.waitForProgress(0)
        // Where starts can be denied, this one is.
        if let app = try? home.startApp() {
            try await BoundedWait.untilProcess("the new app to be stopped or denied") { !app.runs }
        }
        try await run.wait("word of the start") {
            $0["event"] as? String == "started" && $0["token"] as? String == FocusHome.token
                && $0["label"] as? String == "Toy Game" && $0["toGo"] as? Double == 100
        }
        run.type("100\n")
        try await run.wait("the unlocking", for: isUnlocked)
        let later = try home.startApp()
        try await later.waitUntilItRuns()
    }

    @Test("A-11: a line that is no number is told of by its number and passed over; at the end shields stay")
    func badLines() async throws {
        let home = try FocusHome()
        let app = try home.startApp()
        let run = try FocusChild(
            home,
            ["focus", "run", "--goal", "100", "--progress-stdin", "--app", FocusHome.token]
        )
        run.type(
            "1\nabc\n\n1,000\n-5\nnan\n0x10\n1e400\n\(String(repeating: "9", count: 5_000))\n  7.5e0 \r\n"
        )
        try await run.waitForProgress(7.5)
        let messages = run.events("problem").compactMap { $0["message"] as? String }
        #expect(messages.count == 7)
        #expect(messages.contains { $0.contains("line 2") && $0.contains("'abc'") })
        #expect(messages.contains { $0.contains("line 4") && $0.contains("thousands separators") })
        #expect(messages.contains { $0.contains("line 5") && $0.contains("negative") })
        #expect(messages.contains { $0.contains("line 9") && $0.contains("too long") })
        run.closeInput()
        #expect(try await run.end() == 0)
        #expect(run.events.last?["reason"] as? String == "inputEnded")
        #expect(app.isStopped, "that is the commitment")
        #expect(try await home.run("focus", "release").status == 0)
        try await app.waitUntilItRuns()
    }

    @Test("A-11: a file is read at the start, when it is replaced, and told of once while it says nothing")
    func file() async throws {
        let home = try FocusHome()
        let app = try home.startApp()
        let file = home.home.appending(path: "steps.txt")
        let run = try FocusChild(
            home,
            [
                "focus", "run", "--goal", "100", "--progress-file", file.path, "--app", FocusHome.token,
                "--every", "1h",
            ]
        )
        func problems() -> [String] { run.events("problem").compactMap { $0["message"] as? String } }
        func isKnownElsewhere() async throws -> Bool? {
            try await home.run("focus", "status", "--json").json["progressKnown"] as? Bool
        }
        try await run.wait("the missing file") { $0["event"] as? String == "problem" }
        try await app.waitUntilStopped()
        #expect(try await isKnownElsewhere() == false)
        try Data("12".utf8).write(to: file)
        try await run.waitForProgress(12)
        // By rename, as most programs write.
        try Data("34\n".utf8).write(to: file, options: .atomic)
        try await run.waitForProgress(34)
        #expect(try await isKnownElsewhere() == true)
        try Data("many".utf8).write(to: file, options: .atomic)
        try await BoundedWait.untilProcess("the second problem") { problems().count == 2 }
        #expect(app.isStopped)
        try FileManager.default.removeItem(at: file)
        let folder = home.home.appending(path: "folder")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try FileManager.default.moveItem(at: folder, to: file)
        try await BoundedWait.untilProcess("a folder to be no file") {
            problems().contains { $0.contains("ordinary file") }
        }
        try FileManager.default.removeItem(at: file)
        try Data("100".utf8).write(to: file, options: .atomic)
        try await run.wait("the unlocking", for: isUnlocked)
        #expect(!run.events("solved").isEmpty)
        run.send(SIGTERM)
        #expect(try await run.end() == 128 + SIGTERM)
    }

    @Test("A-6: what a file said yesterday earns nothing today")
    func yesterday() async throws {
        let home = try FocusHome()
        let file = home.home.appending(path: "steps.txt")
        try Data("5000".utf8).write(to: file)
        let before = Date(timeIntervalSinceNow: -3 * 86_400)
        try FileManager.default.setAttributes([.modificationDate: before], ofItemAtPath: file.path)
        let run = try FocusChild(
            home,
            ["focus", "run", "--goal", "100", "--progress-file", file.path, "--app", FocusHome.token]
        )
        try await run.wait("the reason") {
            ($0["message"] as? String)?.contains("says nothing about") == true
        }
        #expect(run.events("status").allSatisfy { $0["progress"] as? Double == 0 })
        #expect(run.events("status").last?["progressKnown"] as? Bool == false)
        try Data("5000".utf8).write(to: file)
        try await run.wait("the unlocking", for: isUnlocked)
    }

    @Test("A-11: a command is asked again; what is wrong with it is told once for each reason")
    func command() async throws {
        let home = try FocusHome(ordinary: FocusHome.canDrop)
        guard home.isOrdinary || geteuid() != 0 else { return }
        let app = try home.startApp()
        let script = home.home.appending(path: "ask")
        func say(_ body: String) throws {
            try Data(body.utf8).write(to: script, options: .atomic)
            try home.give()
        }
        try say("echo 1; echo 2")
        let run = try FocusChild(
            home,
            [
                "focus", "run", "--goal", "100", "--progress", ". '\(script.path)'", "--every", "1s",
                "--app", FocusHome.token,
            ]
        )
        func waitForProblem(_ text: String) async throws {
            try await run.wait(text) { ($0["message"] as? String)?.contains(text) == true }
        }
        try await waitForProblem("is not a number")
        try await app.waitUntilStopped()
        try say("echo 'no counter' >&2; exit 3")
        try await waitForProblem("exit status 3: no counter")
        try say("while :; do echo 1234567890123456; done")
        try await waitForProblem("more than 64 KiB")
        try say("sleep 100")
        try await waitForProblem("took longer than 1 s")
        #expect(app.isStopped)
        try say("read x; echo 4$x; sleep 100 & exit 0")
        try await run.waitForProgress(4)
        #expect(run.events("problem").count == 4)
        try say("echo 100")
        try await run.wait("the unlocking", for: isUnlocked)
        try await app.waitUntilItRuns()
    }

    @Test(
        "A-11: started with SIGCHLD ignored, a command that fails is told of, and one that ends well counts",
        .enabled("there is no bash") { FileManager.default.isExecutableFile(atPath: "/bin/bash") }
    )
    func ignoredSignal() async throws {
        let home = try FocusHome(ordinary: FocusHome.canDrop)
        guard home.isOrdinary || geteuid() != 0 else { return }
        let script = home.home.appending(path: "ask")
        func say(_ body: String) throws {
            try Data(body.utf8).write(to: script, options: .atomic)
            try home.give()
        }
        try say("echo 12; exit 3")
        let run = try FocusChild(
            home,
            [
                "focus", "run", "--goal", "100", "--progress", ". '\(script.path)'", "--every", "1s",
                "--app", FocusHome.token,
            ],
            through: ["/bin/bash", "-c", "trap '' CHLD; exec \"$@\"", "bash"]
        )
        try await run.wait("the failure") {
            ($0["message"] as? String)?.contains("exit status 3") == true
        }
        try say("echo 13")
        try await run.waitForProgress(13)
        run.send(SIGTERM)
        #expect(try await run.end() == 128 + SIGTERM)
    }

    @Test(
        "A-11: run by root for somebody else, a command has that user's rights only, and ends with the run",
        .enabled(if: FocusHome.canDrop && group(of: "nobody") != nil)
    )
    func commandOfAnother() async throws {
        let home = try FocusHome()
        unsafe chmod(home.home.path, 0o777)
        let mark = home.home.appending(path: "mark")
        let run = try FocusChild(
            home,
            [
                "focus", "run", "--goal", "1000000000", "--user", "nobody", "--app", home.program.path,
                "--progress",
                "echo $$ > '\(mark.path)'; id -G >> '\(mark.path)'; id -u >> '\(mark.path)'; echo 1 > '\(mark.path).done'; sleep 50",
                "--every", "10m",
            ]
        )
        try await BoundedWait.untilProcess("the command") {
            FileManager.default.fileExists(atPath: "\(mark.path).done")
        }
        let lines = try String(contentsOf: mark, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1] == "\(try #require(Self.group(of: "nobody")))", "and no group of root's")
        #expect(lines[2] == "65534")
        let command = try #require(pid_t(lines[0]))
        #expect(kill(command, 0) == 0)
        run.send(SIGINT)
        #expect(try await run.end() == 128 + SIGINT)
        #expect(kill(command, 0) != 0, "nothing is left of it")
    }

    private static func group(of name: String) -> UInt32? {
        unsafe getpwnam(name).map { unsafe $0.pointee.pw_gid }
    }

    @Test("A-10: with --once it ends with 0 when the goal is reached, and with 1 when that can no longer be")
    func once() async throws {
        let home = try FocusHome()
        let words = ["focus", "run", "--goal", "10", "--progress-stdin", "--app", FocusHome.token, "--once"]
        var run = try FocusChild(home, words)
        run.type("9\n")
        run.closeInput()
        #expect(try await run.end() == 1)
        run = try FocusChild(home, words)
        run.type("10\n")
        #expect(try await run.end() == 0)
        // Today's goal stays reached.
        run = try FocusChild(home, words)
        #expect(try await run.end() == 0)
        #expect(run.events("notification").isEmpty)
    }

    @Test("A-9: switched off elsewhere, a run says so and ends; what was chosen counts the next time")
    func releasedElsewhere() async throws {
        let home = try FocusHome()
        let app = try home.startApp()
        let run = try FocusChild(
            home,
            ["focus", "run", "--goal", "10", "--progress-stdin", "--app", FocusHome.token]
        )
        try await run.waitForProgress(0)
        try await app.waitUntilStopped()
        #expect(try await home.run("focus", "release").status == 0)
        #expect(try await run.end() == 0)
        #expect(run.events.last?["reason"] as? String == "released")
        #expect(app.runs)
        let next = try FocusChild(home, ["focus", "run", "--goal", "10", "--progress-stdin"])
        try await next.waitForProgress(0)
        try await app.waitUntilStopped()
    }

    @Test("A-5: another start of the day is kept, and the day ends then")
    func dayStart() async throws {
        let home = try FocusHome()
        let words = ["focus", "run", "--goal", "10", "--progress-stdin", "--app", FocusHome.token]
        func left(_ words: [String]) async throws -> Int {
            let run = try FocusChild(home, words)
            try await run.waitForStart()
            run.closeInput()
            #expect(try await run.end() == 0)
            return try #require(run.events("status").last?["untilNextDay"] as? Int)
        }
        let midnight = try await left(words)
        let early = try await left(words + ["--day-start", "05:30"])
        let kept = try await left(words)
        // Half a day of slack: only a start that was ignored or forgotten is as far off as this.
        let shift = (early - midnight + 86_400) % 86_400
        #expect(abs(shift - (5 * 3_600 + 1_800)) < 3_600)
        #expect(early >= kept && early - kept < 3_600)
    }
}
