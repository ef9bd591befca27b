import CronScheduler
import GcryptKeystore
import GoalLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Goal lock scenarios (SPEC 2)", .timeLimit(.minutes(5)))
struct GoalScenarios {
    private let device = GoalDevice()

    private func hours(_ hours: Int) -> Duration { .seconds(hours * 3_600) }

    /// A process on which the lock was switched on in the morning.
    private func morning() async throws -> GoalProcess {
        let app = try await device.start()
        try await app.lock.launch()
        try await app.lock.select(GoalDevice.selection)
        guard case .enabled = try await app.lock.enable() else {
            throw GoalError(code: .shield, message: "not enabled")
        }
        return app
    }

    @Test("A-3, A-6: a day from morning to unlock, and with the app closed over midnight to the next start")
    func closedOverMidnight() async throws {
        var app: GoalProcess? = try await morning()
        #expect(device.isShut && device.shield.calls.contains(.requestAuthorization))
        await device.clock.advance(by: hours(5))
        let noon = try await app?.lock.update(progress: 6_400)
        #expect(noon?.isShielded == true && noon?.progress == 6_400 && device.isShut)
        await device.clock.advance(by: hours(5))
        #expect(try await app?.lock.update(progress: 10_250).reason == .reached)
        #expect(!device.isShut && device.notifier.delivered.map(\.title) == ["Apps Unlocked!"])
        await app?.end()
        app = nil

        await device.clock.advance(by: hours(9))
        #expect(!device.isShut, "nothing ran at midnight")
        let next = try await device.start()
        let status = try await next.lock.launch()
        #expect(status.date == .january(2) && status.progress == 0 && status.isShielded && device.isShut)
        #expect(try await next.lock.update(progress: 10_000).reason == .reached)
        #expect(device.notifier.delivered.count == 2)
        await next.end()
    }

    @Test("A-5: with the app running, shields go up at midnight by themselves, and its activity is the day")
    func runningOverMidnight() async throws {
        let app = try await morning()
        let activity = try #require(await app.scheduler.monitored()[GoalNames.activity])
        #expect(activity.schedule.start == TimeOfDay(hour: 0, minute: 0))
        #expect(activity.schedule.end == TimeOfDay(hour: 23, minute: 59))
        try await app.lock.update(progress: 12_000)
        #expect(!device.isShut)
        await device.clock.advance(by: hours(17) - .seconds(1))
        #expect(!device.isShut, "the interval's end changes nothing")
        await device.clock.advance(by: .seconds(2))
        #expect(try await device.settle { device.isShut })
        #expect(try await app.lock.status().date == .january(2))
        #expect(device.notifier.delivered.count == 1)
        await app.end()
    }

    @Test("A-10: app and monitor both run over a day: nothing is lost, and the person is told once")
    func appAndMonitor() async throws {
        let app = try await morning()
        let monitor = try await device.start()
        try await monitor.lock.launch()
        try await withThrowingTaskGroup { group in
            for process in [app, monitor] {
                group.addTask {
                    for step in 1...10 { try await process.lock.update(progress: Double(step * 1_000)) }
                }
            }
            group.addTask { try await app.lock.select(ShieldSelection(apps: [GoalDevice.chat])) }
            try await group.waitForAll()
        }
        #expect(!device.isShut && device.notifier.delivered.count == 1)
        for process in [app, monitor] {
            let status = try await process.lock.status()
            #expect(status.reason == .reached && status.selection.categories.isEmpty)
        }
        await device.clock.advance(by: hours(18))
        #expect(try await device.settle { device.isShut })
        await app.end()
        // The app is gone: the monitor unlocks the next day, in which nobody else does.
        #expect(try await monitor.lock.update(progress: 10_000).reason == .reached)
        #expect(!device.isShut && device.notifier.delivered.count == 2)
        await monitor.end()
    }

