import Foundation
import Glibc
import Testing

/// Runs that are killed.
@Suite("focus run: crashes", .serialized)
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
}
