import GoalLock
import PortcullisCore
import PortcullisTesting
import Testing

/// A release whose task is cancelled.
extension InterruptionTests {
    @Test("A-11: a release of a state that cannot be understood runs to its end in a cancelled task, too")
    func cancelledRelease() async throws {
        let bench = ServiceBench()
        let service = try await bench.enabled(shield: RefusingCancelledTasks(base: bench.shield))
        try await bench.overwriteRecord("nonsense")
        bench.entitlement.gate.close()
        let release = Task { try await service.release() }
        await bench.entitlement.gate.waitForHeld(1)
        release.cancel()
        bench.entitlement.gate.open()
        try await release.value
        #expect(!bench.shield.isUp)
        #expect(try await bench.record()?.isEnabled == false)
    }
}

/// A shield that changes nothing in a cancelled task.
private struct RefusingCancelledTasks: ForwardingShield {
    let base: any ShieldController

    func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        try Self.check()
        try await base.apply(selection, as: shield)
    }

    func clear(_ shield: ShieldName) async throws(ShieldError) {
        try Self.check()
        try await base.clear(shield)
    }

    private static func check() throws(ShieldError) {
        if Task.isCancelled { throw ShieldError(code: .systemFailure, message: "the task was cancelled") }
    }
}
