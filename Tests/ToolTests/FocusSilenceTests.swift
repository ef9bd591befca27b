import Foundation
import Glibc
import PortcullisTesting
import Testing

@testable import portcullis

/// The ways out of App Lock while a folder of desktop entries does not answer, like a lost network share.
@Suite(
    "focus on a file system that does not answer",
    .serialized,
    .enabled("this process may not mount one") { SilentFolder.isAllowed }
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
        let folder = try #require(SilentFolder(on: home.home.appending(path: "applications").path))
        let release = try FocusChild(home, ["focus", "release", "--force"])
        try await app.waitUntilItRuns()
        #expect(try await release.end() == 0)
        #expect(release.errors.contains("released by force"))
        #expect(app.runs)
        withExtendedLifetime(folder) {}
    }

    @Test("A-9: with the passcode's way out programs go on, too")
    func release() async throws {
        let home = try FocusHome()
        let app = try home.startApp()
        try await shut(home, app)
        let folder = try #require(SilentFolder(on: home.home.appending(path: "applications").path))
        #expect(try await home.run("focus", "release").status == 0)
        try await app.waitUntilItRuns()
        withExtendedLifetime(folder) {}
    }

    @Test("A-11: a signal ends a run that is not up yet; what is stopped stays so until it is released")
    func signal() async throws {
        let home = try FocusHome()
        let app = try home.startApp()
        try await shut(home, app)
        let folder = try #require(SilentFolder(on: home.home.appending(path: "applications").path))
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

/// A folder on which a file system is mounted that answers nothing.
private final class SilentFolder: Sendable {
    private let path: String
    private let server: Int32

    /// `nil` where this process may not mount one.
    init?(on path: String) {
        self.path = path
        server = unsafe open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard server >= 0 else { return nil }
        let options = "fd=\(server),rootmode=40000,user_id=\(getuid()),group_id=\(getgid())"
        guard unsafe mount("silent", path, "fuse", 0, options) == 0 else {
            close(server)
            return nil
        }
    }

    /// Ends it: calls that still wait for an answer have an error then.
    deinit {
        close(server)
        unsafe umount2(path, Int32(MNT_DETACH))
    }

    static var isAllowed: Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "silent-\(UUID().uuidString)")
        guard (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil
        else { return false }
        defer { try? FileManager.default.removeItem(at: folder) }
        return SilentFolder(on: folder.path) != nil
    }
}
