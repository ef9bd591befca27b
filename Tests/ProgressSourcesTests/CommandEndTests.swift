#if os(Linux)
import CLinux
import Foundation
import Glibc
import LinuxSystem
import PortcullisCore
import PortcullisTesting
import ProcessEnd
import Synchronization
import Testing

@testable import ProgressSources

/// A command whose process survives the signal to kill, as one of another user does.
@Suite("A progress command that cannot be killed (A-11)", .timeLimit(.minutes(2)))
struct CommandEndTests {
    private static let account =
        SystemAccount.current.isRoot ? SystemAccount(named: "nobody") : SystemAccount.current

    /// Says that a process runs on until it is told otherwise, and takes no time for it.
    private final class Survival: Sendable {
        private let state = Mutex((survives: true, waits: [Duration]()))

        var waits: [Duration] { state.withLock { $0.waits } }

        func end() { state.withLock { $0.survives = false } }

        func reap(_ process: pid_t, _ handle: Int32, _ limit: Duration) -> CommandEnd.Standing {
            let survives = state.withLock { state in
                state.waits.append(limit)
                return state.survives
            }
            return survives ? .running : CommandEnd.reap(process, handle, .seconds(60))
        }
    }

    private func command(_ text: String, limit: Duration, end: CommandEnd) throws -> ProgressCommand {
        ProgressCommand(
            text: text,
            account: try #require(Self.account),
            limit: limit,
            environment: ["PATH": "/usr/bin:/bin"],
            end: end
        )
    }

    @Test("A-11: the reading fails, no other run begins before the process has ended, and then one does")
    func survives() throws {
        let (survival, clock, stop) = (Survival(), ManualClock(), try Wake())
        let end = CommandEnd { survival.reap($0, $1, $2) }
        let stuck = try command("sleep 1000", limit: .zero, end: end)
        let first = #expect(throws: ProgressTrouble.self) { try stuck.run(by: clock, until: stop) }
        #expect(first?.reason == .failed && first?.message.contains("cannot be killed") == true)
        #expect(survival.waits == [CommandEnd.patience])
        let left = try #require(end.left)
        #expect(first?.message.contains("\(left)") == true)

        let next = try command("echo 7", limit: .seconds(60), end: end)
        let second = #expect(throws: ProgressTrouble.self) { try next.run(by: clock, until: stop) }
        #expect(second?.reason == .failed && second?.message.contains("\(left)") == true)
        // To ask about the process that was left takes no time.
        #expect(survival.waits.dropFirst().allSatisfy { $0 == .zero })

        survival.end()
        #expect(try next.run(by: clock, until: stop) == Array("7\n".utf8))
        #expect(end.left == nil)
        #expect(kill(left, 0) != 0, "the process was reaped")
    }

    @Test("A-11: a run that is stopped ends though its process does not")
    func stopped() throws {
        let (survival, stop) = (Survival(), try Wake())
        let end = CommandEnd { survival.reap($0, $1, $2) }
        stop.raise()
        let stuck = try command("sleep 1000", limit: .seconds(60), end: end)
        #expect(try stuck.run(by: ManualClock(), until: stop) == nil)
        #expect(survival.waits == [CommandEnd.patience])
        survival.end()
        #expect(end.left == nil)
    }

    @Test("A-11: where SIGCHLD is ignored, no command counts as successful")
    func ignoredSignal() async {
        // In a process of its own, because the signal's handling belongs to the process.
        await #expect(processExitsWith: .success) {
            let account = try #require(CommandEndTests.account)
            signal(SIGCHLD, SIG_IGN)
            // Real time: a command that has ended before it is watched is a failure anyway.
            for text in ["sleep 0.3; echo 7; exit 3", "sleep 0.3; echo 7", "sleep 1000"] {
                let isEndless = text == "sleep 1000"
                let command = ProgressCommand(
                    text: text,
                    account: account,
                    limit: isEndless ? .zero : .seconds(60),
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                let trouble = #expect(throws: ProgressTrouble.self) {
                    try command.run(by: ManualClock(), until: Wake())
                }
                #expect(trouble?.reason == (isEndless ? .timedOut : .failed))
                #expect(trouble?.message.contains("SIGCHLD") == !isEndless, "\(String(describing: trouble))")
                #expect(command.end.left == nil)
            }
            ChildStatuses.keep()
            let command = ProgressCommand(
                text: "echo 7",
                account: account,
                limit: .seconds(60),
                environment: ["PATH": "/usr/bin:/bin"]
            )
            #expect(try command.run(by: ManualClock(), until: Wake()) == Array("7\n".utf8))
        }
    }

    /// The numbers of the session keyrings in a list of keys (proc_keys(5)).
    private static func sessionKeyrings(in keys: String) -> Set<String> {
        let lines = keys.split(separator: "\n").filter { $0.contains(" _ses: ") }
        return Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) })
    }

    @Test(
        "A-11: a command of another account does not get this process's session keyring",
        .enabled(if: geteuid() == 0, "only root starts commands of other accounts")
    )
    func sessionKeyring() async {
        // In a process of its own, because the keyring belongs to the thread.
        await #expect(processExitsWith: .success) {
            let account = try #require(CommandEndTests.account)
            let hasKeyring = clinux_leave_session_keyring() == 0
            let own = CommandEndTests.sessionKeyrings(
                in: (try? String(contentsOfFile: "/proc/keys", encoding: .utf8)) ?? ""
            )
            guard hasKeyring, !own.isEmpty else {
                print("skipped: the system gives this process no keyrings")
                return
            }
            // A process sees only keyrings that its user owns, and those that it got.
            let command = ProgressCommand(
                text: "cat /proc/keys",
                account: account,
                limit: .seconds(60),
                environment: ["PATH": "/usr/bin:/bin"]
            )
            let printed = try command.run(by: ManualClock(), until: Wake()) ?? []
            let got = CommandEndTests.sessionKeyrings(in: String(decoding: printed, as: UTF8.self))
            #expect(!printed.isEmpty && got.isDisjoint(with: own))
        }
    }

    @Test("A-11: the wait for a process that runs on ends at its limit, with a handle and without one")
    func limit() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sleep")
        process.arguments = ["1000"]
        try process.run()
        // As the handle of a process that runs on, a pipe is never ready.
        let pipe = Pipe()
        for handle in [-1, pipe.fileHandleForReading.fileDescriptor] {
            let took = ContinuousClock().measure {
                #expect(CommandEnd.reap(process.processIdentifier, handle, .milliseconds(50)) == .running)
            }
            #expect(took >= .milliseconds(50))
            #expect(CommandEnd.reap(process.processIdentifier, handle, .zero) == .running)
        }
        withExtendedLifetime(pipe) { process.killAndWait() }
    }
}
#endif
