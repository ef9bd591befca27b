import GoalLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What comes between (A-3 … A-11)", .timeLimit(.minutes(5)))
struct InterruptionTests {
    private let bench = ServiceBench()
    private let busy = SecretStoreError(code: .lockTimeout, message: "busy")
    private let jammed = ShieldError(code: .systemFailure, message: "jammed")

    @Test("A-6: progress that waited over midnight for an answer is not of the new day")
    func waitedOverMidnight() async throws {
        let service = try await bench.enabled()
        await bench.clock.advance(by: .hours(12) - .seconds(1))
        bench.entitlement.gate.close()
        let update = Task { try await service.update(progress: 100) }
        await bench.entitlement.gate.waitForHeld(1)
        await bench.clock.advance(by: .seconds(2))
        bench.entitlement.gate.open()
        let status = try await update.value
        #expect(status.date == .january(2) && status.progress == 0 && status.isShielded)
        #expect(bench.notifier.delivered.isEmpty && bench.shield.isUp)
    }

    @Test("A-3: a caller that is cancelled does not keep shields up, nor the person in the dark")
    func cancelledCaller() async throws {
        let service = try await bench.enabled()
        try await service.update(progress: 40)
        bench.entitlement.gate.close()
        let update = Task { try await service.update(progress: 100) }
        await bench.entitlement.gate.waitForHeld(1)
        update.cancel()
        bench.entitlement.gate.open()
        _ = await update.result
        #expect(try await bench.record()?.progress == 100)
        #expect(!bench.shield.isUp && bench.notifier.delivered.count == 1)
    }

    @Test("A-8: a caller that is cancelled while shields are on their way up leaves them up")
    func cancelledEnabling() async throws {
        let service = try bench.service()
        try await service.select(ServiceBench.selection)
        bench.shield.applyGate.close()
        let enabling = Task { try await service.enable() }
        await bench.shield.applyGate.waitForHeld(1)
        enabling.cancel()
        bench.shield.applyGate.open()
        guard case .enabled = try await enabling.value else {
            Issue.record("not enabled")
            return
        }
        #expect(bench.shield.isUp)
        #expect(await bench.scheduler.monitored().count == 1)
    }

