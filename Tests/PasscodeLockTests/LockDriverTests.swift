import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("LockDriver: the lock on an actor that the host chose (P-20, P-32, P-33)", .timeLimit(.minutes(5)))
struct LockDriverTests {
    let bench = Bench()
    let right = "834912"

    @Test("P-32: a driver that was stopped opens no lock screen any more")
    func stopped() async throws {
        try await bench.service().set(SecretBytes(right))
        let desk = Desk(try bench.service())
        await desk.start()
        await desk.stop()
        await desk.lock()
        #expect(await desk.cover == .lockScreen)
        #expect(await desk.content == nil)
    }

    @Test(
        "P-25: a return that is reported before the session has answered the departure uncovers nothing",
        arguments: [true, false],
        [
            [.background, .active], [.inactive, .background, .active],
            [.background, .active, .inactive, .active],
        ]
            as [[AppPhase]]
    )
    func together(atOnce: Bool, phases: [AppPhase]) async throws {
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        try await service.setTimeout(.immediately)
        let desk = Desk(service)
        await desk.start()
        #expect(await desk.cover == .none)
        await desk.enterTogether(phases, atOnce: atOnce)
        let covers = await desk.covers
        #expect(!covers.contains(.none) && covers.last == .lockScreen, "\(covers)")
    }

