import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("A lock whose store tells late, or nothing", .timeLimit(.minutes(5)))
@MainActor
struct SilentStoreTests {
    private let bench: Bench

    init() {
        var bench = Bench()
        bench.configuration.timeout = .after(.seconds(300))
        self.bench = bench
    }

    @Test("P-20: locking by hand locks with a passcode that the store has not told of yet")
    func lock() async throws {
        let promising: SecretStoreCapabilities = [.signalsOwnChanges, .signalsOtherProcesses, .isShared]
        let store = QuietStore(bench.storage, capabilities: promising, isStreamOpen: true)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        await session.lock()
        #expect(await !session.state.isLocked, "there is nothing to lock with")
        _ = try await bench.service().set(SecretBytes("834912"))
        await session.lock()
        #expect(await session.state.isLocked)
    }

    /// A store that finds only when its stream is opened, or later, that it cannot signal other processes.
    private final class FadingStore: ForwardingSecretStore {
        let base: any SecretStore
        let canSignal = Mutex(true)
        private let fadesAtOnce: Bool

        init(_ base: any SecretStore, fadesAtOnce: Bool) {
            (self.base, self.fadesAtOnce) = (base, fadesAtOnce)
        }

        var capabilities: SecretStoreCapabilities {
            canSignal.withLock { $0 }
                ? base.capabilities : base.capabilities.subtracting(.signalsOtherProcesses)
        }

        func changes(to name: SecretName) -> AsyncStream<Void> {
            if fadesAtOnce { canSignal.withLock { $0 = false } }
            return base.changes(to: name)
        }
    }

    @Test(
        "P-20: a store that loses its signals is read again at each change of phase",
        arguments: [true, false]
    )
    func lostSignals(_ atOnce: Bool) async throws {
        let promising: SecretStoreCapabilities = [.signalsOwnChanges, .signalsOtherProcesses, .isShared]
        let quiet = QuietStore(bench.storage, capabilities: promising, isStreamOpen: true)
        let store = FadingStore(quiet, fadesAtOnce: atOnce)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        store.canSignal.withLock { $0 = false }
        _ = try await bench.service().set(SecretBytes("834912"))
        await session.phaseChanged(to: .background)
        await bench.clock.advance(by: .seconds(600))
        await session.phaseChanged(to: .active)
        #expect(await session.state.isLocked)
    }

    @Test("P-22: locking by hand before the start leaves what was written down to the start")
    func lockBeforeLaunch() async throws {
        _ = try await bench.service().set(SecretBytes("834912"))
        let before = try await bench.record()?.version
        let session = LockSession(service: try bench.service())
        await session.lock()
        #expect(try await bench.record()?.version == before)
        await session.launch()
        #expect(await session.state.isLocked)
    }

    @Test("P-20: without signals, a passcode that is removed in this process holds nothing locked any more")
    func removed() async throws {
        for isCleared in [false, true] {
            let service = try bench.service(store: QuietStore(bench.storage))
            try await service.set(SecretBytes("834912"))
            let session = LockSession(service: service)
            await session.launch()
            await session.lock()
            #expect(await session.state.isLocked)
            if isCleared {
                try await service.clearAll()
            } else {
                _ = try await service.remove(SecretBytes("834912"))
            }
            try await BoundedWait.until { await !session.state.isLocked }
        }
    }