    @Test("A-5: a store that is busy when the day starts is asked again, and shields go up")
    func busyAtMidnight() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.launch()
        try await service.update(progress: 100)
        await bench.clock.waitForSleepers(1)
        for _ in 0..<3 { store.failNext(.read, with: busy) }
        await bench.clock.suspend(for: .hours(12))
        // No scheduler and no caller says anything: it looks by itself.
        try await BoundedWait.until { await service.failure != nil }
        for _ in 0..<3 {
            await bench.clock.waitForSleepers(1)
            await bench.clock.suspend(for: .minutes(1))
        }
        #expect(await service.status { $0.date == .january(2) && $0.isShielded } != nil)
        #expect(bench.shield.isUp)
        #expect(await service.failure == nil)
    }

    @Test("A-5: a store that is busy when the app is launched is asked again")
    func busyAtLaunch() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        store.failNext(.read, with: busy)
        await #expect(throws: GoalError.self) { try await service.launch() }
        await bench.clock.waitForSleepers(1)
        #expect(bench.clock.deadlines == [.sinceBoot(.hours(1) + .minutes(1))])
        await bench.clock.suspend(for: .minutes(1))
        #expect(await service.status { $0.isShielded } != nil)
    }

    @Test("A-5: a shield that cannot be put up when the day starts is tried again a minute later")
    func brokenShieldAtMidnight() async throws {
        // At midnight the scheduler's event and the lock's own timer look: a step of the clock ends once both have.
        let service = try await bench.enabled(executor: bench.clock.executor)
        try await service.launch()
        try await service.update(progress: 100)
        bench.shield.setOutage(ShieldError(code: .systemFailure, message: "broken"))
        await bench.clock.suspend(for: .hours(12))
        #expect(await service.failure?.code == .shield)
        #expect(bench.clock.deadlines == [.sinceBoot(.hours(13) + .minutes(1))])
        bench.shield.setOutage(nil)
        await bench.clock.suspend(for: .minutes(1))
        #expect(bench.shield.isUp)
        #expect(await service.failure == nil)
    }

    @Test("A-5: what shields take to go up does not put off the look at the day's end")
    func dayEndIsExact() async throws {
        let service = try await bench.enabled()
        try await service.launch()
        bench.shield.applyGate.close()
        let slow = Task { try await service.update(progress: 1) }
        await bench.shield.applyGate.waitForHeld(1)
        await bench.clock.advance(by: .minutes(5))
        bench.shield.applyGate.open()
        _ = try await slow.value
        await bench.clock.waitForSleepers(1)
        #expect(bench.clock.deadlines == [.sinceBoot(.hours(13))])
    }

    @Test("A-5: the day's start told twice, late, and by two processes begins one day")
    func toldTwice() async throws {
        let app = try await bench.enabled()
        try await app.launch()
        let monitor = try bench.service()
        try await app.update(progress: 100)
        await bench.clock.suspend(for: .hours(15))
        let event = ActivityEvent(
            activity: GoalNames.activity,
            kind: .intervalDidStart,
            scheduled: bench.clock.now.wall - .hours(3)
        )
        try await monitor.handle(event)
        #expect(bench.shield.isUp)
        try await app.update(progress: 60)
        try await withThrowingTaskGroup { group in
            for service in [monitor, app, monitor] { group.addTask { try await service.handle(event) } }
            try await group.waitForAll()
        }
        bench.scheduler.deliverDue()
        let status = try await app.update(progress: 100)
        #expect(status.date == .january(2) && status.reason == .reached)
        try await monitor.handle(event)
        #expect(!bench.shield.isUp && bench.notifier.delivered.count == 2)
    }

    @Test(
        "A-7: entitlement and authorization that go and come back the same day neither lose nor win the day"
    )
    func comeAndGo() async throws {
        let service = try await bench.enabled()
        try await service.update(progress: 60)
        for isReached in [false, true] {
            if isReached { try await service.update(progress: 100) }
            bench.entitlement.set(false)
            #expect(try await service.refresh().reason == .notEntitled)
            bench.entitlement.set(true)
            bench.shield.setAuthorization(.notDetermined)
            #expect(try await service.refresh().reason == .notAuthorized(howToAllow: nil))
            bench.shield.setAuthorization(.approved)
            #expect(try await service.refresh().isShielded != isReached)
            #expect(bench.shield.isUp != isReached)
        }
        #expect(bench.notifier.delivered.count == 1)
    }

    @Test("A-10: released while another process sends updates, shields end down and stay down")
    func releasedUnderUpdates() async throws {
        for _ in 0..<10 {
            let bench = ServiceBench()
            let app = try await bench.enabled()
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    let other = try bench.service()
                    group.addTask { for step in 0..<10 { try await other.update(progress: Double(step)) } }
                }
                group.addTask { try await app.release() }
                try await group.waitForAll()
            }
            #expect(!bench.shield.isUp)
            #expect(try await bench.record()?.isEnabled == false)
        }
    }

    @Test("A-11: a lock that was set anew while a damaged one is released is not lost with it")
    func releasedAndSetAnew() async throws {
        _ = try await bench.enabled()
        let good = try #require(try await bench.record())
        let text = try good.encoded().text
        try await bench.overwriteRecord("nonsense")
        let store = InterruptedSecretStore(InMemorySecretStore(bench.storage), before: .write) { [bench] in
            try? await bench.overwriteRecord(text)
        }
        try await bench.service(store: store).release()
        // Somebody's lock: it is switched off as any other, and what it knows is kept.
        let record = try #require(try await bench.record())
        #expect(!record.isEnabled && record.selection == ServiceBench.selection && !bench.shield.isUp)
    }

    @Test("A-11: a release of what cannot be understood is told to those who watch")
    func releaseIsTold() async throws {
        let service = try await bench.enabled()
        let statuses = await service.statuses()
        try await bench.overwriteRecord("nonsense")
        try await service.release()
        var last: GoalStatus?
        for await status in statuses {
            last = status
            if !status.isEnabled { break }
        }
        #expect(last?.reason == .disabled)
        #expect(try await bench.record()?.isEnabled == false)
    }

    @Test(
        "A-11: a store that will not open again is told to the person, one that is busy is not",
        arguments: [
            (SecretStoreError.Code.rolledBack, true), (.notPermitted, true), (.wrongKey, true),
            (.lockTimeout, false), (.classLocked, false),
        ]
    )
    func toldOfStore(_ code: SecretStoreError.Code, _ isTold: Bool) async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let monitor = try bench.service(store: store)
        let event = ActivityEvent(
            activity: GoalNames.activity,
            kind: .intervalDidStart,
            scheduled: bench.clock.now.wall
        )
        store.failNext(.read, with: SecretStoreError(code: code, message: "no"))
        await #expect(throws: GoalError.self) { try await monitor.handle(event) }
        #expect(bench.notifier.delivered.map(\.id) == (isTold ? [GoalNames.damaged] : []))
        #expect(bench.shield.isUp)
    }

    @Test("A-11: a person who could not be told of damage is told the next time")
    func toldLater() async throws {
        _ = try await bench.enabled()
        try await bench.overwriteRecord("nonsense")
        let notifier = FailingNotifier(.systemFailure)
        let monitor = try bench.service(notifier: notifier)
        let event = ActivityEvent(
            activity: GoalNames.activity,
            kind: .intervalDidStart,
            scheduled: bench.clock.now.wall
        )
        for _ in 0..<2 { await #expect(throws: GoalError.self) { try await monitor.handle(event) } }
        #expect(notifier.tries == 2)
    }

    @Test("A-2: a store that fails at any one call leaves nothing that the next look does not put right")
    func failingAnywhere() async throws {
        for number in 0..<6 {
            for operation in [SecretStoreOperation.read, .write] {
                for takesEffect in [false, true] {
                    let bench = ServiceBench()
                    _ = try await bench.enabled()
                    let store = FailingSecretStore(InMemorySecretStore(bench.storage))
                    let failing = InterruptedSecretStore(store, before: operation, number: number) {
                        let lost = SecretStoreError(code: .durabilityUnknown, message: "sync failed")
                        if takesEffect {
                            store.failNextAfterEffect(operation, with: lost)
                        } else {
                            store.failNext(operation, with: busy)
                        }
                    }
                    let service = try bench.service(store: failing)
                    for progress in [50.0, 100, 100, 120] {
                        _ = try? await service.update(progress: progress)
                    }
                    #expect(try await bench.service().refresh().reason == .reached)
                    #expect(!bench.shield.isUp && bench.notifier.delivered.count <= 1)
                }
            }
        }
    }

    @Test("A-10: processes in different zones do not answer each other for ever")
    func differentZones() async throws {
        _ = try await bench.enabled()
        let store = RecordingSecretStore(InMemorySecretStore(bench.storage))
        let east = ManualClock(zone: ManualZone("East", offset: .hours(13)))
        let services = try [bench.clock, east].map { clock in
            try GoalLockService(
                backends: Backends(
                    secrets: store,
                    shield: bench.shield,
                    scheduler: ManualActivityScheduler(clock: clock),
                    notifier: bench.notifier,
                    clock: clock
                ),
                configuration: GoalConfiguration(goal: 100, title: "Steps")
            )
        }
        for service in services { try await service.launch() }
        for progress in [50.0, 100] {
            for service in services { try await service.update(progress: progress) }
        }
        for _ in 0..<2_000 { await Task.yield() }
        #expect(store.count(of: .write) <= 8)
        // Each reached a date of its own.
        #expect(bench.notifier.delivered.count == 2)
    }
}
