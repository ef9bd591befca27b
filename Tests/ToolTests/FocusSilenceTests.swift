import Foundation
import Glibc
import PortcullisTesting
import SilentMount
import Testing

@testable import portcullis

/// The ways out of App Lock while a folder of desktop entries does not answer, like a lost network share.
@Suite(
    "focus on a file system that does not answer",
    .serialized,
    .enabled("this process may not mount one") { SilentMount.isAllowed }
)
struct FocusSilenceTests {
    private let words = ["focus", "run", "--goal", "10", "--progress-stdin"]

    /// Shuts the app by its path, and leaves it so when the run has ended.
    private func shut(_ home: FocusHome, _ app: FocusApp) async throws {
        let run = try FocusChild(home, words + ["--app", home.program.path])
        run.type("3\n")
        try await app.waitUntilStopped()
        run.send(SIGTERM)
        #expect(try await run.end() == 128 + SIGTERM)
        #expect(app.isStopped)
    }

    @Test("A-11: by force, programs go on within seconds, and the release is noted")
    func force() async throws {
        let home = try FocusHome()
        let app = try home.startApp()
        try await shut(home, app)
        let folder = try #require(SilentMount(on: home.home.appending(path: "applications").path))
        let release = try FocusChild(home, ["focus", "release", "--force"])
        try await app.waitUntilItRuns()
        #expect(try await release.end() == 0)
        #expect(release.errors.contains("released by force"))
        #expect(app.runs)
        withExtendedLifetime(folder) {}
    }

    @Test(
        "A-11: by force, programs go on although the store's folder does not answer",
        .enabled(if: FocusHome.canDrop),
        // With a TPM, the store's folder is asked for the protected key first.
        arguments: [[], ["--tpm", "swtpm:port=1"]]
    )
    func forceWithSilentStore(_ key: [String]) async throws {
        // A user of this test's own: everything of the user that is stopped goes on.
        let user = 65_600 + UInt32.random(in: 0..<1_000_000) * 2
        let home = try FocusHome.open()
        let app = try home.startApp(as: user)
        try await app.waitUntilItRuns()
        let account = ["--user", "\(user)"]
        let run = try FocusChild(home, words + ["--app", home.program.path] + account)
        try await run.waitForStart()
        try await app.waitUntilStopped()
        run.send(SIGKILL)
        _ = try await run.end()
        let folder = try #require(SilentMount(on: home.store.deletingLastPathComponent().path))
        let forced = ["focus", "release", "--force", "--busy-timeout", "0s"]
        let release = try FocusChild(home, forced + key + account)
        try await app.waitUntilItRuns()
        #expect(try await release.end() == 7, "whether a process watches is unknown")
        #expect(release.errors.contains("the store was no help: it does not answer"))
        #expect(release.errors.contains("perhaps a process watches"))
        #expect(!release.output.contains("App Lock is off"))
        withExtendedLifetime(folder) {}
    }

    @Test("A-9: with the passcode's way out programs go on, too")
    func release() async throws {
        let home = try FocusHome()
        let app = try home.startApp()
        try await shut(home, app)
        let folder = try #require(SilentMount(on: home.home.appending(path: "applications").path))
        #expect(try await home.run("focus", "release").status == 0)
        try await app.waitUntilItRuns()
        withExtendedLifetime(folder) {}
    }

    @Test("A-11: a signal ends a run that is not up yet; what is stopped stays so until it is released")
    func signal() async throws {
        let home = try FocusHome()
        let app = try home.startApp()
        try await shut(home, app)
        let folder = try #require(SilentMount(on: home.home.appending(path: "applications").path))
        let run = try FocusChild(home, words)
        try await BoundedWait.untilProcess("the run to take signals") { takesSignals(run.pid) }
        run.send(SIGTERM)
        #expect(try await run.end() == 128 + SIGTERM)
        #expect(app.isStopped)
        #expect(try await home.run("focus", "release").status == 0)
        try await app.waitUntilItRuns()
        withExtendedLifetime(folder) {}
    }

    /// Whether a process has a handler for SIGTERM.
    private func takesSignals(_ process: pid_t) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        let caught = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
        return caught & 1 << UInt64(SIGTERM - 1) != 0
    }
}
