import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Reads of a lock that overlap", .timeLimit(.minutes(5)))
struct OverlappingReadTests {
    private let bench = Bench()

    @Test("P-25: an old \"no passcode\" that arrives late does not take the place of a newer answer")
    func lateNothing() async throws {
        let store = QuietStore(bench.storage)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        let gate = store.holdNextRead()
        let old = Task { await session.passcodeChanged() }
        await gate.waitForHeld(1)
        try await bench.service().set(SecretBytes("834912"))
        await session.passcodeChanged()
        await session.lock()
        #expect(await session.state.isLocked)
        gate.open()
        await old.value
        #expect(await session.state.isLocked)
    }

    @Test("P-25: nor does an old passcode that arrives after it was removed")
    func latePasscode() async throws {
        try await bench.service().set(SecretBytes("834912"))
        let store = QuietStore(bench.storage)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        let gate = store.holdNextRead()
        let old = Task { await session.passcodeChanged() }
        await gate.waitForHeld(1)
        try await bench.service().clearAll()
        await session.passcodeChanged()
        gate.open()
        await old.value
        await session.phaseChanged(to: .background)
        #expect(try await bench.record() == nil)
        await bench.clock.advance(by: .seconds(600))
        let gate2 = store.holdNextRead()
        let back = Task { await session.phaseChanged(to: .active) }
        await gate2.waitForHeld(1)
        #expect(await !session.state.isLocked, "what is remembered has nothing to lock with")
        gate2.open()
        await back.value
    }

    @Test("P-25: a read that began before an own write ended is made again")
    func ownWrite() async throws {
        let store = QuietStore(bench.storage, capabilities: [.signalsOwnChanges], isStreamOpen: true)
        let service = try bench.service(store: store)
        let session = LockSession(service: service)
        await session.launch()
        let gate = store.holdNextRead()
        let old = Task { await session.passcodeChanged() }
        await gate.waitForHeld(1)
        try await service.set(SecretBytes("834912"))
        gate.open()
        await old.value
        // Nothing is read here: the store has promised to tell.
        await session.phaseChanged(to: .background)
        await bench.clock.advance(by: .seconds(600))
        await session.phaseChanged(to: .active)
        #expect(await session.state.isLocked)
    }

    @Test("P-22: a passcode set while the launch was reading counts for the launch")
    func duringLaunch() async throws {
        var bench = bench
        bench.configuration.launch = .always
        let store = QuietStore(bench.storage)
        let session = LockSession(service: try bench.service(store: store))
        let gate = store.holdNextRead()
        let launch = Task { await session.launch() }
        await gate.waitForHeld(1)
        try await bench.service().set(SecretBytes("834912"))
        await session.passcodeChanged()
        gate.open()
        await launch.value
        #expect(await session.state.isLocked)
    }
}
