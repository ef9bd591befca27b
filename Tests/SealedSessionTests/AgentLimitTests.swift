import Glibc
import LinuxSystem
import PortcullisCore
import PortcullisTesting
import Testing

@testable import SealedSession

/// How long an agent waits for its processes, and for how many. Real time: the agent's thread is moved by no clock of the
/// tests.
@Suite("the limits of a session's agent (K-8)", .timeLimit(.minutes(5)))
struct AgentLimitTests {
    /// The head of the longest request, and its beginning.
    private static let beginning: [UInt8] = [0, 0, 0x20, 0, 1]

    @Test(
        "K-8: a process has five seconds for its request, and five for the answer; a store has as long as it takes"
    )
    func patience() async throws {
        let store = GatedStore()
        let bench = try AgentBench(store)
        let large = SecretBytes(copying: [UInt8](repeating: 7, count: 4 << 20))
        _ = try await store.write(large, to: item("large"), accessibility: .whenUnlocked, if: .none)
        let start = ContinuousClock.now
        let silent = try bench.connect()
        let notTaken = try bench.asking(.read(item("large")))
        try await BoundedWait.until(every: .milliseconds(2)) { notTaken.isReady }
        store.gate.close()
        let working = try bench.asking(.read(item("large")))
        await store.gate.waitForHeld(1)

        #expect(try await silent.everything().count == 0)
        let time = ContinuousClock.now - start
        #expect(time >= .seconds(4.9), "\(time)")
        try await Task.sleep(for: .seconds(1))
        // The agent has closed this connection, so only what the socket holds arrives.
        #expect(try await notTaken.everything().count < large.count)
        #expect(!working.isReady)
        store.gate.open()
        guard case .found(_?) = try await working.reply() else {
            Issue.record("the process was sent away before the store answered")
            return
        }
        await bench.stop()
    }

    @Test("K-8: a request that waits for another one for five seconds is refused, and the other one goes on")
    func queued() async throws {
        let store = GatedStore()
        let bench = try AgentBench(store)
        store.gate.close()
        let working = try bench.asking(.read(item()))
        await store.gate.waitForHeld(1)
        let start = ContinuousClock.now
        guard case .failed(let failure, let message) = try await bench.answer(to: .read(item())) else {
            Issue.record("two values were read at once")
            return
        }
        let time = ContinuousClock.now - start
        #expect(time >= .seconds(4.9), "\(time)")
        #expect(failure == .lockTimeout && message == "too much is asked of the session's agent at once")
        #expect(!working.isReady)
        store.gate.open()
        guard case .found(nil) = try await working.reply() else {
            Issue.record("the process was sent away before the store answered")
            return
        }
        await bench.stop()
    }

    @Test("K-8: if there are as many connections as there may be, the oldest one makes room after a second")
    func many() async throws {
        let bench = try AgentBench()
        let start = ContinuousClock.now
        var all: [Connection] = []
        for _ in 0..<SessionAgent.mostConnections { all.append(try bench.connect()) }
        let answer = try await bench.answer(to: .read(item()))
        #expect(ContinuousClock.now - start >= .seconds(0.9))
        guard case .found(nil) = answer else {
            Issue.record("it was not answered")
            return
        }
        expectEnded(all, [true] + [Bool](repeating: false, count: all.count - 1), since: start)
        await bench.stop()
    }

    @Test(
        "K-8: a request for which there is no memory waits, until the slowest process makes room after a second"
    )
    func memory() async throws {
        let bench = try AgentBench()
        let start = ContinuousClock.now
        var all: [Connection] = []
        for _ in 0..<5 {
            let connection = try bench.connect()
            try connection.send(Self.beginning)
            all.append(connection)
        }
        // A request that needs no more than its head goes on.
        _ = try await bench.answer(to: .read(item()))
        let change = SecretChange.write(
            SecretBytes(copying: [UInt8](repeating: 7, count: 1 << 20)),
            to: try item(),
            accessibility: .whenUnlocked,
            if: .none
        )
        let answer = try await bench.answer(to: .commit([change]))
        #expect(ContinuousClock.now - start >= .seconds(0.9))
        guard case .committed = answer else {
            Issue.record("it was not answered: \(String(describing: answer))")
            return
        }
        expectEnded([all[0], all[4]], [true, false], since: start)
        await bench.stop()
    }

    @Test("K-8: requests count for the memory as long as the store works on them")
    func underWay() async throws {
        let store = GatedStore()
        let bench = try AgentBench(store)
        store.commits.close()
        // Four of these take all but 160 KiB of the memory.
        let value = SecretBytes(copying: [UInt8](repeating: 7, count: AgentMessage.longestRequest - 48 << 10))
        let change = SecretChange.write(value, to: try item(), accessibility: .whenUnlocked, if: .none)
        let working = try (0..<4).map { _ in try bench.asking(.commit([change])) }
        await store.commits.waitForHeld(working.count)
        // The agent waits for memory before it reads the body of a fifth request.
        let fifth = try bench.connect()
        try fifth.send(Self.beginning)
        #expect(try await fifth.failure() == .lockTimeout)
        store.commits.open()
        for connection in working {
            guard case .committed = try await connection.reply() else {
                Issue.record("a request that was taken got no answer")
                return
            }
        }
        await bench.stop()
    }

    /// Checks which connections the agent has ended. After five seconds all have ended, on a busy machine too before the test
    /// gets to look; then only those count that had to make room.
    private func expectEnded(
        _ connections: [Connection],
        _ expected: [Bool],
        since start: ContinuousClock.Instant
    ) {
        let ended = connections.map(\.isReady)
        if ContinuousClock.now - start < .seconds(4.9) {
            #expect(ended == expected)
        } else {
            #expect(zip(ended, expected).allSatisfy { $0 || !$1 })
        }
    }
}
