import Foundation
import Glibc
import Testing

/// `guard` on a terminal that belongs to another user, as after `su`.
@Suite("guard on the terminal of another user (P-24)", .timeLimit(.minutes(5)))
struct GuardForeignTerminalTests {
    private static let setpriv = "/usr/bin/setpriv"
    private static let other: uid_t = 65534
    private static let asOther = ["--reuid=\(other)", "--regid=\(other)", "--clear-groups"]

    /// Whether a process of the other user can run the tool.
    private static let canRun: Bool = {
        guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: setpriv) else { return false }
        let check = Process()
        check.executableURL = URL(fileURLWithPath: setpriv)
        check.arguments = asOther + ["test", "-x", Tool.executable.path]
        guard (try? check.run()) != nil else { return false }
        check.waitUntilExit()
        return check.terminationStatus == 0
    }()

    @Test(
        "P-24: a terminal that is full and cannot be opened by its name delays neither the lock nor the end",
        .enabled(if: canRun, "it takes root, setpriv, and a tool that another user can run")
    )
    func full() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "guard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try FileManager.default.setAttributes(
            [.ownerAccountID: Self.other, .groupOwnerAccountID: Self.other],
            ofItemAtPath: home.path
        )
        let run = try GuardedRun(
            Self.asOther + [
                Tool.executable.path, "guard", "--", "sh", "-c", "read x; while :; do echo ABCDEFG; done",
            ],
            executable: Self.setpriv,
            home: home
        )
        try await run.setPasscode("835291")
        run.type("\n")
        try await run.waitForText("ABCDEFG")
        run.stopReading()
        // Long enough for the program to fill the terminal.
        try await Task.sleep(for: .milliseconds(1500))
        run.type("\u{1D}")
        run.send(SIGTERM)
        #expect(try await run.waitForExit() == 128 + SIGTERM)
    }
}
