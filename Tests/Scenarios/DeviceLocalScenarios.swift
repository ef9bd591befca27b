import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// SPEC 1.7, device-local: one test per scenario, by its name there.
@MainActor
@Suite("Scenarios, device-local (SPEC 1.7)", .timeLimit(.minutes(5)))
struct DeviceLocalScenarios {
    private func app(passcode: String? = "834912") async throws -> App {
        let app = try App()
        if let passcode { try await app.service.set(SecretBytes(passcode)) }
        await app.launch()
        return app
    }

    @Test("P-20, P-21: lock after 10 s away with the 5 s preset")
    func locksAfterTenSeconds() async throws {
        let app = try await app()
        #expect(!app.isLocked)
        await app.leave(for: .seconds(10))
        #expect(app.isLocked)
        #expect(app.content?.title == "Enter Passcode")
    }

    @Test("P-20: no lock after 2 s")
    func noLockAfterTwoSeconds() async throws {
        let app = try await app()
        await app.leave(for: .seconds(2))
        #expect(!app.isLocked)
        #expect(app.lock.cover == .none)
    }

    @Test("P-5: no lock when no passcode")
    func noLockWithoutPasscode() async throws {
        let app = try await app(passcode: nil)
        await app.leave(for: .seconds(3600))
        #expect(!app.isLocked)
    }

    @Test("P-32: right passcode unlocks")
    func rightPasscodeUnlocks() async throws {
        let app = try await app()
        await app.leave(for: .seconds(10))
        try await app.enter("834912")
        try await app.settle("unlocked") { app.lock.cover == .none }
        #expect(app.lock.lockScreen == nil)
    }

    @Test("P-32: wrong passcode: shake, cleared, error")
    func wrongPasscode() async throws {
        let app = try await app()
        await app.leave(for: .seconds(10))
        try await app.enter("270954")
        #expect(app.isLocked)
        #expect(app.content?.shakes == 1)
        #expect(app.content?.entry?.filled == 0)
        #expect(app.content?.message?.text == "Incorrect passcode")
    }

    @Test("P-7, P-32: three wrong in a row: each the same, no lock-out yet")
    func threeWrong() async throws {
        let app = try await app()
        await app.leave(for: .seconds(10))
        for shakes in 1...3 {
            try await app.enter("270954")
            #expect(app.content?.shakes == shakes)
            #expect(app.content?.message?.text == "Incorrect passcode")
            #expect(app.content?.pad?.isEnabled == true)
        }
        try await app.enter("834912")
        try await app.settle("unlocked") { !app.isLocked }
    }

    @Test("P-32: the fifth wrong one locks the pad for a minute, counting down, also over a relaunch")
    func fifthWrong() async throws {
        let app = try await app()
        await app.leave(for: .seconds(10))
        for _ in 0..<5 { try await app.enter("270954") }
        #expect(app.content?.message?.text == "Try again in 1 min")
        try await app.relaunch()
        #expect(app.content?.message?.text == "Try again in 1 min")
        #expect(app.content?.pad?.isEnabled == false)
        for left in (0..<60).reversed() {
            await app.clock.advance(by: .seconds(1))
            let text = left == 0 ? nil : "Try again in \(left) s"
            try await app.settle("\(left) s left") { app.content?.message?.text == text }
        }
        #expect(app.content?.pad?.isEnabled == true)
    }

    @Test("P-24, P-33: forgot → logout: passcode removed, signed out, login shown, content never uncovered")
    func forgotLogout() async throws {
        let app = try await app()
        await app.leave(for: .seconds(10))
        await app.host.hold()
        app.activate(.forgot)
        #expect(app.content?.alert?.actions.map(\.title) == ["Cancel", "Logout"])
        app.activate(.logOut)
        try await app.settle("signing out") { app.lock.cover == .signingOut }
        #expect(await app.host.signedOut.isEmpty)
        await app.host.release()
        try await app.settle("signed out") { !app.isLocked }
        #expect(await app.host.signedOut == [.ada])
        #expect(await app.host.current == nil, "the host shows its login")
        #expect(try await app.service.status().isSet == false)
        #expect(app.covers.suffix(2) == [.signingOut, .none], "nothing was uncovered before that")
    }

    @Test("P-22: killed while unlocked and relaunched: not locked")
    func killedUnlocked() async throws {
        let app = try await app()
        await app.leave(for: .seconds(10))
        try await app.enter("834912")
        try await app.settle("unlocked") { !app.isLocked }
        try await app.relaunch()
        #expect(!app.isLocked)
    }

    @Test("P-22: killed while locked and relaunched: locked")
    func killedLocked() async throws {
        let app = try await app()
        await app.leave(for: .seconds(10))
        try await app.relaunch()
        #expect(app.isLocked)
        #expect(app.lock.lockScreen != nil)
    }

    @Test("P-22: killed in the background: locked only when away for the timeout")
    func killedInBackground() async throws {
        let app = try await app()
        await app.lock.phaseChanged(to: .background)
        await app.clock.advance(by: .seconds(3))
        try await app.relaunch()
        #expect(!app.isLocked)
        await app.lock.phaseChanged(to: .background)
        await app.clock.advance(by: .seconds(5))
        try await app.relaunch()
        #expect(app.isLocked)
    }

