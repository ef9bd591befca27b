import GoalLock
import PortcullisCore
import PortcullisTesting
import Testing

/// Runs whose shield cannot be lifted at once.
extension GoalRunTests {
    private static let busy = ShieldError(code: .stateUnreadable, message: "busy")

    @Test("A-3: a run that waits for the goal goes on until the apps are open, and tells what is wrong")
    func lateLift() async throws {
        let run = try await run(isOnce: true)
        bench.shield.failNext(.clear, with: Self.busy)
        progress.continuation.yield(.value(100, measured: nil))
        let problem = GoalMessage.problem(.lock, "busy")
        try await BoundedWait.until("the problem") { told.messages.contains(problem) || told.isOver }
        #expect(told.messages.contains(problem) && !told.isOver && bench.shield.isUp)
        try await passUntilOver()
        #expect(await run.value == .reached)
        #expect(!bench.shield.isUp)
    }

    @Test("A-3: a run that waits for the goal ends as soon as another call has lifted the shield")
    func repeatedLift() async throws {
        let service = try await bench.enabled()
        let run = try await run(of: service, isOnce: true)
        bench.shield.failNext(.clear, with: Self.busy)
        progress.continuation.yield(.value(100, measured: nil))
        let problem = GoalMessage.problem(.lock, "busy")
        try await BoundedWait.until("the problem and the status") {
            told.messages.contains(problem) && told.statuses.last?.isUnlocked == true
        }
        // The time stands still, so the run does not look by itself. A launched lock makes this call.
        try await service.refresh()
        try await BoundedWait.until("the end") { told.isOver }
        #expect(await run.value == .reached)
    }

    @Test("A-9: a run whose lock was switched off goes on until the apps are open", arguments: [false, true])
    func lateRelease(isOnce: Bool) async throws {
        let service = try await bench.enabled()
        let run = try await run(of: service, isOnce: isOnce)
        bench.shield.failNext(.clear, with: Self.busy)
        await #expect(throws: GoalError.self) { try await service.release() }
        let problem = GoalMessage.problem(.lock, "busy")
        try await BoundedWait.until("the problem") { told.messages.contains(problem) || told.isOver }
        #expect(told.messages.contains(problem) && !told.isOver && bench.shield.isUp)
        try await passUntilOver()
        #expect(await run.value == .released)
        #expect(!bench.shield.isUp)
    }

    @Test("A-3: at the end of its input a run tries once more to open the apps", arguments: [false, true])
    func lateLiftAtTheEnd(isOnce: Bool) async throws {
        let run = try await run(isOnce: isOnce)
        bench.shield.failNext(.clear, with: Self.busy)
        progress.continuation.yield(.value(100, measured: nil))
        progress.continuation.finish()
        #expect(await run.value == (isOnce ? .reached : .inputEnded))
        #expect(!bench.shield.isUp)
    }

    @Test("A-11: where apps stay shut though the goal is reached, a run whose input ends says so")
    func noLift() async throws {
        bench.shield.install(.init(AppToken("chat"), label: "Chat"))
        let run = try await run(isOnce: true)
        bench.shield.setOutage(Self.busy)
        progress.continuation.yield(.value(100, measured: nil))
        progress.continuation.finish()
        try await passUntilOver()
        #expect(await run.value == .inputEnded)
        #expect(told.messages.contains(.problem(.lock, "busy")))
        #expect(told.statuses.last?.isUnlocked == true && told.statuses.last?.shut.map(\.label) == ["Chat"])
    }

    @Test("A-2, A-10: a shield that an ended process left up is taken down, but not without end")
    func leftUp() async throws {
        let service = try await bench.enabled()
        let run = try await run(of: service)
        func clears() -> Int { bench.shield.calls.count { $0 == .clear(GoalNames.shield) } }
        // Lets an hour pass at most.
        func pass(until isReached: () -> Bool) async throws {
            let end = bench.clock.now.sinceBoot + .hours(1)
            try await BoundedWait.until {
                await bench.clock.advance(by: .seconds(1))
                return isReached() || bench.clock.now.sinceBoot > end
            }
        }
        try await service.update(progress: 100)
        let first = clears()
        // The run's first look finds the new status.
        try await pass { clears() > first }
        let second = clears()
        // The other process decided before the goal was reached, and ended right after this call.
        try await bench.shield.apply(ServiceBench.selection, as: GoalNames.shield)
        try await pass { !bench.shield.isUp }
        #expect(!bench.shield.isUp && clears() == second + 1)
        try await bench.shield.apply(ServiceBench.selection, as: GoalNames.shield)
        try await pass { !bench.shield.isUp }
        #expect(clears() == second + 1)
        events.continuation.yield(.end(15))
        #expect(await run.value == .signal(15))
    }
}
