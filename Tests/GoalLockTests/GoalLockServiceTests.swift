import GoalLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("The goal lock's service (A-1 … A-9)", .timeLimit(.minutes(5)))
struct GoalLockServiceTests {
    private let bench = ServiceBench()

    private func code(_ body: () async throws(GoalError) -> Void) async -> GoalError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A-1: all state is one item, for this device only")
    func oneItem() async throws {
        let store = RecordingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.select(ServiceBench.selection)
        _ = try await service.enable()
        try await service.update(progress: 100)
        for call in store.calls where call.operation == .write {
            guard case .write(GoalNames.record, .afterFirstUnlockThisDeviceOnly, let condition) = call else {
                Issue.record("\(call)")
                return
            }
            #expect(condition != .none)
        }
        #expect(try await store.names(in: GoalNames.records) == [GoalNames.record])
    }

    @Test("A-2: asking for the status writes nothing; looking again with nothing new writes nothing")
    func quiet() async throws {
        let service = try await bench.enabled()
        let store = RecordingSecretStore(InMemorySecretStore(bench.storage))
        let other = try bench.service(store: store)
        #expect(try await other.status().isShielded)
        #expect(try await other.refresh() == service.status())
        #expect(store.count(of: .write) == 0)
        #expect(bench.scheduler.calls.count { if case .start = $0 { true } else { false } } == 1)
    }

    @Test("A-1: looking at a lock that was never set writes nothing")
    func unset() async throws {
        let store = RecordingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        #expect(try await service.launch().reason == .disabled)
        try await service.refresh()
        let now = bench.clock.now.wall
        try await service.handle(
            ActivityEvent(activity: GoalNames.activity, kind: .intervalDidStart, scheduled: now)
        )
        #expect(try await service.status().goal == 100)
        #expect(store.count(of: .write) == 0)
    }

    @Test("A-5: a file of the night is of the day that is not over yet, and opens no other day")
    func nightBeforeStart() async throws {
        let service = try await bench.enabled()
        try await service.setDayStart(try #require(TimeOfDay(hour: 4, minute: 0)))
        let first = try await service.status().date
        let one = bench.clock.nextDayStart(after: bench.clock.now.wall, dayStart: .hours(1))
        await bench.clock.suspend(for: one - bench.clock.now.wall)
        let written = try await service.date(of: bench.clock.now.wall)
        #expect(written == first && bench.clock.civilDate(at: one, dayStart: .zero) > first)
        let feed = GoalFeed(of: service)
        await feed.take(.value(120, measured: written))
        #expect(try await service.status().reason == .reached)
        await bench.clock.suspend(for: .hours(3) + .minutes(1))
        try await service.refresh()
        await feed.storeRest()
        let next = try await service.status()
        #expect(next.date > first && next.progress == 0 && next.isShielded)
    }

    @Test("A-3: reaching the goal lifts shields and tells the person once")
    func reached() async throws {
        let service = try await bench.enabled()
        #expect(bench.shield.applied == ServiceBench.selection)
        var status = try await service.update(progress: 99)
        #expect(status.isShielded && status.progress == 99 && status.goal == 100)
        status = try await service.update(progress: 100)
        #expect(status.reason == .reached && !bench.shield.isUp)
        try await service.update(progress: 101)
        #expect(
            bench.notifier.delivered == [
                LockNotification(
                    id: GoalNames.unlocked,
                    title: "Apps Unlocked!",
                    body: GoalStrings.english.unlockedText
                )
            ]
        )
    }