    @Test("P-20: the machine restarted while the app was in the background: locked")
    func restarted() async throws {
        let app = try await app()
        await app.lock.phaseChanged(to: .background)
        await app.clock.reboot(downtime: .seconds(1))
        try await app.relaunch()
        #expect(app.isLocked)
    }

    @Test("P-1, P-2: set \"123456\" → enabled, sealed key stored")
    func set123456() async throws {
        let app = try await app(passcode: "123456")
        let status = try await app.service.status()
        #expect(status.isSet && status.isEnabled)
        let store = InMemorySecretStore(app.storage)
        let stored = try await store.read(PasscodeNames.record(of: .ada))
        let text = stored!.value.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        #expect(text.contains("\"sealed\""))
        #expect(!text.contains("123456"))
    }

    @Test("P-1: verify right true, wrong false")
    func verify() async throws {
        let app = try await app()
        #expect(try await app.service.verify(SecretBytes("834912")).isRight)
        #expect(try await !app.service.verify(SecretBytes("270954")).isRight)
    }

    @Test("P-3: remove → nothing left in the store")
    func remove() async throws {
        let app = try await app()
        _ = try await app.service.remove(SecretBytes("834912"))
        let store = InMemorySecretStore(app.storage)
        #expect(try await store.names(in: PasscodeNames.records).isEmpty)
        #expect(try await store.names(in: PasscodeNames.asked).isEmpty)
    }

    @Test("P-9: full logout clears")
    func fullLogout() async throws {
        let app = try await app()
        try await app.service.clearAll()
        try await app.relaunch()
        await app.leave(for: .seconds(3600))
        #expect(!app.isLocked)
        #expect(try await app.service.status().isSet == false)
    }

    @Test("P-30, P-31: pad digits 0–9 and delete reach the model, dots fill")
    func padReachesModel() async throws {
        let app = try await app()
        await app.leave(for: .seconds(10))
        for row in NumberPad.rows {
            for key in row {
                guard case .digit(let digit) = key else { continue }
                app.lock.lockScreen?.send(.digit(digit))
                #expect(app.content?.entry?.filled == 1)
                app.lock.lockScreen?.send(.delete)
                #expect(app.content?.entry?.filled == 0)
            }
        }
        for count in 1...5 {
            app.type("9")
            #expect(app.content?.entry?.filled == count)
        }
    }

    @Test("P-23: no activity for ten minutes locks")
    func idle() async throws {
        let app = try App { $0.idleTimeout = .seconds(600) }
        try await app.service.set(SecretBytes("834912"))
        await app.launch()
        await app.clock.waitForSleepers(1)
        await app.clock.advance(by: .seconds(599))
        await app.lock.session.personWasActive()
        await app.clock.advance(by: .seconds(599))
        #expect(!app.isLocked)
        await app.clock.advance(by: .seconds(1))
        try await app.settle("locked") { app.isLocked }
    }

    @Test("P-5: a damaged record locks, says so, and logging out is the way out")
    func damagedRecord() async throws {
        let app = try await app()
        try await InMemorySecretStore(app.storage).write(
            SecretBytes("garbage"),
            to: PasscodeNames.record(of: .ada),
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
        try await app.relaunch()
        #expect(app.isLocked)
        #expect(app.content?.message != nil)
        app.activate(.forgot)
        app.activate(.logOut)
        try await app.settle("out") { !app.isLocked }
        #expect(await app.host.signedOut == [.ada])
    }

    @Test("P-25: fast flips between foreground and background open no gap")
    func flips() async throws {
        let app = try await app()
        await app.leave(for: .seconds(10))
        for _ in 0..<50 {
            await app.leave(for: .zero)
            #expect(app.isLocked)
        }
        let sinceLocked = app.covers.drop { $0 != .lockScreen }
        #expect(!sinceLocked.isEmpty && sinceLocked.allSatisfy { $0 == .lockScreen })
    }

    @Test("P-24: several observers see the same order of changes")
    func observers() async throws {
        let app = try await app()
        let streams = [await app.lock.session.states(), await app.lock.session.states()]
        await app.leave(for: .seconds(10))
        try await app.enter("834912")
        try await app.settle("unlocked") { !app.isLocked }
        var seen: [[LockState]] = []
        for stream in streams {
            var states: [LockState] = []
            for await state in stream {
                states.append(state)
                if state.cover == .none, state.revision > 0 && states.count > 1 { break }
            }
            seen.append(states)
        }
        #expect(seen[0] == seen[1])
        #expect(seen[0].map(\.cover) == [.none, .obscured, .obscured, .lockScreen, .none])
    }

    @Test("P-20: a passcode set or removed while the app runs counts from that moment")
    func setWhileRunning() async throws {
        let app = try await app(passcode: nil)
        try await app.service.set(SecretBytes("834912"))
        // The store's signal is on its way; there is nothing to see of it but that leaving begins to lock.
        for _ in 0..<1000 where !app.isLocked { await app.leave(for: .seconds(10)) }
        #expect(app.isLocked)
        // Another process removes it, with the passcode.
        _ = try await app.service.remove(SecretBytes("834912"))
        try await app.settle("nothing is left to lock with") { !app.isLocked }
    }
}
