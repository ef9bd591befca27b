import GoalLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What a launched lock waits for and tells of (A-5, A-10)", .timeLimit(.minutes(5)))
struct WatchingTests {
    private let bench = ServiceBench()

    @Test("A-10: observers are told of what changed, not of the time that the day still lasts")
    func timeLeft() async throws {
        let service = try await bench.enabled()
        try await service.launch()
        var statuses = await service.statuses().makeAsyncIterator()
        #expect(await statuses.next()?.progress == 0)
        for _ in 0..<2 {
            await bench.clock.advance(by: .hours(1))
            try await service.refresh()
        }
        try await service.update(progress: 5)
        #expect(await statuses.next()?.progress == 5)
    }

    @Test("A-9: a lock that is off waits for no day's end; on again it does")
    func off() async throws {
        let service = try await bench.enabled()
        try await service.launch()
        await bench.clock.waitForSleepers(1)
        try await service.disable()
        try await BoundedWait.until("no timer") { bench.clock.sleeperCount == 0 }
        _ = try await service.enable()
        await bench.clock.waitForSleepers(1)
        #expect(bench.clock.deadlines == [.sinceBoot(.hours(13))])
    }

    @Test("A-10: a lock that is let go leaves no timer, and its streams end")
    func end() async throws {
        var service: GoalLockService? = try await bench.enabled()
        try await service?.launch()
        let statuses = try #require(await service?.statuses())
        await bench.clock.waitForSleepers(1)
        service = nil
        for await _ in statuses {}
        try await BoundedWait.until("no timer") { bench.clock.sleeperCount == 0 }
    }

    @Test("A-11: damage is not looked at again and again; a store that was busy is, a minute later")
    func afterFailures() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        store.failNext(.read, with: SecretStoreError(code: .damaged, message: "altered"))
        await #expect(throws: GoalError.self) { try await service.launch() }
        for _ in 0..<200 { await Task.yield() }
        #expect(bench.clock.sleeperCount == 0)
        store.failNext(.read, with: SecretStoreError(code: .lockTimeout, message: "busy"))
        await #expect(throws: GoalError.self) { try await service.refresh() }
        await bench.clock.waitForSleepers(1)
        #expect(bench.clock.deadlines == [.sinceBoot(.hours(1) + .minutes(1))])
    }
}
