import GoalLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Several processes, and state that cannot be read (A-6, A-10, A-11)", .timeLimit(.minutes(5)))
struct SharedStateTests {
    private let bench = ServiceBench()

    @Test("A-10: 16 processes send updates at once: exactly one notification, no lost state")
    func sixteen() async throws {
        for _ in 0..<3 {
            let bench = ServiceBench()
            _ = try await bench.enabled()
            let other = ShieldSelection(apps: [AppToken("video")])
            let four = try #require(TimeOfDay(hour: 4, minute: 0))
            try await withThrowingTaskGroup { group in
                for number in 0..<16 {
                    let service = try bench.service()
                    group.addTask {
                        for step in 0..<3 { try await service.update(progress: Double(number * 10 + step)) }
                        try await service.update(progress: 150)
                    }
                    if number == 3 { group.addTask { try await service.select(other) } }
                    if number == 7 { group.addTask { try await service.setDayStart(four) } }
                    if number == 11 { group.addTask { try await service.setGoal(120) } }
                }
                try await group.waitForAll()
            }
            #expect(bench.notifier.delivered.count == 1)
            #expect(!bench.shield.isUp)
            let record = try #require(try await bench.record())
            #expect(record.isEnabled && record.selection == other && record.dayStart == four)
            #expect(record.goal == 120 && record.progress == 150)
        }
    }

    @Test("A-10: a shield that was slow on its way up does not stay over apps that were unlocked meanwhile")
    func slowShield() async throws {
        let app = try await bench.enabled()
        let monitor = try bench.service()
        bench.shield.applyGate.close()
        let slow = Task { try await app.update(progress: 50) }
        await bench.shield.applyGate.waitForHeld(1)
        try await monitor.update(progress: 100)
        bench.shield.applyGate.open()
        #expect(try await slow.value.reason == .reached)
        #expect(!bench.shield.isUp && bench.notifier.delivered.count == 1)
    }

    @Test("A-7: a shield that was slow on its way up does not stay when the entitlement went meanwhile")
    func slowShieldWithoutEntitlement() async throws {
        let app = try await bench.enabled()
        bench.shield.applyGate.close()
        let slow = Task { try await app.refresh() }
        await bench.shield.applyGate.waitForHeld(1)
        bench.entitlement.set(false)
        bench.shield.applyGate.open()
        #expect(try await slow.value.reason == .notEntitled)
        #expect(!bench.shield.isUp)
    }

    @Test("A-10: the monitor resets with the app closed, and its answer is awaited")
    func monitor() async throws {
        let app = try await bench.enabled()
        try await app.update(progress: 100)
        await bench.clock.advance(by: .hours(12))
        let event = ActivityEvent(
            activity: GoalNames.activity,
            kind: .intervalDidStart,
            scheduled: bench.clock.now.wall
        )
        try await bench.service().handle(event)
        #expect(bench.shield.isUp)
        #expect(try await app.status().progress == 0)
    }

