import Foundation
import GoalLock
import PortcullisCore
import Testing

@testable import portcullis

/// What makes the lock easier asks for the passcode, whoever is named and wherever it is asked for.
@Suite("focus: what asks for the passcode", .serialized)
struct FocusLooseningTests {
    private static let passcode = "835291"

    private func words(goal: String = "100", _ extra: String...) -> [String] {
        ["focus", "run", "--goal", goal] + extra
    }

    /// A home whose lock is on with a goal of 100 and days from 04:00 on, guarded by a passcode.
    private func locked(user: String? = nil) async throws -> FocusHome {
        let home = try FocusHome()
        let name = user.map { ["--user", $0] } ?? []
        let set = try FocusChild(home, ["passcode", "set"] + name)
        set.type("\(Self.passcode)\n")
        set.closeInput()
        #expect(try await set.end() == 0)
        let guardian = user.map { ["--passcode-user", $0] } ?? []
        let run = try FocusChild(
            home,
            words("--progress-stdin", "--app", FocusHome.token, "--day-start", "04:00") + guardian
        )
        run.type("3\n")
        try await run.waitForProgress(3)
        run.closeInput()
        #expect(try await run.end() == 0)
        return home
    }

    private func file(_ text: String, in home: FocusHome) throws -> String {
        let file = home.home.appending(path: "steps.txt")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    private static let rows: [(goal: String, extra: [String], says: String)] = [
        ("1", [], "a lower goal"),
        ("99.5", ["--app", FocusHome.token], "a lower goal"),
        ("100", ["--category", "Game"], "taking back what was chosen"),
        ("100", ["--day-start", "04:01"], "another start of the day"),
        ("100", ["--day-start", "03:59"], "another start of the day"),
    ]

    @Test(
        "P-6: while the lock is on, a run that would loosen it asks for the passcode, and changes nothing without",
        arguments: rows
    )
    func asks(_ row: (goal: String, extra: [String], says: String)) async throws {
        let home = try await locked()
        let before = try await home.run("focus", "status", "--json").json
        let file = try file("3", in: home)
        // Standard input holds the progress already.
        var run = try FocusChild(home, words(goal: row.goal, "--progress-stdin") + row.extra)
        run.type("\(Self.passcode)\n")
        #expect(try await run.end() == 2)
        #expect(run.errors.contains(row.says), "\(run.errors)")
        #expect(run.errors.contains("focus settings") && run.errors.contains("focus release"))

        run = try FocusChild(home, words(goal: row.goal, "--progress-file", file) + row.extra)
        run.closeInput()
        #expect(try await run.end() == 2, "nothing was given")
        #expect(run.errors.contains("\(row.says) asks for the passcode"), "\(run.errors)")
        run = try FocusChild(home, words(goal: row.goal, "--progress-file", file) + row.extra)
        run.type("111112\n")
        #expect(try await run.end() == 1)
        #expect(run.output.isEmpty)
        #expect(try await home.run("passcode", "status", "--json").json["failures"] as? Int == 1, "one count")
        let after = try await home.run("focus", "status", "--json").json
        for key in ["goal", "shut", "enabled", "unlocked", "progress"] {
            #expect(after[key] as? NSObject == before[key] as? NSObject, "\(key)")
        }

        run = try FocusChild(home, words(goal: row.goal, "--progress-file", file) + row.extra)
        run.type("\(Self.passcode)\n")
        try await run.waitForStart()
        run.send(SIGTERM)
        #expect(try await run.end() == 128 + SIGTERM)
        #expect(!(run.output + run.errors).contains(Self.passcode))
    }

    @Test("A-4: what stays or becomes stricter asks nothing")
    func stricter() async throws {
        let home = try await locked()
        for extra in [[], ["--app", FocusHome.token, "--category", "Game", "--day-start", "04:00"]] {
            for goal in ["100", "200"] {
                let run = try FocusChild(home, words(goal: goal, "--progress-stdin") + extra)
                run.type("4\n")
                try await run.waitForProgress(4)
                run.closeInput()
                #expect(try await run.end() == 0)
                let told = Set(run.events("status").compactMap { $0["goal"] as? Double })
                #expect(told == [Double(goal)], "nothing is told of before it was set")
                guard extra.isEmpty, goal == "200" else { continue }
                // For the next round.
                let file = try file("4", in: home)
                let back = try FocusChild(home, words(goal: "100", "--progress-file", file))
                back.type("\(Self.passcode)\n")
                try await back.waitForStart()
                back.send(SIGTERM)
                _ = try await back.end()
            }
        }
    }

    @Test("P-6: to name a user without a passcode is no way out")
    func anotherUser() async throws {
        var home = try await locked()
        #expect(try await home.run("focus", "release", "--user-id", "nobody-set-one").status == 2)
        var run = try FocusChild(
            home,
            words(goal: "1", "--progress-stdin", "--passcode-user", "nobody-set-one")
        )
        #expect(try await run.end() == 2)
        #expect(try await home.run("focus", "status", "--json").json["enabled"] as? Bool == true)

        // Guarded by another user than the one that nobody names.
        home = try await locked(user: "anna")
        #expect(try await home.run("focus", "release").status == 2)
        run = try FocusChild(home, words(goal: "1", "--progress-stdin", "--user-id", "device"))
        #expect(try await run.end() == 2)
        #expect(try await home.run("focus", "release", input: "111112\n").status == 1)
        #expect(try await home.run("focus", "release", input: "\(Self.passcode)\n").status == 0)
        #expect(try await home.run("focus", "status", "--json").json["enabled"] as? Bool == false)
        // Off, it is anybody's to switch on and off again.
        run = try FocusChild(home, words(goal: "1", "--progress-stdin"))
        try await run.waitForStart()
        run.closeInput()
        #expect(try await run.end() == 0)
        #expect(try await home.run("focus", "release").status == 0)
    }
}