    @Test("P-20: an app's lock tells whether a proof or the passcode's removal has ended its screen")
    func endings() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes("834912"))
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        #expect(lock.ending == nil && lock.cover == .none)
        await lock.lock()
        try await BoundedWait.until { lock.lockScreen != nil }
        #expect(lock.ending == nil)
        try await service.clearAll()
        try await BoundedWait.until { lock.cover == .none }
        #expect(lock.ending == .disarmed)
        try await service.set(SecretBytes("834912"))
        await lock.lock()
        try await BoundedWait.until { lock.lockScreen != nil }
        #expect(lock.ending == nil)
    }

    enum Setter: CaseIterable {
        case itself, copy, otherProcessBefore, otherProcessMeanwhile
    }

    @Test("P-20: without signals, a passcode set after the start locks on return", arguments: Setter.allCases)
    func setAfterStart(by setter: Setter) async throws {
        let service = try bench.service(store: QuietStore(bench.storage))
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        switch setter {
        case .itself: try await lock.session.service.set(SecretBytes("834912"))
        case .copy: try await service.set(SecretBytes("834912"))
        case .otherProcessBefore: try await bench.service().set(SecretBytes("834912"))
        case .otherProcessMeanwhile: break
        }
        await lock.phaseChanged(to: .background)
        if setter == .otherProcessMeanwhile { try await bench.service().set(SecretBytes("834912")) }
        await bench.clock.advance(by: .seconds(600))
        await lock.phaseChanged(to: .active)
        #expect(lock.cover == .lockScreen)
        #expect(lock.lockScreen != nil)
    }

    @Test("P-20: without signals, what is away for less than the timeout is uncovered again")
    func shortAbsence() async throws {
        let service = try bench.service(store: QuietStore(bench.storage))
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        try await service.set(SecretBytes("834912"))
        await lock.phaseChanged(to: .background)
        await bench.clock.advance(by: .seconds(299))
        await lock.phaseChanged(to: .active)
        #expect(lock.cover == .none)
        await lock.phaseChanged(to: .inactive)
        #expect(lock.cover == .obscured)
        await lock.phaseChanged(to: .active)
        #expect(lock.cover == .none)
        await lock.phaseChanged(to: .active)
        #expect(lock.cover == .none, "told twice")
    }

    @Test("P-24: without signals, nothing is uncovered before it was read what there is to lock with")
    func coveredUntilRead() async throws {
        let store = QuietStore(bench.storage)
        let lock = AppLock(session: LockSession(service: try bench.service(store: store)))
        await lock.start()
        await lock.phaseChanged(to: .background)
        let states = await lock.session.states()
        let watcher = Task {
            var covers: [LockCover] = []
            for await state in states {
                covers.append(state.cover)
                if state.isLocked { break }
            }
            return covers
        }
        try await bench.service().set(SecretBytes("834912"))
        await bench.clock.advance(by: .seconds(600))
        let gate = store.holdNextRead()
        let back = Task { await lock.phaseChanged(to: .active) }
        await gate.waitForHeld(1)
        #expect(lock.cover == .obscured)
        gate.open()
        await back.value
        #expect(lock.cover == .lockScreen)
        #expect(await watcher.value == [.obscured, .lockScreen])
    }

    @Test("P-25: without signals, flips while it is read uncover nothing too early")
    func flips() async throws {
        let store = QuietStore(bench.storage)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        await session.phaseChanged(to: .background)
        let first = store.holdNextRead()
        let one = Task { await session.phaseChanged(to: .active) }
        await first.waitForHeld(1)
        #expect(await session.state.cover == .obscured)
        await session.phaseChanged(to: .background)
        try await bench.service().set(SecretBytes("834912"))
        await bench.clock.advance(by: .seconds(600))
        let second = store.holdNextRead()
        let two = Task { await session.phaseChanged(to: .active) }
        await second.waitForHeld(1)
        first.open()
        await one.value
        // The read that began first was made again, and knows of the passcode already.
        #expect(await session.state.cover == .lockScreen)
        second.open()
        await two.value
        #expect(await session.state.cover == .lockScreen)
    }

    @Test("P-25: a return that was read does not uncover for a later one that is still being read")
    func laterReturn() async throws {
        let store = QuietStore(bench.storage)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        await session.phaseChanged(to: .background)
        let first = store.holdNextRead()
        let one = Task { await session.phaseChanged(to: .active) }
        await first.waitForHeld(1)
        await session.phaseChanged(to: .background)
        let second = store.holdNextRead()
        let two = Task { await session.phaseChanged(to: .active) }
        await second.waitForHeld(1)
        first.open()
        await one.value
        #expect(await session.state.cover == .obscured)
        second.open()
        await two.value
        #expect(await session.state.cover == .none)
    }

    @Test("P-20: an unlock while it is read is not undone by the absence before it")
    func unlockedWhileRead() async throws {
        let store = QuietStore(bench.storage)
        let service = try bench.service(store: store)
        let proof = try await service.set(SecretBytes("834912"))
        let session = LockSession(service: service)
        await session.launch()
        await session.phaseChanged(to: .background)
        await bench.clock.advance(by: .seconds(600))
        let look = store.holdNextRead()
        let back = Task { await session.phaseChanged(to: .active) }
        await look.waitForHeld(1)
        let generation = await session.state.generation
        #expect(await session.unlock(with: proof, generation: generation))
        look.open()
        await back.value
        #expect(await session.state.cover == .none)
    }

    @Test("P-20: without signals, a passcode that another process removed locks nothing for long")
    func removedElsewhere() async throws {
        try await bench.service().set(SecretBytes("834912"))
        let service = try bench.service(store: QuietStore(bench.storage))
        let session = LockSession(service: service)
        await session.launch()
        try await bench.service().clearAll()
        await session.phaseChanged(to: .background)
        await bench.clock.advance(by: .seconds(600))
        await session.phaseChanged(to: .active)
        #expect(await session.state.cover == .none)
    }

    @Test("P-22: an absence during which a passcode was set is written down, and locks after a kill")
    func absenceWrittenDown() async throws {
        let session = LockSession(service: try bench.service(store: QuietStore(bench.storage)))
        await session.launch()
        await session.phaseChanged(to: .background)
        try await bench.service().set(SecretBytes("834912"))
        await session.passcodeChanged()
        await bench.clock.advance(by: .seconds(600))
        let next = LockSession(service: try bench.service())
        await next.launch()
        #expect(await next.state.isLocked)
    }

    @Test("P-23: without signals, the idle lock begins with the first passcode of this process")
    func idle() async throws {
        var bench = bench
        bench.configuration.idleTimeout = .seconds(60)
        let service = try bench.service(store: QuietStore(bench.storage))
        let session = LockSession(service: service)
        await session.launch()
        try await service.set(SecretBytes("834912"))
        await bench.clock.waitForSleepers(1)
        await bench.clock.advance(by: .seconds(60))
        for await state in await session.states() where state.isLocked { break }
        #expect(await session.state.isLocked)
    }

    @Test("P-20: a store whose signals end although it promised them is read like one that has none")
    func brokenPromise() async throws {
        let promising: SecretStoreCapabilities = [.signalsOwnChanges, .signalsOtherProcesses, .isShared]
        let store = QuietStore(bench.storage, capabilities: promising)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        try await bench.service().set(SecretBytes("834912"))
        try await BoundedWait.until {
            await session.phaseChanged(to: .background)
            await bench.clock.advance(by: .seconds(600))
            await session.phaseChanged(to: .active)
            return await session.state.isLocked
        }
    }

    @Test("P-20: signals of this process alone do not tell what others do to shared items")
    func ownSignalsOnly() async throws {
        for (capabilities, isRead) in [
            ([.signalsOwnChanges, .isShared] as SecretStoreCapabilities, true), (.signalsOwnChanges, false),
        ] {
            let bench = Bench()
            let store = QuietStore(bench.storage, capabilities: capabilities, isStreamOpen: true)
            let session = LockSession(service: try bench.service(store: store))
            await session.launch()
            try await bench.service().set(SecretBytes("834912"))
            await session.phaseChanged(to: .background)
            await bench.clock.advance(by: .seconds(600))
            await session.phaseChanged(to: .active)
            #expect(await session.state.isLocked == isRead)
        }
    }
}
