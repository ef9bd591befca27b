import GoalLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// Runs on adapters that the test holds in its hands.
@Suite("A run of the goal lock", .timeLimit(.minutes(5)))
struct GoalRunTests {
    /// What a run told.
    final class Told: Sendable {
        private let state = Mutex([GoalMessage]())
        var messages: [GoalMessage] { state.withLock(\.self) }
        func add(_ message: GoalMessage) { state.withLock { $0.append(message) } }

        var statuses: [GoalView] {
            messages.compactMap { if case .status(let view) = $0 { view } else { nil } }
        }

        /// Whether the run told that it has ended.
        var isOver: Bool { messages.contains { if case .ended = $0 { true } else { false } } }
    }

    let bench = ServiceBench()
    let told = Told()
    let progress = AsyncStream<ProgressReading>.makeStream()
    let events = AsyncStream<GoalRun.Event>.makeStream()

    private func begin(
        _ service: GoalLockService,
        isOnce: Bool = false,
        finish: @escaping @Sendable () async -> Void = {}
    ) -> Task<GoalEnding, Never> {
        let run = GoalRun(of: service, progress: progress.stream, events: events.stream, isOnce: isOnce)
        return Task { [told] in await run.run(finish: finish) { told.add($0) } }
    }

    /// Begins a run, and waits until it has told how things are.
    ///
    /// - Parameter service: the lock of the run; `nil`: a new lock that is on.
    func run(
        of service: GoalLockService? = nil,
        isOnce: Bool = false,
        finish: @escaping @Sendable () async -> Void = {}
    ) async throws -> Task<GoalEnding, Never> {
        let lock = if let service { service } else { try await bench.enabled() }
        let task = begin(lock, isOnce: isOnce, finish: finish)
        try await BoundedWait.until { !told.statuses.isEmpty }
        return task
    }

    /// Lets time pass until the run has told its end.
    func passUntilOver() async throws {
        try await BoundedWait.until("the end of the run") {
            await bench.clock.advance(by: .milliseconds(100))
            return told.isOver
        }
    }

    @Test("A-3: progress that reaches the goal opens the apps, and ends a run that waits for that")
    func reached() async throws {
        let run = try await run(isOnce: true)
        progress.continuation.yield(.value(40, measured: nil))
        try await BoundedWait.until { told.statuses.last?.progress == 40 }
        #expect(bench.shield.isUp)
        progress.continuation.yield(.value(100, measured: nil))
        #expect(await run.value == .reached)
        #expect(!bench.shield.isUp && told.messages.last == .ended(.reached))
        #expect(told.messages.count { $0 == .ended(.reached) } == 1)
    }

    @Test("A-11: the number of an earlier run is told as unknown, and the first reading as known")
    func firstReading() async throws {
        let service = try await bench.enabled()
        try await service.update(progress: 50)
        let run = try await run(of: service)
        #expect(told.statuses.map(\.progress) == [50] && told.statuses.allSatisfy(\.isProgressUnknown))
        // The same number again: the lock's status does not change.
        progress.continuation.yield(.value(50, measured: nil))
        try await BoundedWait.until("the known progress") { told.statuses.last?.isProgressUnknown == false }
        #expect(told.statuses.map(\.progress) == [50, 50])
        events.continuation.yield(.end(15))
        #expect(await run.value == .signal(15))
    }

    @Test("A-3: the last reading counts, also where nothing comes after it")
    func inputEnded() async throws {
        let run = try await run()
        progress.continuation.yield(.value(100, measured: nil))
        progress.continuation.finish()
        #expect(await run.value == .inputEnded)
        #expect(!bench.shield.isUp && told.statuses.last?.isUnlocked == true)
    }

