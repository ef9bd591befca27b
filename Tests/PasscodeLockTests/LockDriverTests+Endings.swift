import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

// How a lock ends: with the right passcode, a sign-out, or the loss of the passcode.
extension LockDriverTests {
    @Test("P-9: a host learns that the passcode is gone, and whether the person signed out here")
    func endings() async throws {
        let desk = try await locked()
        try await bench.service().clearAll()
        await desk.session.passcodeChanged()
        await desk.update()
        #expect(await desk.cover == .none)
        #expect(await desk.ending == .disarmed)

        let other = try await locked()
        await other.activate(.forgot)
        await other.activate(.logOut)
        try await BoundedWait.until("it signs out") { await other.ending != nil }
        #expect(await other.ending == .signedOut)
        #expect(await other.cover == .none)
        #expect(await other.log.isEmpty)
    }

    @Test("P-5, P-9: only a lock that has lost its passcode is told as disarmed, also if no screen was shown")
    func losses() async throws {
        try await bench.service().set(SecretBytes(right))
        let quiet = QuietStore(bench.storage, capabilities: .signalsOwnChanges, isStreamOpen: true)
        let store = FailingSecretStore(quiet)
        let desk = Desk(try bench.service(store: store))
        await desk.start()
        await desk.session.lock()
        try await bench.service().clearAll()
        await desk.session.passcodeChanged()
        await desk.update()
        #expect(await desk.cover == .none)
        #expect(await desk.ending == .disarmed, "the driver has not seen the lock")

        store.failNext(.read, with: SecretStoreError(code: .systemFailure, message: "not readable"))
        await desk.session.passcodeChanged()
        await desk.update()
        #expect(await desk.cover == .lockScreen)
        await desk.session.passcodeChanged()
        await desk.update()
        #expect(await desk.cover == .none)
        #expect(await desk.ending == nil, "there was no passcode")
    }

    @Test(
        "P-51, P-9: the right passcode of a lock that was switched off elsewhere unlocks",
        arguments: [true, false]
    )
    func switchedOffElsewhere(_ isRight: Bool) async throws {
        let accounts = AccountBench()
        var device = accounts.device()
        let sealer = FastPasscodeSealer()
        device.sealer = sealer
        let service = try device.service()
        try await service.set(.first)
        let desk = Desk(service)
        await desk.start()
        await desk.lock()
        accounts.server.removePasscode()
        _ = try await device.service().synchronise()
        await desk.update()
        #expect(await desk.cover == .lockScreen)
        // The check removes the record. The session reads that while the host prepares.
        await desk.whilePreparing { [unowned desk] in
            await desk.session.passcodeChanged()
            await desk.update()
        }
        if isRight {
            await desk.type("834912")
        } else {
            // The removal comes from another session while a wrong passcode is checked.
            sealer.gate.close()
            await desk.type("270954")
            await sealer.gate.waitForHeld(1)
            try await device.service().clearAll()
            await desk.session.passcodeChanged()
            await desk.update()
            #expect(await desk.cover == .lockScreen)
            sealer.gate.open()
        }
        try await BoundedWait.until { await desk.ending != nil }
        #expect(await desk.ending == (isRight ? .unlocked : .disarmed))
        #expect(await desk.cover == .none)
    }

    @Test("P-7: a lock that leaves the action of the limit to another process stays shut, and says so")
    func limitDue() async throws {
        var bench = bench
        bench.configuration.throttle = .unlimited.afterFailures(1, .signOut)
        bench.configuration.carriesOutLimitAction = false
        try await bench.service().set(SecretBytes(right))
        let desk = Desk(try bench.service())
        await desk.start()
        await desk.lock()
        await desk.type("270954")
        try await BoundedWait.until("a message") {
            await desk.content?.message?.text == PasscodeStrings.english.limitDue
        }
        #expect(await desk.cover == .lockScreen)
        #expect(await desk.content?.isBusy == false)
    }

    @Test("P-51, P-31: a restart asks for a passcode that was switched off elsewhere in its own format")
    func switchedOffBeforeRestart() async throws {
        let accounts = AccountBench()
        var device = accounts.device()
        let service = try device.service()
        try await service.set(.first)
        let earlier = LockSession(service: service)
        await earlier.launch()
        await earlier.lock()
        accounts.server.removePasscode()
        #expect(try await service.synchronise()?.notices == [.switchedOffElsewhere])
        // As a later version of the app, which has another format for new passcodes.
        device.configuration.format = .digits(4)
        let desk = Desk(try device.service())
        await desk.start()
        #expect(await desk.content?.entry?.style == .dots(count: 6))
        await desk.type("834912")
        try await BoundedWait.until("it opens") { await desk.cover == .none }
        #expect(await desk.ending == .unlocked)
    }

    @Test("P-33: a sign-out by the host while a proof is prepared ends the lock screen")
    func signedOutMeanwhile() async throws {
        let desk = try await locked()
        await bench.host.onSignOut { [unowned desk] in await desk.update() }
        await desk.whilePreparing { [unowned desk] in
            try? await desk.session.logOut()
            await desk.update()
        }
        await desk.type(right)
        try await BoundedWait.until { await desk.ending != nil }
        #expect(await desk.cover == .none)
    }

    @Test("P-33: after signing out has failed, the right passcode opens")
    func failedSignOut() async throws {
        try await bench.service().set(SecretBytes(right))
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let desk = Desk(try bench.service(store: store))
        await desk.start()
        await desk.lock()
        // What is shown while signing out is looked at meanwhile.
        await bench.host.onSignOut { [unowned desk] in await desk.update() }
        store.failNext(.remove, with: SecretStoreError(code: .lockTimeout, message: "in use"))
        await desk.activate(.forgot)
        await desk.activate(.logOut)
        try await BoundedWait.until("it says why") { await desk.content?.message != nil }
        await desk.type(right)
        try await BoundedWait.until("it opens") { await desk.cover == .none }
        #expect(await desk.ending == .unlocked)
    }
}