    @Test("A-10: what was written but not carried out, the next start carries out; nobody is told twice")
    func interrupted() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        store.failNextAfterEffect(
            .write,
            with: SecretStoreError(code: .durabilityUnknown, message: "sync failed")
        )
        let ended = try bench.service(store: store)
        await #expect(throws: GoalError.self) { try await ended.update(progress: 100) }
        #expect(bench.shield.isUp)
        #expect(try await bench.service().launch().reason == .reached)
        #expect(!bench.shield.isUp && bench.notifier.delivered.isEmpty)
    }

    @Test("A-10: one process follows what another one changes")
    func following() async throws {
        let app = try await bench.enabled()
        let monitor = try bench.service()
        try await monitor.launch()
        try await app.setGoal(70)
        #expect(await monitor.status { $0.goal == 70 } != nil)
    }

    @Test("A-5: at the day's start shields go up by the scheduler's event")
    func scheduled() async throws {
        let service = try await bench.enabled()
        try await service.launch()
        try await service.update(progress: 100)
        await bench.clock.suspend(for: .hours(12))
        bench.scheduler.deliverDue()
        #expect(await service.status { $0.date == .january(2) && $0.isShielded } != nil)
        #expect(bench.shield.isUp)
    }

    @Test("A-6: where the wall clock was moved, the day ends by the boot clock without the scheduler")
    func movedClock() async throws {
        bench.clock.setSynchronised(false)
        let service = try await bench.enabled()
        try await service.launch()
        try await service.update(progress: 100)
        await bench.clock.setWall(.noon - .days(5))
        await bench.clock.waitForSleepers(1)
        #expect(try await service.status().reason == .reached)
        await bench.clock.advance(by: .hours(12))
        #expect(await service.status { $0.date == .january(2) && $0.isShielded } != nil)
    }

    @Test("A-6: a zone that changes while nothing else happens is noticed")
    func zone() async throws {
        let service = try await bench.enabled()
        try await service.launch()
        try await service.update(progress: 100)
        await bench.clock.setZone(ManualZone("East", offset: .hours(13)))
        #expect(await service.status { $0.date == .january(2) && $0.isShielded } != nil)
        await bench.clock.setZone(.utc)
        #expect(await service.status { $0.date == .january(1) && $0.reason == .reached } != nil)
    }

    @Test("A-10: another process reads what its shield screen shows, with a store and a clock only")
    func shieldContent() async throws {
        let store = InMemorySecretStore(bench.storage)
        #expect(try await ShieldContent.read(from: store, clock: bench.clock) == nil)
        let service = try await bench.enabled()
        try await service.update(progress: 25)
        let content = try await ShieldContent.read(from: store, clock: bench.clock)
        #expect(content == ShieldContent(title: "Steps", progress: 25, goal: 100))
        #expect(content?.fraction == 0.25)
        await bench.clock.advance(by: .days(1))
        #expect(try await ShieldContent.read(from: store, clock: bench.clock)?.progress == 0)
    }

    @Test(
        "A-11: with a state that cannot be read shields stay, calls say so, and release works",
        arguments: [("nonsense", GoalError.Code.damagedRecord), (#"{"version":99}"#, .newerRecord)]
    )
    func unreadable(_ text: String, _ code: GoalError.Code) async throws {
        let service = try await bench.enabled()
        try await bench.overwriteRecord(text)
        let error = await #expect(throws: GoalError.self) { try await service.update(progress: 100) }
        #expect(error?.code == code && bench.shield.isUp)
        let launched = await #expect(throws: GoalError.self) { try await service.launch() }
        #expect(launched?.code == code && bench.shield.isUp && bench.notifier.delivered.isEmpty)

        try await service.release()
        #expect(!bench.shield.isUp)
        #expect(await bench.scheduler.monitored().isEmpty)
        #expect(try await service.status().reason == .disabled)
    }

    @Test("A-11: a store that is out of reach leaves shields up; release lifts them and keeps the state")
    func storeOutOfReach() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        let failure = SecretStoreError(code: .lockTimeout, message: "busy")
        store.failNext(.read, with: failure)
        let error = await #expect(throws: GoalError.self) { try await service.refresh() }
        #expect(error?.code == .store && error?.cause is SecretStoreError && bench.shield.isUp)
        store.failNext(.read, with: failure)
        await #expect(throws: GoalError.self) { try await service.release() }
        #expect(!bench.shield.isUp)
        #expect(try await bench.record()?.isEnabled == true)
    }

    @Test("A-11: an item that the store calls damaged is removed by release")
    func damagedItem() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        for _ in 0..<2 { store.failNext(.read, with: SecretStoreError(code: .damaged, message: "altered")) }
        try await service.release()
        #expect(try await bench.record()?.isEnabled == false && !bench.shield.isUp)
    }

    @Test("A-11: a store that calls its item damaged for good ends the release, with shields down")
    func damagedForGood() async throws {
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        for _ in 0..<9 { store.failNext(.read, with: SecretStoreError(code: .damaged, message: "altered")) }
        let service = try bench.service(store: store)
        await #expect(throws: GoalError.self) { try await service.release() }
        #expect(!bench.shield.isUp)
    }

    @Test(
        "A-3: a date that the person was told of before damage was released is not told of again",
        arguments: ["nonsense", #"{"version":99}"#]
    )
    func toldBeforeRelease(_ text: String) async throws {
        let service = try await bench.enabled()
        try await service.update(progress: 100)
        try await bench.overwriteRecord(text)
        try await service.release()
        try await service.select(ServiceBench.selection)
        _ = try await service.enable()
        #expect(bench.shield.isUp)
        #expect(try await service.update(progress: 100).reason == .reached)
        await bench.clock.setZone(ManualZone("West", offset: .hours(-13)))
        #expect(try await service.update(progress: 100).date < .january(1))
        #expect(bench.notifier.delivered.count == 1)
        await bench.clock.suspend(for: .days(3))
        try await service.update(progress: 100)
        #expect(bench.notifier.delivered.count == 2, "of dates after that the person is told")
    }

    @Test(
        "A-11: progress that cannot be read leaves shields and progress, and every process can tell the person"
    )
    func unreadableProgress() async throws {
        let app = try await bench.enabled()
        try await app.launch()
        let monitor = try bench.service()
        try await monitor.update(progress: 60)
        let status = try await monitor.noteUnreadableProgress()
        #expect(status.isProgressUnreadable && status.progress == 60 && bench.shield.isUp)
        #expect(await app.status { $0.isProgressUnreadable } != nil)
        await bench.clock.suspend(for: .days(1))
        #expect(try await app.refresh().isProgressUnreadable && bench.shield.isUp)
        #expect(try await !monitor.update(progress: 100).isProgressUnreadable)
        #expect(!bench.shield.isUp)
        try await monitor.noteUnreadableProgress()
        #expect(!bench.shield.isUp, "what was earned stays")
        #expect(bench.notifier.delivered.count == 1)
    }

    @Test("A-11: releasing a state that can be read keeps the dates of which the person was told")
    func release() async throws {
        let service = try await bench.enabled()
        try await service.update(progress: 100)
        try await service.release()
        #expect(try await bench.record()?.isEnabled == false)
        _ = try await service.enable()
        try await service.update(progress: 100)
        #expect(bench.notifier.delivered.count == 1)
    }

    @Test("A-11: damage that is found while nobody asks is kept to be shown, and the person is told once")
    func failure() async throws {
        let service = try await bench.enabled()
        try await service.launch()
        for _ in 0..<3 {
            try await bench.overwriteRecord("nonsense")
            try await BoundedWait.until { await service.failure != nil }
            await bench.clock.setZone(ManualZone("East", offset: .hours(13)))
        }
        try await BoundedWait.until { !bench.notifier.delivered.isEmpty }
        #expect(await service.failure?.code == .damagedRecord && bench.shield.isUp)
        #expect(bench.notifier.delivered.map(\.id) == [GoalNames.damaged])
        try await service.release()
        try await BoundedWait.until { await service.failure == nil }
    }

    @Test("A-11: a shield that fails when the day starts is kept to be shown")
    func failureOfShield() async throws {
        let service = try await bench.enabled()
        try await service.launch()
        try await service.update(progress: 100)
        bench.shield.setOutage(ShieldError(code: .systemFailure, message: "broken"))
        await bench.clock.suspend(for: .hours(12))
        bench.scheduler.deliverDue()
        try await BoundedWait.until { await service.failure?.code == .shield }
        bench.shield.setOutage(nil)
        try await service.refresh()
        try await BoundedWait.until { await service.failure == nil }
        #expect(bench.shield.isUp)
    }

    @Test("A-11: a monitor that finds damage tells the person and its caller")
    func damagedMonitor() async throws {
        _ = try await bench.enabled()
        try await bench.overwriteRecord("nonsense")
        let monitor = try bench.service()
        let now = bench.clock.now.wall
        let event = ActivityEvent(activity: GoalNames.activity, kind: .intervalDidStart, scheduled: now)
        await #expect(throws: GoalError.self) { try await monitor.handle(event) }
        #expect(bench.notifier.delivered.map(\.id) == [GoalNames.damaged] && bench.shield.isUp)
    }
}
