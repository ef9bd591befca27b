import GoalLock
import PortcullisCore
import PortcullisTesting
import Synchronization
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

    @Test("A-5: on an executor that a test runs, a step of the clock returns once the day's end was followed")
    func executor() async throws {
        let service = try await bench.enabled(executor: bench.clock.executor)
        try await service.launch()
        for day in 1...20 {
            try await service.update(progress: 100)
            #expect(!bench.shield.isUp)
            await bench.clock.advance(by: .hours(24))
            #expect(bench.shield.isUp, "day \(day)")
            #expect(try await service.status().progress == 0)
        }
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

    @Test("A-5: a lock that was not launched waits for nothing; one that was has a single timer, set once")
    func timers() async throws {
        let service = try await bench.enabled()
        try await service.refresh()
        for _ in 0..<200 { await Task.yield() }
        #expect(bench.clock.sleeperCount == 0)
        let sleeps = SleepCountingClock(bench.clock)
        let launched = try GoalLockService(
            backends: Backends(
                secrets: InMemorySecretStore(bench.storage),
                shield: bench.shield,
                scheduler: bench.scheduler,
                notifier: bench.notifier,
                clock: sleeps
            ),
            configuration: GoalConfiguration(goal: 100, title: "Steps")
        )
        try await launched.launch()
        await bench.clock.waitForSleepers(1)
        for progress in [1.0, 2, 3] { try await launched.update(progress: progress) }
        for _ in 0..<200 { await Task.yield() }
        #expect(sleeps.count == 1, "the day ends when it ended before")
        try await launched.setDayStart(try #require(TimeOfDay(hour: 3, minute: 0)))
        try await BoundedWait.until("the new end alone") {
            bench.clock.deadlines == [.sinceBoot(.hours(16))]
        }
        #expect(sleeps.count == 2)
    }

    @Test("A-5: a failure shortly before the day's end is looked at when it ends, not after it")
    func failureBeforeEnd() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.launch()
        await bench.clock.waitForSleepers(1)
        await bench.clock.advance(by: .hours(12) - .seconds(30))
        store.failNext(.read, with: SecretStoreError(code: .lockTimeout, message: "busy"))
        await #expect(throws: GoalError.self) { try await service.refresh() }
        for _ in 0..<200 { await Task.yield() }
        #expect(bench.clock.deadlines == [.sinceBoot(.hours(13))])
    }

    @Test("A-7: a launched lock follows the entitlement, once however often it is launched, and lets it go")
    func entitlement() async throws {
        _ = try await bench.enabled()
        let entitlement = WatchedEntitlement()
        var service: GoalLockService? = try GoalLockService(
            backends: Backends(
                secrets: InMemorySecretStore(bench.storage),
                shield: bench.shield,
                scheduler: bench.scheduler,
                notifier: bench.notifier,
                clock: bench.clock
            ),
            entitlement: entitlement,
            configuration: GoalConfiguration(goal: 100, title: "Steps")
        )
        for _ in 0..<2 { try await service?.launch() }
        #expect(bench.shield.isUp && entitlement.watchers == 1)
        entitlement.withdraw()
        #expect(await service?.status { $0.reason == .notEntitled } != nil)
        #expect(!bench.shield.isUp)
        service = nil
        try await BoundedWait.until("nothing watches any more") { entitlement.watchers == 0 }
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

extension WatchingTests {
    @Test("A-11: a change of another process that is damage is told to the person")
    func damagedChange() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.launch()
        await bench.clock.waitForSleepers(1)
        store.failNext(.read, with: SecretStoreError(code: .damaged, message: "altered"))
        try await bench.service(shield: InMemoryShieldController()).setGoal(40)
        try await BoundedWait.until("the notification") {
            bench.notifier.delivered.map(\.id) == [GoalNames.damaged]
        }
        withExtendedLifetime(service) {}
    }

    @Test("A-10: a change of another process whose read failed is followed a minute later")
    func changeAfterFailedRead() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.launch()
        await bench.clock.waitForSleepers(1)
        store.failNext(.read, with: SecretStoreError(code: .lockTimeout, message: "busy"))
        let selection = ShieldSelection(apps: [AppToken("go")])
        // The other process has no shield of its own.
        try await bench.service(shield: InMemoryShieldController()).select(selection)
        try await BoundedWait.until("the failure") { await service.failure?.code == .store }
        try await BoundedWait.until("the plan") {
            bench.clock.deadlines == [.sinceBoot(.hours(1) + .minutes(1))]
        }
        #expect(bench.shield.applied != selection)
        await bench.clock.advance(by: .minutes(1))
        try await BoundedWait.until("the change") { bench.shield.applied == selection }
    }
}

/// A clock that counts the sleeps that it is asked for.
private final class SleepCountingClock: LockClock {
    private let base: ManualClock
    private let sleeps = Atomic(0)

    init(_ base: ManualClock) { self.base = base }

    var count: Int { sleeps.load(ordering: .relaxed) }
    var now: Moment { base.now }
    var isSynchronised: Bool { base.isSynchronised }
    var zone: String { base.zone }

    func sleep(until deadline: ClockDeadline) async throws(CancellationError) {
        sleeps.add(1, ordering: .relaxed)
        try await base.sleep(until: deadline)
    }

    func civilDate(at wall: Duration, dayStart: Duration) -> CivilDate {
        base.civilDate(at: wall, dayStart: dayStart)
    }

    func start(of date: CivilDate, dayStart: Duration) -> Duration {
        base.start(of: date, dayStart: dayStart)
    }

    func nextDayStart(after wall: Duration, dayStart: Duration) -> Duration {
        base.nextDayStart(after: wall, dayStart: dayStart)
    }

    func notices() -> AsyncStream<ClockNotice> { base.notices() }
}

/// An entitlement that can be withdrawn, and counts those that watch it.
private final class WatchedEntitlement: Entitlement {
    private let state = Mutex((isEntitled: true, listeners: [AsyncStream<Bool>.Continuation](), watchers: 0))

    var watchers: Int { state.withLock { $0.watchers } }
    var isEntitled: Bool { get async { state.withLock { $0.isEntitled } } }

    func withdraw() {
        let listeners = state.withLock { state in
            state.isEntitled = false
            return state.listeners
        }
        for listener in listeners { listener.yield(false) }
    }

    func changes() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        continuation.onTermination = { _ in self.state.withLock { $0.watchers -= 1 } }
        state.withLock { state in
            state.watchers += 1
            state.listeners.append(continuation)
        }
        return stream
    }
}
