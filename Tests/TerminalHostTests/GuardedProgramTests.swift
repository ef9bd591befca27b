import Glibc
import PortcullisCore
import SystemClock
import Testing

@testable import TerminalHost

/// Ending a program that cannot be ended.
@Suite("guard's program (P-33)", .timeLimit(.minutes(5)))
struct GuardedProgramTests {
    @Test(
        "P-33: signing out waits for no program that may not be signalled, or that no signal ends",
        arguments: [false, true]
    )
    func cannotBeEnded(isAllowed: Bool) async throws {
        let program = GuardedProgram(
            ["sh", "-c", "echo $$; exec sleep 1000"],
            clock: SystemClock(),
            grace: .milliseconds(10)
        ) { _, _ in isAllowed }
        let terminal = try PseudoTerminal(attributes: nil)
        let (ends, ended) = AsyncStream<Int32>.makeStream()
        try program.start(on: terminal) { ended.yield($0) }
        await program.signOut()
        #expect(program.isSignedOut)
        // It is still there, until its terminal goes.
        let id = try #require(processID(from: terminal.master))
        #expect(kill(id, 0) == 0)
        kill(id, SIGKILL)
        var next = ends.makeAsyncIterator()
        #expect(await next.next() == 128 + SIGKILL)
    }

    @Test("P-33: where SIGCHLD is ignored, a program that fails does not end as one that succeeds")
    func ignoredSignal() async {
        // In a process of its own, because the signal's handling belongs to the process.
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            let program = GuardedProgram(["sh", "-c", "exit 3"], clock: SystemClock())
            let terminal = try PseudoTerminal(attributes: nil)
            let (ends, ended) = AsyncStream<Int32>.makeStream()
            try program.start(on: terminal) { ended.yield($0) }
            var next = ends.makeAsyncIterator()
            #expect(await next.next() == GuardedProgram.unknownStatus)
        }
    }

    /// What it said of itself.
    private func processID(from master: Int32) -> pid_t? {
        var waiting = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, 60_000) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(master, &buffer, buffer.count)
        return pid_t(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).filter(\.isNumber))
    }
}
