@testable import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What a lock session waits for, and how many of it (P-7, P-23)", .timeLimit(.minutes(5)))
struct SessionTimerTests {
    private let bench: Bench
    private let right = SecretBytes("834912")

    init() {
        var bench = Bench()
        bench.configuration.idleTimeout = .seconds(600)
        bench.configuration.timeout = .never
        self.bench = bench
    }

    private func launched(_ store: (any SecretStore)? = nil) async throws -> LockSession {
        let service = try bench.service(store: store)
        try await service.set(right)
        let session = LockSession(service: service)
        await session.launch()
        return session
    }

    private func unlock(_ session: LockSession) async throws {
        guard case .right(let proof) = try await session.service.verify(right) else {
            Issue.record("not right")
            return
        }
        #expect(await session.unlock(with: proof, generation: session.state.generation))
    }

    @Test("P-23: one timer waits for the idle time, however active the person is, and looks again at its end")
    func idle() async throws {
        let session = try await launched()
        await bench.clock.waitForSleepers(1)
        let start = bench.clock.now.sinceBoot
        for _ in 0..<10 {
            await bench.clock.advance(by: .seconds(10))
            await session.personWasActive()
        }
        #expect(bench.clock.deadlines == [.sinceBoot(start + .seconds(600))])
        await bench.clock.advance(by: .seconds(500))
        try await BoundedWait.until { bench.clock.deadlines == [.sinceBoot(start + .seconds(700))] }
        #expect(await !session.state.isLocked)
        await bench.clock.advance(by: .seconds(100))
        try await BoundedWait.until { await session.state.isLocked }
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test("P-23: locked by hand nothing waits; unlocked, the idle time is waited for again")
    func again() async throws {
        let session = try await launched()
        await bench.clock.waitForSleepers(1)
        for _ in 0..<2 {
            await session.lock()
            try await BoundedWait.until { bench.clock.sleeperCount == 0 }
            try await unlock(session)
            await bench.clock.waitForSleepers(1)
            await bench.clock.advance(by: .seconds(600))
            try await BoundedWait.until { await session.state.isLocked }
            try await unlock(session)
            await bench.clock.waitForSleepers(1)
        }
    }

    @Test("P-23: a lock that is let go leaves no idle timer, ends its streams and watches no store")
    func letGo() async throws {
        let store = QuietStore(bench.storage, capabilities: .signalsOwnChanges, isStreamOpen: true)
        var session: LockSession? = try await launched(store)
        await session?.launch()
        #expect(store.openStreams == 1, "also when it is launched twice")
        let states = try #require(await session?.states())
        await bench.clock.waitForSleepers(1)
        session = nil
        for await _ in states {}
        try await BoundedWait.until { bench.clock.sleeperCount == 0 && store.openStreams == 0 }
    }

    @Test("P-7: without a delay no time served is waited for; with one a single timer notes it, to its end")
    func throttle() async throws {
        var bench = bench
        bench.configuration.idleTimeout = nil
        let service = try bench.service()
        try await service.set(right)
        let session = LockSession(service: service)
        await session.launch()
        await session.passcodeTried(.wrong(failures: 1, retryAfter: .zero))
        for _ in 0..<200 { await Task.yield() }
        #expect(bench.clock.sleeperCount == 0)
        for _ in 0..<5 { _ = try await service.verify(SecretBytes("270954")) }
        for _ in 0..<3 {
            await session.passcodeTried(.throttled(retryAfter: .seconds(60)))
            await bench.clock.waitForSleepers(1)
        }
        try await BoundedWait.until("one timer alone") { bench.clock.sleeperCount == 1 }
        await bench.clock.advance(by: .seconds(60))
        try await BoundedWait.until("the delay is over") { bench.clock.sleeperCount == 0 }
        await session.passcodeTried(.throttled(retryAfter: .seconds(60)))
        await bench.clock.waitForSleepers(1)
        await session.passcodeTried(try await service.verify(right))
        try await BoundedWait.until("the right passcode") { bench.clock.sleeperCount == 0 }
    }

    @Test("P-7: time served that cannot be noted is told as a failure")
    func noteFails() async throws {
        let quiet = QuietStore(bench.storage, capabilities: .signalsOwnChanges, isStreamOpen: true)
        let store = FailingSecretStore(quiet)
        let session = try await launched(store)
        for _ in 0..<5 { _ = try await session.service.verify(SecretBytes("270954")) }
        await session.passcodeTried(.throttled(retryAfter: .seconds(60)))
        await bench.clock.waitForSleepers(2)
        store.failNext(.write, with: SecretStoreError(code: .systemFailure, message: "input/output error"))
        await bench.clock.advance(by: .seconds(60))
        try await BoundedWait.until { await session.failure?.code == .store }
        #expect(await !session.state.isLocked)
    }

    @Test("P-7: after time served that could not be noted, the next minute notes it")
    func noteAfterFailure() async throws {
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let session = try await launched(store)
        for _ in 0..<5 { _ = try await session.service.verify(SecretBytes("270954")) }
        await bench.clock.advance(by: .seconds(60))
        let answer = try await session.service.verify(SecretBytes("270954"))
        await session.passcodeTried(answer)
        store.failNext(.write, with: SecretStoreError(code: .lockTimeout, message: "busy"))
        for minute in 1...3 {
            let version = try await bench.record()?.version
            await bench.clock.waitForSleepers(2)
            await bench.clock.advance(by: .seconds(60))
            try await BoundedWait.until("minute \(minute)") {
                if minute == 1 { return await session.failure != nil }
                return try await bench.record()?.version != version
            }
        }
        await bench.clock.reboot()
        let left = try await bench.service().status().retryAfter
        #expect(left > .zero && left <= .seconds(180), "of 300")
    }

    @Test("P-22: marks are written in the order in which they were made")
    func order() async throws {
        let store = QuietStore(bench.storage, capabilities: .signalsOwnChanges, isStreamOpen: true)
        let session = try await launched(store)
        let gate = store.holdNextWrite()
        let leaving = Task { await session.phaseChanged(to: .background) }
        await gate.waitForHeld(1)
        let returning = Task { await session.phaseChanged(to: .active) }
        try await BoundedWait.until { await session.state.cover == .none }
        for _ in 0..<500 { await Task.yield() }
        gate.open()
        await leaving.value
        await returning.value
        #expect(try await session.service.status().lock == LockMark())
    }

    @Test("P-51: a passcode that could not be sent is told as a failure")
    func push() async throws {
        let device = AccountBench().device()
        device.line.setOffline(true)
        let service = try device.service()
        try await service.set(.first)
        let session = LockSession(service: service)
        await session.launch()
        await session.push(.first)
        #expect(await session.failure?.account == .unreachable)
    }
}