    @Test("P-24: a look at another app that locks nothing ends uncovered, and is told as such")
    func backTogether() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        try await service.setTimeout(.after(.seconds(60)))
        let desk = Desk(service)
        await desk.start()
        await desk.enterTogether([.inactive, .active], atOnce: false)
        #expect(await desk.covers.first == .obscured)
        #expect(await desk.covers.last == LockCover.none)
        await desk.enterTogether([.active], atOnce: false)
        #expect(await Set(desk.covers) == [.none])
    }

    @Test("P-32: the prompt waits for the front: none appears while the app is inactive")
    func inactive() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        _ = try await service.enableBiometrics(SecretBytes(right))
        await bench.biometrics.hold()
        let desk = Desk(service)
        await desk.start()
        await desk.enter(.background)
        await desk.lock()
        await desk.enter(.inactive)
        #expect(await desk.cover == .lockScreen)
        for _ in 0..<50 { await Task.yield() }
        #expect(await bench.biometrics.prompts.isEmpty)
        await desk.enter(.active)
        try await BoundedWait.until("the prompt") { await bench.biometrics.isPrompting }
        await bench.biometrics.release(.success(key: bench.biometrics.key))
        try await BoundedWait.until("it opens") { await desk.cover == .none }
        #expect(await bench.biometrics.prompts.count == 1)
    }

    @Test("P-32: a right passcode prepares what the host opens, and then uncovers")
    func unlocks() async throws {
        let desk = try await locked()
        await desk.type("270954")
        try await BoundedWait.until("an answer") { await desk.content?.message?.text == "Incorrect passcode" }
        #expect(await desk.log.isEmpty)
        await desk.type(right)
        try await BoundedWait.until("it opens") { await desk.cover == .none }
        #expect(await desk.log == ["key", "lockScreen", "unlocked"])
        #expect(await desk.content == nil)
        #expect(await desk.ending == .unlocked)
        await desk.lock()
        #expect(await desk.ending == nil, "another lock screen has not ended")
    }

    @Test("P-32: what the host refuses stays covered, says why, and asks again")
    func refuses() async throws {
        let desk = try await locked()
        await desk.admit(.refused(message: "The vault is stuck."))
        await desk.type(right)
        try await BoundedWait.until("a message") { await desk.content?.message != nil }
        #expect(await desk.content?.message?.text == "The vault is stuck.")
        #expect(await desk.cover == .lockScreen)
        #expect(await desk.log == ["key", "lockScreen"], "nothing was handed to the session")
        await desk.admit(.refused(message: nil))
        await desk.type(right)
        try await BoundedWait.until("it asks again") { await desk.isReady(after: 4) }
        #expect(await desk.content?.entry?.filled == 0)
        // With a proof from elsewhere, the same.
        await desk.admit(.refused(message: "Still stuck."))
        guard case .right(let proof) = try await bench.service().verify(SecretBytes(right)) else {
            throw BoundedWait.TimedOut(description: "a proof")
        }
        #expect(await desk.unlock(with: proof) == false)
        #expect(await desk.content?.message?.text == "Still stuck.")
        await desk.admit(.admitted)
        #expect(await desk.unlock(with: proof))
        #expect(await desk.cover == .none)
    }

    @Test("P-22: what locks again while the host prepares stays locked: the proof was for another lock")
    func locksMeanwhile() async throws {
        let desk = try await locked()
        await desk.whilePreparing { [unowned desk] in await desk.enter(.background) }
        await desk.type(right)
        try await BoundedWait.until("an answer") { await desk.isReady(after: 3) }
        #expect(await desk.cover == .lockScreen)
        await desk.whilePreparing {}
        await desk.enter(.active)
        await desk.type(right)
        try await BoundedWait.until("it opens") { await desk.cover == .none }
        #expect(await desk.log == ["key", "lockScreen", "void", "key", "lockScreen", "unlocked"])
    }

    @Test("P-22: a proof for an earlier lock opens nothing, and says so")
    func earlierLock() async throws {
        let desk = try await locked()
        let earlier = await desk.generation
        await desk.enter(.background)
        await desk.enter(.active)
        guard case .right(let proof) = try await bench.service().verify(SecretBytes(right)) else {
            throw BoundedWait.TimedOut(description: "a proof")
        }
        #expect(await desk.unlock(with: proof, generation: earlier) == false)
        #expect(await desk.cover == .lockScreen)
        #expect(await desk.unlock(with: proof))
        #expect(await desk.cover == .none)
    }

    @Test("P-31: a passcode of another format is asked for in its own, from its first digit on")
    func format() async throws {
        let desk = try await locked()
        await desk.type("83")
        var other = bench
        other.configuration.format = .digits(4)
        _ = try await other.service().change(from: SecretBytes(right), to: SecretBytes("8349"))
        await desk.enter(.background)
        await desk.enter(.active)
        #expect(await desk.content?.entry?.style == .dots(count: 4))
        #expect(await desk.content?.entry?.filled == 0)
        await desk.type("8349")
        try await BoundedWait.until("it opens") { await desk.cover == .none }
    }

    @Test("P-24: out of sight is covered before anything waits, and an absence locks, without a wait too")
    func phases() async throws {
        try await bench.service().set(SecretBytes(right))
        let desk = Desk(try bench.service())
        await desk.start()
        await desk.enterAtOnce(.inactive)
        #expect(await desk.cover == .obscured)
        await desk.enterAtOnce(.active)
        #expect(await desk.cover == .none)
        await desk.enterAtOnce(.background)
        #expect(await desk.cover == .obscured)
        await bench.clock.advance(by: .seconds(3600))
        await desk.enterAtOnce(.active)
        #expect(await desk.cover == .lockScreen)
        try await BoundedWait.until("what there is to know comes later") { await desk.content?.entry != nil }
        await desk.type(right)
        try await BoundedWait.until("it opens") { await desk.cover == .none }
    }

    @Test("P-24, P-25: a lock covers before the store has its mark, and so does a return from an absence")
    func coversFirst() async throws {
        try await bench.service().set(SecretBytes(right))
        let store = HeldStore(base: InMemorySecretStore(bench.storage))
        let desk = Desk(try bench.service(store: store))
        await desk.start()
        store.writes.close()
        let locking = Task { await desk.lock() }
        try await BoundedWait.until("the lock screen") { await desk.cover == .lockScreen }
        store.writes.open()
        await locking.value
        await desk.type(right)
        try await BoundedWait.until("it opens") { await desk.cover == .none }
        store.writes.close()
        let leaving = Task { await desk.enter(.background) }
        await store.writes.waitForHeld(1)
        #expect(await desk.cover == .obscured)
        await bench.clock.advance(by: .seconds(3600))
        let returning = Task { await desk.enter(.active) }
        try await BoundedWait.until("the lock screen") { await desk.cover == .lockScreen }
        store.writes.open()
        await leaving.value
        await returning.value
        #expect(await desk.cover == .lockScreen)
        #expect(await desk.content?.entry != nil)
    }

    @Test("P-22: an older mark that is stored after a failed write is not taken for the present one")
    func olderMark() async throws {
        try await bench.service().set(SecretBytes(right))
        let failing = FailingSecretStore(InMemorySecretStore(bench.storage))
        let store = HeldStore(base: failing)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        store.writes.close()
        let leaving = Task { await session.phaseChanged(to: .background) }
        await store.writes.waitForHeld(1)
        let returning = Task { await session.phaseChanged(to: .active) }
        try await BoundedWait.until("the return") { await session.state.cover == .none }
        failing.failNext(.write, with: SecretStoreError(code: .diskFull, message: "no space is left"))
        store.writes.open()
        await leaving.value
        await returning.value
        #expect(await session.state.isLocked)
        #expect(try await !bench.service().status().lock.isLocked)
        await bench.clock.waitForSleepers(1)
        await bench.clock.advance(by: .seconds(1))
        try await BoundedWait.until("the mark") { try await bench.service().status().lock.isLocked }
    }

    /// A store whose writes wait at a gate.
    private struct HeldStore: ForwardingSecretStore {
        let base: any SecretStore
        let writes = Gate()

        func write(
            _ value: SecretBytes,
            to name: SecretName,
            accessibility: Accessibility,
            if precondition: WritePrecondition
        ) async throws(SecretStoreError) -> WriteOutcome {
            _ = await writes.pass()
            return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
        }
    }

    @Test("P-14: biometrics are asked once for each time that a lock screen appears")
    func prompts() async throws {
        try await bench.service().set(SecretBytes(right))
        _ = try await bench.service().enableBiometrics(SecretBytes(right))
        for _ in 0..<3 { await bench.biometrics.answer(.cancelled(by: .user)) }
        let desk = Desk(try bench.service())
        await desk.start()
        await desk.enter(.background)
        await bench.clock.advance(by: .seconds(3600))
        let asked = await bench.biometrics.prompts.count
        await desk.enter(.active)
        try await BoundedWait.until("the prompt") { await bench.biometrics.prompts.count > asked }
        for _ in 0..<100 { await Task.yield() }
        #expect(await bench.biometrics.prompts.count == asked + 1)
        await desk.enter(.background)
        await desk.enterAtOnce(.active)
        try await BoundedWait.until("the next prompt") { await bench.biometrics.prompts.count > asked + 1 }
    }

    @Test("P-14: what a lock screen reads as it appears opens no prompt once the app is in the background")
    func promptsInTheBackground() async throws {
        try await bench.service().set(SecretBytes(right))
        _ = try await bench.service().enableBiometrics(SecretBytes(right))
        await bench.biometrics.answer(.cancelled(by: .user))
        let desk = Desk(try bench.service())
        await desk.start()
        await bench.biometrics.onNextLook { [unowned desk] in await desk.enter(.background) }
        await desk.lock()
        for _ in 0..<100 { await Task.yield() }
        #expect(await desk.cover == .lockScreen)
        #expect(await bench.biometrics.prompts.isEmpty)
        await desk.enter(.active)
        try await BoundedWait.until("the prompt") { await bench.biometrics.prompts.count == 1 }
    }

    @Test("P-14: a look at the session meanwhile neither adds a prompt nor takes it away")
    func promptsAmongLooks() async throws {
        try await bench.service().set(SecretBytes(right))
        _ = try await bench.service().enableBiometrics(SecretBytes(right))
        await bench.biometrics.answer(.cancelled(by: .user))
        let desk = Desk(try bench.service())
        await desk.start()
        await desk.lock()
        try await BoundedWait.until("the first prompt") { await bench.biometrics.prompts.count == 1 }
        for round in 1...20 {
            await bench.biometrics.answer(.cancelled(by: .user))
            await desk.enter(.background)
            await withTaskGroup { group in
                for _ in 0..<5 { group.addTask { await desk.update() } }
                group.addTask { await desk.enter(.active) }
                for _ in 0..<5 { group.addTask { await desk.update() } }
            }
            try await BoundedWait.until("the prompt") { await bench.biometrics.prompts.count == round + 1 }
            for _ in 0..<20 { await Task.yield() }
            #expect(await bench.biometrics.prompts.count == round + 1)
        }
    }
}
