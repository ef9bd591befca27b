import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("A lock that is let go", .timeLimit(.minutes(5)))
struct SessionEndTests {
    @Test("P-7: a lock that is let go during a delay leaves no timer behind")
    func throttleTimer() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(SecretBytes("834912"))
        var session: LockSession? = LockSession(service: service)
        await session?.launch()
        await session?.passcodeTried(.throttled(retryAfter: .seconds(600)))
        await bench.clock.waitForSleepers(1)
        session = nil
        try await BoundedWait.until("the timer to end") { bench.clock.sleeperCount == 0 }
    }
}
