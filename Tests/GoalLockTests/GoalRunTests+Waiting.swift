import GoalLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// Runs whose values arrive while the store is busy.
extension GoalRunTests {
    private func begin(_ service: GoalLockService, _ values: WaitingValues) -> Task<GoalEnding, Never> {
        let run = GoalRun(of: service, progress: values.readings(), events: events.stream)
        return Task { [told] in await run.run { told.add($0) } }
    }

    @Test("A-3, A-5: values that arrive while the store is busy over midnight are of the day before")
    func readWhileBusyOverMidnight() async throws {
        _ = try await bench.enabled()
        let gate = Gate()
        let service = try bench.service(
            store: SlowWrites(base: InMemorySecretStore(bench.storage), gate: gate)
        )
        try await service.refresh()
        let values = WaitingValues([40, 100])
        gate.close()
        let run = begin(service, values)
        await gate.waitForHeld(1)
        try await BoundedWait.until("the second value to be read") { values.asked == 3 }
        await bench.clock.suspend(for: .hours(24))
        gate.open()
        values.end.open()
        #expect(await run.value == .inputEnded)
        let status = try await bench.service().status()
        #expect(status.date == .january(2) && status.progress == 0 && bench.shield.isUp)
    }

    @Test("A-3: while 1,024 values wait, a run reads no more of them, and none is lost")
    func manyWaiting() async throws {
        _ = try await bench.enabled()
        let gate = Gate()
        let service = try bench.service(
            store: SlowWrites(base: InMemorySecretStore(bench.storage), gate: gate)
        )
        try await service.refresh()
        let values = WaitingValues([40, 100] + [Double](repeating: 0, count: 1_500))
        gate.close()
        let run = begin(service, values)
        await gate.waitForHeld(1)
        // The first value is being stored, and the others wait.
        try await BoundedWait.until("the waiting values") { values.asked >= 1_025 }
        for _ in 0..<100 { await Task.yield() }
        #expect(values.asked == 1_025)
        gate.open()
        values.end.open()
        #expect(await run.value == .inputEnded)
        #expect(values.asked == 1_503)
        let status = try await bench.service().status()
        #expect(status.reason == .reached && status.progress == 0 && !bench.shield.isUp)
    }

    @Test("A-3: of the values that wait when the host ends a run, only the last one is stored")
    func endedWhileBusy() async throws {
        _ = try await bench.enabled()
        let (gate, store) = (Gate(), RecordingSecretStore(InMemorySecretStore(bench.storage)))
        let service = try bench.service(store: SlowWrites(base: store, gate: gate))
        try await service.refresh()
        let values = WaitingValues((1...9).map { Double($0) })
        gate.close()
        let run = begin(service, values)
        await gate.waitForHeld(1)
        try await BoundedWait.until("the last value to be read") { values.asked == 10 }
        let before = store.count(of: .write)
        events.continuation.yield(.end(15))
        try await BoundedWait.until("the end of the source") { values.isOver }
        gate.open()
        #expect(await run.value == .signal(15))
        #expect(try await bench.service().status().progress == 9)
        #expect(store.count(of: .write) == before + 2)
    }
}

/// Values that wait at their source until a run asks for them, as lines in a pipe do.
private final class WaitingValues: Sendable {
    private let values: [Double]
    private let state = Mutex((asked: 0, isOver: false))
    /// After the last value the source waits here. It ends when the gate is opened or the run is over.
    let end = Gate()

    init(_ values: [Double]) {
        self.values = values
        end.close()
    }

    /// How often the run has asked for a value.
    var asked: Int { state.withLock { $0.asked } }
    var isOver: Bool { state.withLock { $0.isOver } }

    func readings() -> AsyncStream<ProgressReading> {
        AsyncStream<ProgressReading>(unfolding: { [self] in
            let number = state.withLock { state in
                state.asked += 1
                return state.asked
            }
            if number <= values.count { return .value(values[number - 1], measured: nil) }
            _ = await end.pass()
            state.withLock { $0.isOver = true }
            return nil
        })
    }
}

/// A store whose writes pass a gate.
struct SlowWrites: ForwardingSecretStore {
    let base: any SecretStore
    let gate: Gate

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        _ = await gate.pass()
        return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }
}
