import GoalLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("A season with several instances (A-3, A-10)", .timeLimit(.minutes(5)))
struct SeveralInstancesTests {
    @Test(
        "A-10: instances that do chance things at once tell of each date at most once, and shields follow the state",
        arguments: 1...2 as ClosedRange<UInt64>
    )
    func season(seed: UInt64) async throws {
        var chance = SeededGenerator(seed)
        let bench = ServiceBench()
        _ = try await bench.enabled()
        var services = try (0..<3).map { _ in try bench.service() }
        var told: Set<CivilDate> = []
        let end = bench.clock.now.wall + .days(90)
        while bench.clock.now.wall < end {
            await happen(to: bench, &chance)
            // A process ends, another one starts.
            if Int.random(in: 0..<10, using: &chance) == 0 {
                services[Int.random(in: 0..<3, using: &chance)] = try bench.service()
            }
            let before = bench.notifier.delivered.count
            try await withThrowingTaskGroup { group in
                for service in services where Int.random(in: 0..<3, using: &chance) > 0 {
                    let call = call(&chance)
                    group.addTask { try await call(service) }
                }
                try await group.waitForAll()
            }
            let status = try await services[0].refresh()
            try #require(bench.shield.isUp == status.isShielded, "\(status)")
            let news = bench.notifier.delivered.count - before
            try #require(news <= 1)
            if news == 1 { try #require(told.insert(status.date).inserted, "\(status.date) twice") }
        }
        #expect(told.count > 30, "\(told.count) dates")
    }

    /// Lets time pass, and a person travel, who also moves the clock, switches the machine off, and does not pay.
    private func happen(to bench: ServiceBench, _ chance: inout SeededGenerator) async {
        await bench.clock.suspend(for: .minutes(Int.random(in: 0...300, using: &chance)))
        switch Int.random(in: 0..<40, using: &chance) {
        case 0:
            await bench.clock.setZone(
                ManualZone("Far", offset: .hours(Int.random(in: -11...13, using: &chance)))
            )
        case 1: await bench.clock.reboot(downtime: .hours(Int.random(in: 0...30, using: &chance)))
        case 2: bench.clock.setSynchronised(Bool.random(using: &chance))
        case 3 where !bench.clock.isSynchronised:
            await bench.clock.setWall(bench.clock.now.wall + .hours(Int.random(in: -30...30, using: &chance)))
        case 4: bench.entitlement.set(Bool.random(using: &chance))
        case 5: bench.shield.setAuthorization(.notDetermined)
        case 6...8:
            bench.entitlement.set(true)
            bench.shield.setAuthorization(.approved)
        default: break
        }
    }

    private func call(_ chance: inout SeededGenerator) -> @Sendable (GoalLockService) async throws -> Void {
        let number = Double(Int.random(in: 50...130, using: &chance))
        let start = TimeOfDay(hour: Int.random(in: 0...5, using: &chance), minute: 0) ?? .midnight
        switch Int.random(in: 0..<20, using: &chance) {
        case 0: return { try await $0.setGoal(number) }
        case 1: return { try await $0.setDayStart(start) }
        case 2: return { try await $0.disable() }
        case 3...5: return { _ = try await $0.enable() }
        case 6: return { try await $0.refresh() }
        default: return { try await $0.update(progress: number) }
        }
    }
}