    @Test("A-10: a monitor that is started for the event alone resets the day with the app closed")
    func monitorForEvent() async throws {
        let app = try await morning()
        try await app.lock.update(progress: 10_000)
        await app.end()
        await device.clock.suspend(for: hours(17))
        let monitor = try await device.start()
        let event = ActivityEvent(
            activity: GoalNames.activity,
            kind: .intervalDidStart,
            scheduled: device.clock.now.wall
        )
        try await monitor.lock.handle(event)
        #expect(device.isShut && device.notifier.delivered.count == 1)
        await monitor.end()
    }

    @Test("A-10: a process that draws the shield reads its content with the store and a clock only")
    func shieldContent() async throws {
        let app = try await morning()
        try await app.lock.update(progress: 2_500)
        let store = try await device.openStore()
        let content = try await ShieldContent.read(from: store, clock: device.clock)
        #expect(content == ShieldContent(title: "Steps", progress: 2_500, goal: 10_000))
        try await app.lock.setGoal(5_000)
        #expect(try await ShieldContent.read(from: store, clock: device.clock)?.fraction == 0.5)
        await device.clock.suspend(for: hours(24))
        #expect(try await ShieldContent.read(from: store, clock: device.clock)?.progress == 0)
        await store.close()
        await app.end()
    }

    @Test(
        "A-11: damaged state: shields stay, the person is told, the way out lifts them, and it can be set anew"
    )
    func damagedState() async throws {
        let app = try await morning()
        await app.end()
        try await device.damageState()
        let next = try await device.start()
        let error = await #expect(throws: GoalError.self) { try await next.lock.launch() }
        #expect(error?.code == .damagedRecord && device.isShut)
        await #expect(throws: GoalError.self) { try await next.lock.update(progress: 10_000) }
        #expect(device.isShut)
        // Over midnight a process that nobody looks at says so.
        await device.clock.setZone(ManualZone("East", offset: hours(13)))
        #expect(try await device.settle { device.notifier.delivered.map(\.id) == [GoalNames.damaged] })

        try await next.lock.release()
        #expect(!device.isShut)
        #expect(await next.scheduler.monitored().isEmpty)
        try await next.lock.select(GoalDevice.selection)
        _ = try await next.lock.enable()
        #expect(device.isShut)
        await next.end()
    }

    @Test("A-11: a store whose file was altered will not open; the way out lifts the shields without it")
    func damagedFile() async throws {
        let app = try await morning()
        try await app.lock.update(progress: 10)
        await app.end()
        try device.damageFile()
        let error = await #expect(throws: SecretStoreError.self) {
            let store = try await device.openStore()
            _ = try await store.read(GoalNames.record)
        }
        #expect(error?.code == .damaged && device.isShut)
        let helper = try GoalLockService(
            backends: Backends(shield: device.shield, clock: device.clock),
            configuration: GoalConfiguration(goal: 1, title: "Steps")
        )
        let released = await #expect(throws: GoalError.self) { try await helper.release() }
        #expect(released?.code == .store && !device.isShut)
    }

    @Test("A-3, A-10: 16 processes send updates at once to one file: exactly one notification each day")
    func sixteenProcesses() async throws {
        let app = try await morning()
        var processes: [GoalProcess] = []
        for _ in 0..<16 { processes.append(try await device.start()) }
        for day in 1...2 {
            try await withThrowingTaskGroup { group in
                for (number, process) in processes.enumerated() {
                    group.addTask {
                        for step in 0..<3 {
                            try await process.lock.update(progress: Double(number * 100 + step))
                        }
                        try await process.lock.update(progress: 10_000)
                    }
                }
                try await group.waitForAll()
            }
            #expect(!device.isShut && device.notifier.delivered.count == day)
            let status = try await app.lock.status()
            #expect(status.reason == .reached && status.progress == 10_000 && status.date == .january(day))
            await device.clock.suspend(for: hours(24))
        }
        for process in processes { await process.end() }
        await app.end()
    }
}
