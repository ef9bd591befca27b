import Foundation
import Glibc
import PortcullisTesting
import Testing

/// Runs that are killed, and many runs at once.
@Suite("focus run: crashes and crowds", .serialized)
struct FocusCrashTests {
    private let words = ["focus", "run", "--goal", "1000", "--progress-stdin", "--app", FocusHome.token]

    @Test(
        "X-1, A-10: killed at any moment, a run leaves nothing that the next one or a release cannot put right"
    )
    func killed() async throws {
        let home = try FocusHome()
        let app = try home.startApp()
        var random = SystemRandomNumberGenerator()
        var highest = 0.0
        for round in 1...12 {
            let run = try FocusChild(home, words)
            run.type("\(round)\n")
            if round.isMultiple(of: 3) {
                try await run.waitForProgress(Double(round))
                highest = Double(round)
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &random)))
            run.send(SIGKILL)
            _ = try await run.end()
            let status = try await home.run("focus", "status", "--json")
            #expect(status.status == 0, "round \(round): \(status.errors)")
            if let progress = status.json["progress"] as? Double {
                #expect(progress >= highest, "what was told is kept")
            }
            if round.isMultiple(of: 4) {
                #expect(try await home.run("focus", "release").status == 0)
                try await app.waitUntilItRuns()
            }
        }
        let run = try FocusChild(home, words)
        try await run.waitForStart()
        try await app.waitUntilStopped()
        run.type("1000\n")
        try await run.wait("the unlocking") { $0["unlocked"] as? Bool == true }
        try await app.waitUntilItRuns()
        run.closeInput()
        #expect(try await run.end() == 0)
        #expect(run.events("notification").count == 1)
    }

    @Test("A-3, A-10: of sixteen runs on one store that reach the goal at once, one tells of it")
    func crowd() async throws {
        // Sixteen processes start and derive keys on however few cores there are.
        let limit = Duration.seconds(240)
        let home = try FocusHome()
        let app = try home.startApp()
        // The store is made by one, so that the others find it.
        let first = try FocusChild(home, words + ["--once", "--json"])
        try await first.waitForStart(limit: limit)
        let runs = [first] + (try (1..<16).map { _ in try FocusChild(home, words + ["--once", "--json"]) })
        for run in runs { try await run.waitForStart(limit: limit) }
        try await app.waitUntilStopped()
        for run in runs { run.type("1000\n") }
        for run in runs { #expect(try await run.end(limit: limit) == 0, "\(run.output)\(run.errors)") }
        let status = try await home.run("focus", "status", "--json").json
        let texts = runs.map { $0.output + $0.errors }
        #expect(texts.reduce(0) { $0 + $1.components(separatedBy: "Apps Unlocked!").count - 1 } == 1)
        #expect(runs.reduce(0) { $0 + $1.events("notification").count } == 1)
        #expect(runs.allSatisfy { $0.events.last?["reason"] as? String == "reached" })
        #expect(status["unlocked"] as? Bool == true)
        #expect(status["progress"] as? Double == 1_000)
        #expect(status["enabled"] as? Bool == true)
        #expect(status["stopped"] as? Int == 0)
        #expect(status["watched"] as? Bool == false)
        try await app.waitUntilItRuns()
    }

    @Test("X-1: a run that is killed takes its progress command with it, and whatever that has started")
    func command() async throws {
        let home = try FocusHome(ordinary: FocusHome.canDrop)
        guard home.isOrdinary || geteuid() != 0 else { return }
        let mark = home.home.appending(path: "mark")
        let run = try FocusChild(
            home,
            [
                "focus", "run", "--goal", "10", "--app", FocusHome.token, "--every", "1h", "--progress",
                "sleep 1000 & echo $$ $! > '\(mark.path).new'; mv '\(mark.path).new' '\(mark.path)'; wait",
            ]
        )
        try await BoundedWait.untilProcess("the command") {
            FileManager.default.fileExists(atPath: mark.path)
        }
        let numbers = try String(contentsOf: mark, encoding: .utf8).split(whereSeparator: \.isWhitespace)
        let processes = numbers.compactMap { pid_t($0) }
        #expect(processes.count == 2)
        #expect(processes.allSatisfy(Self.isThere))
        run.send(SIGKILL)
        _ = try await run.end()
        try await BoundedWait.untilProcess("the command to be gone") {
            !processes.contains(where: Self.isThere)
        }
    }

    /// Whether a process is there, and not only its number.
    private static func isThere(_ process: pid_t) -> Bool {
        let line = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        let state = line.split(separator: ")").last?.dropFirst().first
        return state.map { !"ZX".contains($0) } ?? false
    }
}
