import AdapterKit
import PortcullisCore
import PortcullisTesting
import Testing

/// Waits that have an end.
@Suite("Waiting no longer than a limit", .timeLimit(.minutes(5)))
struct LimitedWaitTests {
    private let clock = ManualClock()

    @Test("S-6: work that ends is waited for, and no time passes")
    func ends() async {
        let done = AsyncStream<Void>.makeStream()
        await clock.wait(atMost: .seconds(3)) { done.continuation.finish() }
        for await _ in done.stream {}
        #expect(clock.now.sinceBoot == ManualClock().now.sinceBoot)
    }

    @Test("S-6: a task that is cancelled waits as long as any other")
    func cancelled() async {
        let gate = Gate()
        gate.close()
        let waiting = Task { [clock] in
            await clock.wait(atMost: .seconds(3)) { _ = await gate.pass() }
            return gate.heldCount
        }
        await gate.waitForHeld(1)
        waiting.cancel()
        for _ in 0..<100 { await Task.yield() }
        #expect(gate.heldCount == 1)
        gate.open()
        #expect(await waiting.value == 0)
    }

    @Test("S-6: work that does not is cancelled at the limit, and not before")
    func limit() async {
        let endless = AsyncStream<Void>.makeStream()
        let waiting = Task { [clock] in
            await clock.wait(atMost: .seconds(3)) { for await _ in endless.stream {} }
        }
        await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(2))
        #expect(clock.sleeperCount == 1)
        await clock.advance(by: .seconds(1))
        await waiting.value
        #expect(clock.sleeperCount == 0)
    }
}
