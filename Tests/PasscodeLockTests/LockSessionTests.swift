import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What a lock session writes down and tells", .timeLimit(.minutes(5)))
struct LockSessionTests {
    private let bench = Bench()
    private let diskFull = SecretStoreError(code: .diskFull, message: "no space is left")

    @Test("P-24, P-25: a mark that cannot be written locks, and every observer is told")
    func markLost() async throws {
        try await bench.service().set(SecretBytes("834912"))
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        let observers = [await session.states(), await session.states()]
        store.failNext(.write, with: diskFull)
        await session.phaseChanged(to: .background)
        #expect(await session.state.cover == .lockScreen)
        #expect(await session.failure?.code == .store)
        for observer in observers {
            var covers: [LockCover] = []
            for await state in observer {
                covers.append(state.cover)
                if state.isLocked { break }
            }
            #expect(covers == [.none, .obscured, .lockScreen])
        }
    }

    @Test("P-5: a read that fails locks and is told as a failure, until one goes well")
    func failure() async throws {
        try await bench.service().set(SecretBytes("834912"))
        let quiet = QuietStore(bench.storage, capabilities: .signalsOwnChanges, isStreamOpen: true)
        let store = FailingSecretStore(quiet)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        #expect(await session.failure == nil)
        // The mark of the lock that follows can be neither read nor written.
        for _ in 0..<2 { store.failNext(.read, with: diskFull) }
        await session.passcodeChanged()
        #expect(await session.state.isLocked)
        #expect(await session.failure?.code == .store)
        await session.passcodeChanged()
        #expect(await session.failure == nil)
        #expect(await session.state.isLocked, "no news opens anything")
    }

    @Test(
        "P-5: an error that shows a record tells that a passcode was set",
        arguments: [
            (SecretStoreError.Code.damaged, true), (.newerFormat, true), (.systemFailure, false),
            (.lockTimeout, false),
        ]
    )
    func foundByError(code: SecretStoreError.Code, isFound: Bool) async throws {
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        store.failNext(.read, with: SecretStoreError(code: code, message: "not readable"))
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        #expect(await session.state.isLocked)
        #expect(await session.hasFoundPasscode == isFound)
    }

    @Test("P-5: every answer to a try but one tells that a passcode was set, while the session is locked")
    func foundByTry() async throws {
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        store.failNext(.read, with: SecretStoreError(code: .systemFailure, message: "not readable"))
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        #expect(await session.state.isLocked)
        await session.passcodeTried(.notSet)
        #expect(await !session.hasFoundPasscode)
        await session.passcodeTried(.wrong(failures: 1, retryAfter: .zero))
        #expect(await session.hasFoundPasscode)
        await session.passcodeChanged()
        #expect(await !session.state.isLocked)
        await session.passcodeTried(.wrong(failures: 2, retryAfter: .zero))
        #expect(await !session.hasFoundPasscode, "a read has found that it is gone")
    }

    @Test(
        "P-22: a lock that comes from an unreadable record at launch outlives the process",
        arguments: [1, 2]
    )
    func unreadableAtLaunch(failures: Int) async throws {
        try await bench.service().set(SecretBytes("834912"))
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        // With the second failure, the first write of the mark fails too.
        for _ in 0..<failures { store.failNext(.read, with: diskFull) }
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        #expect(await session.state.isLocked)
        if failures == 2 {
            await bench.clock.waitForSleepers(1)
            await bench.clock.advance(by: .seconds(1))
        }
        try await BoundedWait.until { try await bench.service().status().lock.isLocked }
        let later = LockSession(service: try bench.service())
        await later.launch()
        #expect(await later.state.isLocked)
    }

    @Test("P-22: without a passcode an unreadable store at launch leaves nothing behind")
    func unreadableWithoutPasscode() async throws {
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        store.failNext(.read, with: diskFull)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        #expect(await session.state.isLocked)
        await session.passcodeChanged()
        #expect(await !session.state.isLocked)
        #expect(try await bench.record() == nil)
    }

    @Test("P-9: a passcode counts as lost only if the session was locked when it was found to be gone")
    func lost() async throws {
        try await bench.service().set(SecretBytes("834912"))
        let quiet = QuietStore(bench.storage, capabilities: .signalsOwnChanges, isStreamOpen: true)
        let store = FailingSecretStore(quiet)
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        try await bench.service().clearAll()
        await session.passcodeChanged()
        store.failNext(.read, with: diskFull)
        await session.passcodeChanged()
        #expect(await session.state.isLocked)
        await session.passcodeChanged()
        #expect(await !session.state.isLocked)
        #expect(await !session.hasLostPasscode, "it was gone before the session locked")

        try await bench.service().set(SecretBytes("834912"))
        await session.passcodeChanged()
        await session.lock()
        #expect(await session.state.isLocked)
        try await bench.service().clearAll()
        for _ in 0..<2 { await session.passcodeChanged() }
        #expect(await !session.state.isLocked)
        #expect(await session.hasLostPasscode, "a second read does not reset it")
    }