    @Test("A-3: the date is noted as notified before delivery, so that a failed one is not repeated")
    func failedNotification() async throws {
        _ = try await bench.enabled()
        let notifier = FailingNotifier(.systemFailure)
        let service = try bench.service(notifier: notifier)
        #expect(
            await code { () async throws(GoalError) in try await service.update(progress: 100) } == .notifier
        )
        #expect(!bench.shield.isUp && notifier.tries == 1)
        #expect(try await service.update(progress: 100).reason == .reached)
        #expect(notifier.tries == 1)
    }

    @Test("A-3: who wants no notifications gets no error either")
    func unwantedNotification() async throws {
        _ = try await bench.enabled()
        let service = try bench.service(notifier: FailingNotifier(.notAuthorized))
        #expect(try await service.update(progress: 100).reason == .reached)
    }

    @Test("A-4: a goal that is none is an error, and nothing changes", arguments: [0, -3, .nan, .infinity])
    func invalidGoal(_ goal: Double) async throws {
        let service = try await bench.enabled()
        let before = try await bench.record()
        #expect(await code { () async throws(GoalError) in try await service.setGoal(goal) } == .invalidGoal)
        #expect(throws: GoalError.self) { try bench.service(goal: goal) }
        #expect(try await bench.record() == before && bench.shield.isUp)
    }

    @Test("A-11: progress that is none is an error, and shields stay", arguments: [-1, .nan, .infinity])
    func invalidProgress(_ progress: Double) async throws {
        let service = try await bench.enabled()
        let found = await code { () async throws(GoalError) in try await service.update(progress: progress) }
        #expect(found == .invalidProgress && bench.shield.isUp)
    }

    @Test("A-5: an own day start moves the activity; one after 06:00 is an error")
    func dayStart() async throws {
        let service = try await bench.enabled()
        let four = try #require(TimeOfDay(hour: 4, minute: 0))
        #expect(try await service.setDayStart(four).dayStart == four)
        let schedule = await bench.scheduler.monitored()[GoalNames.activity]?.schedule
        #expect(schedule?.start == four && schedule?.end == TimeOfDay(hour: 3, minute: 59))
        let seven = try #require(TimeOfDay(hour: 7, minute: 0))
        #expect(
            await code { () async throws(GoalError) in try await service.setDayStart(seven) }
                == .invalidDayStart
        )
    }

    @Test("A-5: the interval's end changes nothing, nor does another activity's start")
    func otherEvents() async throws {
        let service = try await bench.enabled()
        try await service.update(progress: 100)
        await bench.clock.advance(by: .hours(12) - .seconds(60))
        let before = bench.shield.calls.count
        let now = bench.clock.now.wall
        try await service.handle(
            ActivityEvent(activity: GoalNames.activity, kind: .intervalDidEnd, scheduled: now)
        )
        try await service.handle(ActivityEvent(activity: "other", kind: .intervalDidStart, scheduled: now))
        #expect(bench.shield.calls.count == before && !bench.shield.isUp)
    }

    @Test("A-6: progress that was begun before midnight and written after it is not of the new day")
    func overMidnight() async throws {
        let service = try await bench.enabled()
        await bench.clock.advance(by: .hours(12) - .seconds(1))
        let store = InterruptedSecretStore(InMemorySecretStore(bench.storage), before: .write) { [bench] in
            await bench.clock.advance(by: .seconds(2))
            _ = try? await service.refresh()
        }
        let status = try await bench.service(store: store).update(progress: 100)
        #expect(status.date == .january(2) && status.progress == 0 && status.isShielded)
        #expect(bench.notifier.delivered.isEmpty)
    }

    @Test("A-7: without the entitlement enabling tells to show the paywall, and nothing changes")
    func paywall() async throws {
        bench.entitlement.set(false)
        let service = try bench.service()
        #expect(try await service.enable() == .notEntitled)
        #expect(try await bench.record() == nil && bench.shield.requests == 0)
    }

    @Test("A-7: losing the entitlement lifts shields, ends monitoring and says why; it comes back with it")
    func lostEntitlement() async throws {
        let service = try await bench.enabled()
        try await service.launch()
        bench.entitlement.set(false)
        #expect(await service.status { $0.reason == .notEntitled } != nil)
        #expect(!bench.shield.isUp)
        #expect(await bench.scheduler.monitored().isEmpty)
        bench.entitlement.set(true)
        #expect(await service.status { $0.isShielded } != nil)
        #expect(bench.shield.isUp)
    }

    @Test("A-8: enabling asks for authorization; a denial says how to allow it and changes nothing")
    func denied() async throws {
        let service = try bench.service()
        bench.shield.setAnswer(.denied(howToAllow: "In Settings"))
        #expect(try await service.enable() == .notAuthorized(howToAllow: "In Settings"))
        #expect(try await bench.record() == nil && bench.shield.requests == 1)
        bench.shield.setAnswer(.approved)
        guard case .enabled(let status) = try await service.enable() else {
            Issue.record("not enabled")
            return
        }
        #expect(status.isEnabled && status.reason == .nothingSelected)
    }

    @Test("A-8: authorization revoked later is noticed, with its reason")
    func revoked() async throws {
        let service = try await bench.enabled()
        bench.shield.setAuthorization(.denied(howToAllow: "In Settings"))
        let status = try await service.update(progress: 1)
        #expect(status.reason == .notAuthorized(howToAllow: "In Settings") && !bench.shield.isUp)
    }

    @Test("A-8: a shield that cannot be put up is an error, the state is as asked, and a look tries again")
    func failingShield() async throws {
        let service = try await bench.enabled()
        try await service.disable()
        bench.shield.setOutage(ShieldError(code: .systemFailure, message: "broken"))
        #expect(await code { () async throws(GoalError) in _ = try await service.enable() } == .shield)
        #expect(try await bench.record()?.isEnabled == true)
        bench.shield.setOutage(nil)
        try await service.refresh()
        #expect(bench.shield.isUp)
    }

    @Test("A-5: an activity that cannot be started is an error, and shields are up all the same")
    func failingScheduler() async throws {
        let service = try bench.service()
        try await service.select(ServiceBench.selection)
        bench.scheduler.failNext(ActivitySchedulerError(code: .systemFailure, message: "broken"))
        #expect(await code { () async throws(GoalError) in _ = try await service.enable() } == .scheduler)
        #expect(bench.shield.isUp)
        try await service.refresh()
        #expect(await bench.scheduler.monitored().count == 1)
    }

    @Test("A-9: disabling lifts shields and ends monitoring; what is chosen stays")
    func disable() async throws {
        let service = try await bench.enabled()
        let status = try await service.disable()
        #expect(status.reason == .disabled && status.selection == ServiceBench.selection)
        #expect(!bench.shield.isUp)
        #expect(await bench.scheduler.monitored().isEmpty)
    }
}
