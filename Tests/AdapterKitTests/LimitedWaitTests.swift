import AdapterKit
import Dispatch
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

    @Test("S-6: an answer in time is returned, also one that is an error, and a late one is none")
    func answers() async throws {
        struct Failure: Error {}
        let clock = clock
        let four = await clock.answer(within: .seconds(3)) { () async throws(Never) -> Int in 4 }
        #expect(four == 4)
        await #expect(throws: Failure.self) {
            _ = try await clock.answer(within: .seconds(3)) { () async throws(Failure) -> Int in
                throw Failure()
            }
        }
        let gate = Gate()
        gate.close()
        let waiting = Task {
            await clock.answer(within: .seconds(3)) { () async throws(Never) -> Int in
                // In a task of its own, so that it ignores the cancellation.
                _ = await Task { await gate.pass() }.value
                return 5
            }
        }
        await clock.waitForSleepers(1)
        await gate.waitForHeld(1)
        await clock.advance(by: .seconds(3))
        #expect(await waiting.value == nil)
        gate.open()
    }

    @Test("S-6: work that blocks for good leaves the threads of Swift's pool to the limit")
    func blocked() async {
        let clock = clock
        // More than there are processors.
        let works = 96
        let begun = AsyncStream<Void>.makeStream()
        let end = DispatchSemaphore(value: 0)
        let waiting = (0..<works).map { _ in
            Task {
                await clock.answer(within: .seconds(3)) { () async throws(Never) -> Int in
                    begun.continuation.yield()
                    Self.block(until: end)
                    return 5
                }
            }
        }
        var count = 0
        for await _ in begun.stream {
            count += 1
            if count == works { break }
        }
        await clock.waitForSleepers(works)
        await clock.advance(by: .seconds(3))
        for task in waiting { #expect(await task.value == nil) }
        for _ in 0..<works { end.signal() }
    }

    private static func block(until end: DispatchSemaphore) { end.wait() }

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