    @Test("A-11: what cannot be read is told, noted in the lock's state, and keeps apps shut")
    func trouble() async throws {
        let run = try await run()
        let trouble = ProgressTrouble(reason: .missing, message: "gone")
        progress.continuation.yield(.trouble(trouble))
        try await BoundedWait.until { told.messages.contains(.problem(.progress, "gone")) }
        #expect(try await bench.service().status().isProgressUnreadable && bench.shield.isUp)
        let line = ProgressTrouble(reason: .line(2), message: "line 2")
        progress.continuation.yield(.value(1, measured: nil))
        progress.continuation.yield(.trouble(line))
        try await BoundedWait.until { told.messages.contains(.problem(.progress, "line 2")) }
        #expect(try await !bench.service().status().isProgressUnreadable, "the next line may be right")
        events.continuation.yield(.end(15))
        #expect(await run.value == .signal(15))
    }

    @Test("A-3, A-11: progress that the busy store did not take is told, and counts when it takes it")
    func busyStore() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.refresh()
        let run = try await run(of: service)
        let busy = SecretStoreError(code: .lockTimeout, message: "busy")
        store.failNext(.write, with: busy)
        // The source gives this number once, as a file does that is not written again.
        progress.continuation.yield(.value(40, measured: .january(1)))
        try await BoundedWait.until { told.messages.contains(.problem(.lock, "busy")) }
        #expect(await service.failure?.code == .store)
        #expect(try await service.status().progress == 0)
        try await BoundedWait.until("the end of the problem") {
            await bench.clock.advance(by: .seconds(1))
            return told.messages.contains(.solved(.lock))
        }
        #expect(told.statuses.last?.progress == 40)
        events.continuation.yield(.end(15))
        #expect(await run.value == .signal(15))
    }

    /// A store that signals nothing.
    private struct SilentStore: ForwardingSecretStore {
        let base: any SecretStore
        var capabilities: SecretStoreCapabilities { [] }

        func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { AsyncStream { $0.finish() } }

        func changes(to name: SecretName) -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    }

    @Test(
        "A-10: over a store without signals a run follows a change in its first second, and after a failed read"
    )
    func silentStore() async throws {
        _ = try await bench.enabled()
        let failing = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: SilentStore(base: failing))
        try await service.launch()
        // The other process has no shield of its own.
        let other = try bench.service(shield: InMemoryShieldController())
        let run = try await run(of: service)
        for (name, fails) in [("go", false), ("mah-jongg", true)] {
            let selection = ShieldSelection(apps: [AppToken(name)])
            if fails { failing.failNext(.read, with: SecretStoreError(code: .lockTimeout, message: "busy")) }
            try await other.select(selection)
            try await BoundedWait.until("the shield to follow") {
                await bench.clock.advance(by: .seconds(1))
                return bench.shield.applied == selection
            }
        }
        events.continuation.yield(.end(15))
        #expect(await run.value == .signal(15))
    }

    @Test("A-3: a run whose last value the store does not take still waits for its end")
    func finishAfterUnstored() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.refresh()
        let finished = Mutex(false)
        let run = try await run(of: service) { finished.withLock { $0 = true } }
        for _ in 0..<2_000 {
            store.failNext(.write, with: SecretStoreError(code: .lockTimeout, message: "busy"))
        }
        progress.continuation.yield(.value(40, measured: nil))
        try await BoundedWait.until { told.messages.contains(.problem(.lock, "busy")) }
        run.cancel()
        let ending = Task { await run.value }
        try await passUntilOver()
        #expect(await ending.value == .cancelled)
        #expect(finished.withLock { $0 })
    }

    @Test("A-3: the last value of a source that has ended counts, although the store was busy")
    func busyAtTheEnd() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.refresh()
        let run = try await run(of: service, isOnce: true)
        for _ in 0..<3 { store.failNext(.write, with: SecretStoreError(code: .lockTimeout, message: "busy")) }
        progress.continuation.yield(.value(100, measured: nil))
        progress.continuation.finish()
        let ending = Task { await run.value }
        try await passUntilOver()
        #expect(await ending.value == .reached)
        #expect(!bench.shield.isUp)
    }

    @Test("A-3, A-5: progress of no date that the store takes a day later does not count for that day")
    func busyOverMidnight() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        let feed = GoalFeed(of: service)
        store.failNext(.write, with: SecretStoreError(code: .lockTimeout, message: "busy"))
        await feed.take(.value(100, measured: nil))
        await bench.clock.suspend(for: .hours(24))
        await feed.storeRest()
        #expect(try await service.status().progress == 0)
        await feed.take(.value(50, measured: nil))
        #expect(try await service.status().progress == 50)
    }

    @Test("A-11: of readings that were not stored the latest value counts, and the trouble after it")
    func latestReading() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        let feed = GoalFeed(of: service)
        for _ in 0..<3 { store.failNext(.write, with: SecretStoreError(code: .lockTimeout, message: "busy")) }
        await feed.take(.value(40, measured: nil))
        await feed.take(.value(60, measured: nil))
        await feed.take(.trouble(ProgressTrouble(reason: .missing, message: "gone")))
        await feed.storeRest()
        let status = try await service.status()
        #expect(status.progress == 60 && status.isProgressUnreadable)
        // What is stored is not stored again.
        try await service.update(progress: 70)
        await feed.storeRest()
        #expect(try await service.status().progress == 70)
    }

    @Test("A-3, A-11: a value of a date that is not today's counts when the lock's day becomes that date")
    func laterDate() async throws {
        _ = try await bench.enabled()
        let service = try bench.service()
        let feed = GoalFeed(of: service)
        func nextDate() -> CivilDate {
            bench.clock.civilDate(at: bench.clock.now.wall + .hours(24), dayStart: .zero)
        }
        let tomorrow = nextDate()
        await feed.take(.value(100, measured: tomorrow))
        await feed.storeRest()
        #expect(try await service.status().progress == 0)
        await bench.clock.suspend(for: .hours(24))
        await feed.storeRest()
        let status = try await service.status()
        #expect(status.date == tomorrow && status.progress == 100)
        // It counts once, and a newer value or trouble takes its place.
        try await service.update(progress: 30)
        await feed.storeRest()
        #expect(try await service.status().progress == 30)
        for next in [
            ProgressReading.value(5, measured: nil),
            .trouble(ProgressTrouble(reason: .missing, message: "gone")),
        ] {
            await feed.take(.value(100, measured: nextDate()))
            await feed.take(next)
            await bench.clock.suspend(for: .hours(24))
            await feed.storeRest()
            #expect(try await service.status().progress == 0)
        }
    }

    @Test("A-10, A-11: a stored value counts again when the day leaves its date and returns")
    func dateReturns() async throws {
        _ = try await bench.enabled()
        let service = try bench.service()
        let feed = GoalFeed(of: service)
        let today = try await service.status().date
        let zone = ManualZone(bench.clock.zone, offset: .zero, changes: [])
        await feed.take(.value(70, measured: today))
        #expect(try await service.status().progress == 70)
        await bench.clock.setZone(ManualZone("Far/West", offset: .hours(-24), changes: []))
        // By another process, for example.
        try await bench.service().refresh()
        await feed.storeRest()
        let before = try await service.status()
        #expect(before.date != today && before.progress == 0)
        await bench.clock.setZone(zone)
        try await bench.service().refresh()
        await feed.storeRest()
        let after = try await service.status()
        #expect(after.date == today && after.progress == 70)
        // Progress that came from elsewhere meanwhile stays.
        try await service.update(progress: 30)
        await feed.storeRest()
        #expect(try await service.status().progress == 30)
    }

    @Test("A-3, A-5: a value of no date that waits for the turn over midnight is of the day on which it came")
    func turnOverMidnight() async throws {
        _ = try await bench.enabled()
        let gate = Gate()
        let store = SlowWrites(base: InMemorySecretStore(bench.storage), gate: gate)
        let feed = GoalFeed(of: try bench.service(store: store))
        gate.close()
        let first = Task { await feed.take(.value(40, measured: nil)) }
        await gate.waitForHeld(1)
        let second = Task { await feed.take(.value(100, measured: nil)) }
        for _ in 0..<100 { await Task.yield() }
        await bench.clock.suspend(for: .hours(24))
        gate.open()
        for task in [first, second] { await task.value }
        let status = try await bench.service().status()
        #expect(status.progress == 0, "none is of the new day")
    }

    @Test("A-11: trouble that was stored is not stored again with the next value")
    func storedTrouble() async throws {
        _ = try await bench.enabled()
        let service = try bench.service()
        let feed = GoalFeed(of: service)
        await feed.take(.trouble(ProgressTrouble(reason: .missing, message: "gone")))
        #expect(try await service.status().isProgressUnreadable)
        await feed.take(.value(30, measured: nil))
        await feed.storeRest()
        let status = try await service.status()
        #expect(status.progress == 30 && !status.isProgressUnreadable)
    }

    @Test("A-9: a release in another process ends the run")
    func released() async throws {
        let service = try await bench.enabled()
        try await service.launch()
        let run = try await run(of: service)
        try await bench.service().release()
        #expect(await run.value == .released)
        #expect(told.messages.last == .ended(.released))
    }

    @Test("A-2: the start of an app that is shut, and the shield's trouble, are told")
    func starts() async throws {
        let run = try await run()
        events.continuation.yield(.started(AppToken("chess"), isDenied: true))
        let error = ShieldError(code: .stateUnreadable, message: "disk")
        events.continuation.yield(.shieldTrouble(error))
        events.continuation.yield(.end(2))
        #expect(await run.value == .signal(2))
        let starts = told.messages.compactMap { if case .started(let start, _) = $0 { start } else { nil } }
        #expect(starts.map(\.token) == ["chess"] && starts.first?.isDenied == true)
        #expect(told.messages.contains(.problem(.shield, "disk")))
    }

    @Test("A-11: a run that is cancelled finishes before it says so")
    func cancelledFinishes() async throws {
        let service = try await bench.enabled()
        let gate = Gate()
        gate.close()
        let run = try await run(of: service) { _ = await gate.pass() }
        run.cancel()
        await gate.waitForHeld(1)
        #expect(told.messages.last != .ended(.cancelled))
        gate.open()
        #expect(await run.value == .cancelled)
        #expect(told.messages.last == .ended(.cancelled))
    }

    @Test("A run that is cancelled says so, and takes its source of progress with it")
    func cancelled() async throws {
        let ended = AsyncStream<Void>.makeStream()
        progress.continuation.onTermination = { _ in ended.continuation.finish() }
        let run = try await run()
        run.cancel()
        #expect(await run.value == .cancelled)
        for await _ in ended.stream {}
    }

    @Test("A-11: the host ends a run that waits for the shield, some seconds after it asked")
    func hangingShield() async throws {
        let shield = HangingShield(bench.shield)
        let service = try await bench.enabled(shield: shield)
        let run = begin(service)
        try await BoundedWait.until { shield.isAsked }
        events.continuation.yield(.end(15))
        events.continuation.yield(.end(2))
        try await BoundedWait.until("the end") {
            await bench.clock.advance(by: .seconds(1))
            return told.messages.last == .ended(.signal(15))
        }
        #expect(await run.value == .signal(15))
        #expect(told.messages.count == 1, "the end is told once")
        shield.answer()
    }
}

/// A shield that does not answer what may be chosen until the test says so.
private final class HangingShield: ForwardingShield {
    let base: any ShieldController
    private let asked = Mutex(false)
    private let answers = AsyncStream<Void>.makeStream()

    init(_ base: any ShieldController) { self.base = base }

    var isAsked: Bool { asked.withLock(\.self) }
    func answer() { answers.continuation.finish() }

    func catalogue() async -> ShieldCatalogue? {
        asked.withLock { $0 = true }
        // Not even a cancelled task goes on, as with a system call that does not return.
        let waiting = Task { for await _ in answers.stream {} }
        await waiting.value
        return await base.catalogue()
    }
}
