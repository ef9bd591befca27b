import PortcullisTesting
import Testing

@Suite("Gate", .timeLimit(.minutes(5)))
struct GateTests {
    let gate = Gate()

    @Test("an open gate lets pass at once, whoever is cancelled; a closed one holds until it opens, in order")
    func opens() async {
        let gate = gate
        #expect(!gate.isClosed)
        #expect(await gate.pass())
        #expect(await Self.cancelled { await gate.pass() })
        gate.close()
        #expect(gate.isClosed)
        let log = Journal<Int>()
        let executor = ManualExecutor()
        for number in 0..<8 {
            Task(executorPreference: executor) {
                if await gate.pass() { log.note(number) }
            }
        }
        executor.runUntilIdle()
        #expect(gate.heldCount == 8)
        #expect(log.entries.isEmpty)
        gate.open()
        executor.runUntilIdle()
        #expect(log.entries == Array(0..<8))
        #expect(!gate.isClosed && gate.heldCount == 0)
        #expect(await gate.pass())
    }

    @Test("a cancelled task does not pass a closed gate, and is no longer held")
    func cancelled() async {
        let gate = gate
        gate.close()
        #expect(await !Self.cancelled { await gate.pass() })
        let held = Task { await gate.pass() }
        await gate.waitForHeld(1)
        held.cancel()
        #expect(await !held.value)
        #expect(gate.heldCount == 0)
        gate.open()
    }

    @Test("a wait ends when as many are held as it asks for, not before, or with its task")
    func waits() async {
        let (gate, executor) = (gate, ManualExecutor())
        let ended = Journal<Int>()
        gate.close()
        for count in [2, 1, 0] {
            Task(executorPreference: executor) {
                await gate.waitForHeld(count)
                ended.note(count)
            }
        }
        let cancelled = Task(executorPreference: executor) { await gate.waitForHeld(9) }
        executor.runUntilIdle()
        #expect(ended.entries == [0])
        for expected in [[0, 1], [0, 1, 2]] {
            Task(executorPreference: executor) { _ = await gate.pass() }
            executor.runUntilIdle()
            #expect(ended.entries == expected)
        }
        await gate.waitForHeld(2)
        cancelled.cancel()
        executor.runUntilIdle()
        await cancelled.value
        await Self.cancelled { await gate.waitForHeld(9) }
        gate.open()
        executor.runUntilIdle()
    }

    /// What work gives in a task that was cancelled before it.
    private static func cancelled<Result: Sendable>(
        _ work: @escaping @Sendable () async -> Result
    ) async -> Result {
        await Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            return await work()
        }.value
    }
}