    @Test("P-9: only a proof for the lock that lost its passcode makes up for it")
    func proofForLost() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes("834912"))
        let quiet = QuietStore(bench.storage, capabilities: .signalsOwnChanges, isStreamOpen: true)
        let session = LockSession(service: try bench.service(store: quiet))
        await session.launch()
        await session.lock()
        let lost = await session.state.generation
        try await service.clearAll()
        await session.passcodeChanged()
        #expect(await session.hasLostPasscode)

        let proof = try await service.set(SecretBytes("275049"))
        await session.passcodeChanged()
        await session.lock()
        let later = await session.state.generation
        #expect(later != lost)
        #expect(await session.unlock(with: proof, generation: later))
        #expect(await session.hasLostPasscode, "the proof is for a later lock")
        #expect(await session.unlock(with: proof, generation: lost), "it is open already")
        #expect(await !session.hasLostPasscode)
    }

    @Test("P-5: a mark that is written after all clears the failure")
    func markWritten() async throws {
        try await bench.service().set(SecretBytes("834912"))
        let store = FailingSecretStore(
            QuietStore(bench.storage, capabilities: .signalsOwnChanges, isStreamOpen: true)
        )
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        store.failNext(.write, with: diskFull)
        await session.lock()
        #expect(await session.failure?.code == .store)
        await session.phaseChanged(to: .background)
        #expect(await session.failure == nil)
    }

    @Test("P-22, P-24: a lock whose mark could not be written is written again, and outlasts the process")
    func writtenAgain() async throws {
        try await bench.service().set(SecretBytes("834912"))
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        for _ in 0..<3 { store.failNext(.write, with: diskFull) }
        await session.lock()
        #expect(await session.state.isLocked)
        #expect(try await !bench.service().status().lock.isLocked)
        for seconds in [1, 2, 4] {
            #expect(await session.failure?.code == .store)
            await bench.clock.waitForSleepers(1)
            await bench.clock.advance(by: .seconds(seconds) - .milliseconds(1))
            #expect(bench.clock.sleeperCount == 1)
            await bench.clock.advance(by: .milliseconds(1))
        }
        try await BoundedWait.until("the mark to be written") { await session.failure == nil }
        #expect(bench.clock.sleeperCount == 0)
        let relaunched = LockSession(service: try bench.service())
        await relaunched.launch()
        #expect(await relaunched.state.isLocked)
    }

    @Test("P-22: a mark of a passcode that was removed meanwhile is not written again")
    func notWrittenAgain() async throws {
        try await bench.service().set(SecretBytes("834912"))
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let session = LockSession(service: try bench.service(store: store))
        await session.launch()
        store.failNext(.write, with: diskFull)
        await session.lock()
        await bench.clock.waitForSleepers(1)
        try await session.logOut()
        await bench.clock.advance(by: .seconds(60))
        try await BoundedWait.until("the end of the wait") { bench.clock.sleeperCount == 0 }
        #expect(try await !bench.service().status().isSet)
    }

    @Test("P-7: while a delay runs, the session itself notes the time served each minute")
    func notes() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes("834912"))
        for _ in 0..<5 { _ = try await service.verify(SecretBytes("270954")) }
        await bench.clock.advance(by: .seconds(60))
        let session = LockSession(service: service)
        await session.launch()
        let answer = try await service.verify(SecretBytes("270954"))
        guard case .wrong(6, .seconds(300)) = answer else {
            Issue.record("\(answer)")
            return
        }
        await session.passcodeTried(answer)
        var version = try await bench.record()?.version
        for minute in 1...4 {
            await bench.clock.waitForSleepers(1)
            await bench.clock.advance(by: .seconds(59))
            #expect(try await bench.record()?.version == version, "minute \(minute): too early")
            await bench.clock.advance(by: .seconds(1))
            try await BoundedWait.until { try await bench.record()?.version != version }
            version = try await bench.record()?.version
        }
        await bench.clock.reboot()
        #expect(try await bench.service().status().retryAfter == .seconds(60), "only what was not served")
    }

    @Test("P-7: a delay that was found at the start is noted as well, and a right passcode ends the notes")
    func noteAtStart() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes("834912"))
        for _ in 0..<5 { _ = try await service.verify(SecretBytes("270954")) }
        await bench.clock.advance(by: .seconds(60))
        _ = try await service.verify(SecretBytes("270954"))
        let session = LockSession(service: service)
        await session.launch()
        let version = try await bench.record()?.version
        await bench.clock.waitForSleepers(1)
        await bench.clock.advance(by: .seconds(60))
        try await BoundedWait.until { try await bench.record()?.version != version }
        await bench.clock.advance(by: .seconds(240))
        let answer = try await service.verify(SecretBytes("834912"))
        #expect(answer.isRight)
        await session.passcodeTried(answer)
        let cleared = try await bench.record()?.version
        await bench.clock.advance(by: .seconds(600))
        #expect(try await bench.record()?.version == cleared)
    }

    @Test("P-14: a proof about another user unlocks nothing")
    func foreignProof() async throws {
        try await bench.service().set(SecretBytes("834912"))
        let session = LockSession(service: try bench.service())
        await session.launch()
        await session.lock()
        let proof = try await bench.service(.bob).set(SecretBytes("834912"))
        #expect(await !session.unlock(with: proof, generation: session.state.generation))
        #expect(await session.state.isLocked)
    }
}
