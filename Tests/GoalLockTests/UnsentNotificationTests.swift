import GoalLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("A notification that fails is told of (A-3)", .timeLimit(.minutes(5)))
struct UnsentNotificationTests {
    private let bench = ServiceBench()
    private let busy = SecretStoreError(code: .lockTimeout, message: "busy")
    private let jammed = ShieldError(code: .systemFailure, message: "jammed")

    @Test("A-3: a notification that fails is reported, also when another process wrote meanwhile")
    func unsentAndInterrupted() async throws {
        _ = try await bench.enabled()
        let other = try bench.service()
        let notifier = InterruptedNotifier { _ = try? await other.setGoal(90) }
        let service = try bench.service(notifier: notifier)
        let error = await #expect(throws: GoalError.self) { try await service.update(progress: 100) }
        #expect(error?.code == .notifier && !bench.shield.isUp)
        #expect(try await service.update(progress: 100).reason == .reached)
    }

    @Test("A-3: a notification that fails stays reported, though the lock goes on")
    func unsentStaysReported() async throws {
        _ = try await bench.enabled()
        let service = try bench.service(notifier: FailingNotifier(.systemFailure))
        try await service.launch()
        await #expect(throws: GoalError.self) { try await service.update(progress: 100) }
        await bench.clock.waitForSleepers(1)
        for _ in 0..<200 { await Task.yield() }
        #expect(await service.failure?.code == .notifier)
        #expect(bench.clock.deadlines == [.sinceBoot(.hours(13))], "it is not tried again")
        try await service.refresh()
        #expect(await service.failure == nil)
    }

    @Test("A-3: it stays reported also when the service looked again before the notifier had failed")
    func unsentAndOvertaken() async throws {
        _ = try await bench.enabled()
        let looker = Looker()
        let service = try bench.service(notifier: InterruptedNotifier { await looker.look() })
        await looker.take(service)
        await #expect(throws: GoalError.self) { try await service.update(progress: 100) }
        #expect(await service.failure?.code == .notifier)
        try await service.refresh()
        #expect(await service.failure == nil)
    }

    @Test("A-3: it is reported once shields that failed as well have followed")
    func unsentBesideAnotherFailure() async throws {
        _ = try await bench.enabled()
        let service = try bench.service(notifier: FailingNotifier(.systemFailure))
        bench.shield.failNext(.clear, with: jammed)
        await #expect(throws: GoalError.self) { try await service.update(progress: 100) }
        try await expectUnsent(after: .shield, from: service)
    }

    @Test("A-3: it is reported also when the look that overtook it had failed otherwise")
    func unsentAfterAnotherFailure() async throws {
        _ = try await bench.enabled()
        let looker = Looker()
        let service = try bench.service(
            notifier: InterruptedNotifier { [bench, jammed] in
                bench.shield.failNext(.clear, with: jammed)
                await looker.look()
            }
        )
        await looker.take(service)
        await #expect(throws: GoalError.self) { try await service.update(progress: 100) }
        try await expectUnsent(after: .shield, from: service)
    }

    @Test("A-3: it is reported also when the look that overtook it fails otherwise, later")
    func unsentBeforeAnotherFailure() async throws {
        _ = try await bench.enabled()
        let looker = Looker()
        let gate = Gate()
        gate.close()
        // The look's second read, after its shields have failed: the update reads once before it notifies.
        let store = InterruptedSecretStore(InMemorySecretStore(bench.storage), before: .read, number: 2) {
            _ = await gate.pass()
        }
        let service = try bench.service(
            store: store,
            notifier: InterruptedNotifier { [bench, jammed] in
                bench.shield.failNext(.clear, with: jammed)
                await looker.begin()
                await gate.waitForHeld(1)
            }
        )
        await looker.take(service)
        let error = await #expect(throws: GoalError.self) { try await service.update(progress: 100) }
        #expect(error?.code == .notifier)
        gate.open()
        await looker.end()
        try await expectUnsent(after: .shield, from: service)
    }

    @Test("A-3: it is reported also when the state cannot be read when it is looked at again")
    func unsentBeforeUnreadable() async throws {
        _ = try await bench.enabled()
        let other = try bench.service()
        let failing = FailingSecretStore(InMemorySecretStore(bench.storage))
        // The first two reads decide, and find that another process wrote.
        let store = InterruptedSecretStore(failing, before: .read, number: 2) { [busy] in
            failing.failNext(.read, with: busy)
        }
        let service = try bench.service(
            store: store,
            notifier: InterruptedNotifier { _ = try? await other.setGoal(90) }
        )
        let error = await #expect(throws: GoalError.self) { try await service.update(progress: 100) }
        #expect(error?.code == .store)
        try await service.refresh()
        #expect(await service.failure?.code == .notifier)
    }

    private func expectUnsent(after code: GoalError.Code, from service: GoalLockService) async throws {
        #expect(await service.failure?.code == code)
        try await service.refresh()
        #expect(!bench.shield.isUp)
        #expect(await service.failure?.code == .notifier)
        try await service.refresh()
        #expect(await service.failure == nil)
    }

    /// Has a service look in the midst of something else, as the signal of its own write does.
    private actor Looker {
        private var service: GoalLockService?

        func take(_ service: GoalLockService) { self.service = service }
        func look() async { _ = try? await service?.refresh() }

        private var looking: Task<Void, Never>?
        func begin() { looking = Task { await look() } }
        func end() async { await looking?.value }
    }
}
