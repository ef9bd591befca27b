import Foundation
import Glibc
import TerminalEmulator
import Testing

/// `guard` where the system gives no more threads, as under a program that has forked up to its user's limit.
@Suite(
    "guard without threads to be had (P-24)",
    .serialized,
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit")
            && (FocusHome.canDrop || geteuid() != 0),
        "it takes prlimit, and from root, for whom no limit holds, setpriv and a tool that others may run"
    )
)
struct GuardThreadsTests {
    /// One whose processes are those of this suite alone: the limit counts all of a user's.
    private static let user = 60_000 + UInt32(getpid() % 5_000)
    private static let prlimit = "/usr/bin/prlimit"
    private let passcode = "835291"

    /// Starts the tool as a user who has a limit; an ordinary one where the tests run as root.
    private func start(_ arguments: [String]) throws -> GuardedRun {
        guard geteuid() == 0 else { return try GuardedRun(arguments) }
        let home = FileManager.default.temporaryDirectory.appending(path: "guard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        unsafe lchown(home.path, Self.user, Self.user)
        return try GuardedRun(
            FocusHome.asUser(Self.user) + [Tool.executable.path] + arguments,
            executable: FocusHome.setpriv,
            home: home,
            // Who has no rights cannot write where that is counted.
            variables: Tool.counting.map { "\($0.key)=/dev/null" }
        )
    }

    /// From now on the tool gets no thread beyond so many; `nil`: as many as at first. Its program keeps the old limit.
    private func limitThreads(of run: GuardedRun, to count: Int?) throws {
        var own = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &own)
        let words = [Self.prlimit, "--pid", "\(run.process)", "--nproc=\(count ?? Int(own.rlim_cur)):"]
        // As the tool's own user: for a process of another it takes a right that a container's root may not have.
        let all = geteuid() == 0 ? [FocusHome.setpriv] + FocusHome.asUser(Self.user) + words : words
        let process = Process()
        process.executableURL = URL(fileURLWithPath: all[0])
        process.arguments = Array(all.dropFirst())
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    /// Waits for the lock screen for a time that is long for the busiest machine and short against a wait for ever.
    private func isCovered(_ run: GuardedRun) async throws -> Bool {
        let due = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < due {
            if run.screen.text.contains("Enter Passcode") { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    enum Cause: CaseIterable {
        case key
        case focus
        case idle

        var options: [String] {
            switch self {
            case .key: []
            case .focus: ["--timeout", "500ms"]
            case .idle: ["--idle", "9s"]
            }
        }

        var typed: String {
            switch self {
            case .key: "\u{1D}"
            case .focus: "\u{1B}[O"
            case .idle: ""
            }
        }
    }

    @Test(
        "P-24: with no thread to be had it covers all the same: on the lock key, without the focus, and when idle",
        arguments: Cause.allCases
    )
    func covers(_ cause: Cause) async throws {
        let run = try start(
            ["guard"] + cause.options
                + ["--", "sh", "-c", "while :; do echo private; sleep 0.1; done"]
        )
        try await run.setPasscode(passcode)
        try await run.waitForText("private")
        // In real time: Dispatch ends its threads five seconds after their last work, and no clock of ours moves that.
        try await Task.sleep(for: .seconds(7))
        try limitThreads(of: run, to: 1)
        run.type(cause.typed)
        #expect(try await isCovered(run), "no lock screen: \(run.screen.text)")
        // Long enough for the program to have printed many times.
        let shown = run.raw.count
        try await Task.sleep(for: .milliseconds(600))
        #expect(!run.raw.dropFirst(shown).contains("private"))
        #expect(!run.screen.text.contains("private"))
        try limitThreads(of: run, to: nil)
        if cause == .focus { run.type("\u{1B}[I") }
        try await run.unlockUnderNoTimeout(passcode)
        try await run.waitForText("private")
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test(
        "guard: with few threads to be had it says why it cannot start, and leaves the terminal as it was",
        .enabled(if: FocusHome.canDrop, "it takes a user without other processes, and so root and setpriv")
    )
    func fewThreads() async throws {
        let first = try start(["guard", "--", "true"])
        try await first.choosePasscode(passcode)
        #expect(try await first.waitForEnd() == 0)
        // Each removes the home when it goes.
        var runs = [first]
        var refusals = 0
        // With fewer Dispatch gets none for itself, and waits before anything has begun.
        for limit in 6...16 {
            let run = try GuardedRun(
                ["--nproc=\(limit)", FocusHome.setpriv] + FocusHome.asUser(Self.user)
                    + [Tool.executable.path, "guard", "--", "true"],
                executable: Self.prlimit,
                home: first.home,
                variables: Tool.counting.map { "\($0.key)=/dev/null" }
            )
            runs.append(run)
            let status = try await run.waitForEnd()
            #expect([0, 125].contains(status), "\(limit) threads: \(status), \(run.raw)")
            #expect(run.attributes == run.firstAttributes)
            #expect(run.screen.modes == TerminalEmulator.modesAtFirst)
            guard status == 125 else { continue }
            refusals += 1
            #expect(run.raw.contains("Resource temporarily unavailable"), "\(limit) threads: \(run.raw)")
        }
        #expect(refusals > 0)
    }
}
