import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Counting tries (P-6, P-7)")
struct PasscodeCountingTests {
    private let right = SecretBytes("834912")
    private let wrong = SecretBytes("270954")
    private let other = SecretBytes("619283")

    @Test("P-6: the count is durable before the derivation starts")
    func countsFirst() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        bench.sealer.gate.close()
        let attempt = Task { try await service.verify(right) }
        await bench.sealer.gate.waitForHeld(1)
        // What another process sees, and what a kill at this instant leaves.
        #expect(try await bench.service().status().failures == 1)
        bench.sealer.gate.open()
        #expect(try await attempt.value.isRight)
        #expect(try await service.status().failures == 0)
    }

    @Test("P-6: a store that cannot write means no try")
    func noCountNoTry() async throws {
        let bench = Bench()
        try await bench.service().set(right)
        let derivations = bench.sealer.derivations
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "no space is left"))
        let service = try bench.service(store: store)
        #expect(
            await code { () async throws(PasscodeError) in _ = try await service.verify(right) } == .store
        )
        #expect(bench.sealer.derivations == derivations)
    }

    @Test("P-6: a sealer that fails leaves the try counted")
    func sealerFails() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        bench.sealer.failNext(PasscodeSealerError(code: .outOfMemory, message: "no memory"))
        #expect(
            await code { () async throws(PasscodeError) in _ = try await service.verify(right) } == .sealer
        )
        #expect(try await service.status().failures == 1)
    }

    @Test("P-6: wrong tries of many at once count each")
    func concurrent() async throws {
        var bench = Bench()
        bench.configuration.throttle = .unlimited
        try await bench.service().set(right)
        let services = try (0..<8).map { _ in try bench.service() }
        await withTaskGroup(of: Void.self) { group in
            for service in services {
                group.addTask {
                    for _ in 0..<25 { _ = try? await service.verify(SecretBytes("270954")) }
                }
            }
        }
        #expect(try await bench.service().status().failures == 200)
    }

    @Test("P-6: with many at once, no more tries are made than the delays allow")
    func concurrentThrottled() async throws {
        let bench = Bench()
        try await bench.service().set(right)
        let derivations = bench.sealer.derivations
        let services = try (0..<20).map { _ in try bench.service() }
        await withTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { _ = try? await service.verify(SecretBytes("270954")) } }
        }
        #expect(bench.sealer.derivations - derivations == 5)
        #expect(try await bench.service().status().failures == 5)
    }

    @Test("P-6: every prompt that takes a passcode goes through the same count")
    func oneDoor() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.verify(wrong)
        _ = try await service.change(from: wrong, to: other)
        _ = try await service.remove(wrong)
        _ = try await service.enableBiometrics(wrong)
        #expect(try await service.status().failures == 4)
    }

    @Test("P-6: a passcode changed by another process while one is derived proves nothing any more")
    func changedMeanwhile() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        bench.sealer.gate.close()
        let attempt = Task { try await service.verify(right) }
        await bench.sealer.gate.waitForHeld(1)
        try await bench.overwriteWithPasscode(other)
        bench.sealer.gate.open()
        #expect(try await attempt.value.isRight == false)
    }

    @Test("P-7: while throttled nothing is derived or counted, and the time left is told")
    func throttled() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        for failure in 1...4 {
            guard case .wrong(failure, .zero) = try await service.verify(wrong) else {
                Issue.record("failure \(failure) should have no delay")
                return
            }
        }
        guard case .wrong(5, .seconds(60)) = try await service.verify(wrong) else {
            Issue.record("the fifth failure should have a delay of a minute")
            return
        }
        let derivations = bench.sealer.derivations
        await bench.clock.advance(by: .seconds(20))
        guard case .throttled(.seconds(40)) = try await service.verify(right) else {
            Issue.record("a throttled verify should say how long to wait")
            return
        }
        #expect(bench.sealer.derivations == derivations)
        #expect(try await service.status().failures == 5)
        await bench.clock.advance(by: .seconds(40))
        #expect(try await service.verify(right).isRight)
        #expect(try await service.status().failures == 0)
    }

    @Test("P-7: the delay outlives the process and a reboot, and only what was not served is repeated")
    func reboot() async throws {
        let bench = Bench()
        try await bench.service().set(right)
        for _ in 0..<5 { _ = try await bench.service().verify(wrong) }
        await bench.clock.reboot(downtime: .seconds(3600))
        guard case .throttled(.seconds(60)) = try await bench.service().verify(right) else {
            Issue.record("a reboot must not shorten the delay")
            return
        }
        await bench.clock.advance(by: .seconds(60))
        #expect(try await bench.service().verify(right).isRight)
    }

    @Test("P-7: setting the wall clock gains nothing")
    func wallClock() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        for _ in 0..<5 { _ = try await service.verify(wrong) }
        await bench.clock.setWall(bench.clock.now.wall + .seconds(1_000_000))
        guard case .throttled(.seconds(60)) = try await service.verify(right) else {
            Issue.record("moving the clock shortened the delay")
            return
        }
    }

    @Test("P-7: unlimited never locks out")
    func unlimited() async throws {
        var bench = Bench()
        bench.configuration.throttle = .unlimited
        let service = try bench.service()
        try await service.set(right)
        for _ in 0..<50 { _ = try await service.verify(wrong) }
        #expect(try await service.status().retryAfter == .zero)
        #expect(try await service.verify(right).isRight)
    }

    @Test("P-7: erase removes the named secrets, signs out, then removes the passcode")
    func erase() async throws {
        var bench = Bench()
        let vault = try SecretNamespace("vault")
        bench.configuration.throttle = .unlimited.afterFailures(3, .erase)
        bench.configuration.secretsToErase = [vault]
        let store = InMemorySecretStore(bench.storage)
        let (named, kept) = (try SecretName("a", in: vault), try SecretName("a", in: SecretNamespace("rest")))
        for name in [named, kept] {
            try await store.write(SecretBytes("x"), to: name, accessibility: .whenUnlocked)
        }
        let service = try bench.service()
        try await service.set(right)
        await bench.host.onSignOut {
            let left = try? await store.read(PasscodeNames.record(of: .ada))
            #expect(left != nil, "the passcode goes last: a kill here must leave the app locked")
        }
        _ = try await service.verify(wrong)
        _ = try await service.verify(wrong)
        guard case .limitReached(.erase) = try await service.verify(wrong) else {
            Issue.record("the third failure should erase")
            return
        }
        #expect(try await store.read(named) == nil)
        #expect(try await store.read(kept) != nil)
        #expect(await bench.host.signedOut == [.ada])
        #expect(try await bench.record() == nil)
    }

    @Test(
        "P-7: what can be erased is, and the person is signed out; the next try erases the rest",
        arguments: [SecretStoreErrorCode.damaged, .classLocked, .newerFormat, .rolledBack]
    )
    func erasePartly(_ code: SecretStoreErrorCode) async throws {
        var bench = Bench()
        let (vault, attic) = (try SecretNamespace("vault"), try SecretNamespace("attic"))
        bench.configuration.throttle = .unlimited.afterFailures(1, .erase)
        bench.configuration.secretsToErase = [vault, attic]
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let names = try ["a", "b"].map { try SecretName($0, in: vault) } + [try SecretName("a", in: attic)]
        for name in names {
            try await store.write(SecretBytes("x"), to: name, accessibility: .whenUnlocked)
        }
        let service = try bench.service(store: store)
        try await service.set(right)
        store.failNext(.remove, with: SecretStoreError(code: code, message: "the item cannot be read"))
        await #expect(throws: PasscodeError.self) { try await service.verify(wrong) }
        #expect(await bench.host.signedOut == [.ada])
        #expect(try await store.names(in: vault) == [names[0]])
        #expect(try await store.names(in: attic).isEmpty)
        #expect(try await bench.record() != nil, "the limit still holds")
        await bench.clock.advance(by: .seconds(60))
        guard case .limitReached(.erase) = try await service.verify(right) else {
            Issue.record("the rest was not erased")
            return
        }
        #expect(try await store.names(in: vault).isEmpty)
        #expect(try await bench.record() == nil)
    }

    @Test("P-7: a store that cannot be written ends the erasing at once, and the person is signed out")
    func eraseNothing() async throws {
        var bench = Bench()
        let vault = try SecretNamespace("vault")
        bench.configuration.throttle = .unlimited.afterFailures(1, .erase)
        bench.configuration.secretsToErase = [vault]
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        for name in ["a", "b"] {
            let name = try SecretName(name, in: vault)
            try await store.write(SecretBytes("x"), to: name, accessibility: .whenUnlocked)
        }
        let service = try bench.service(store: store)
        try await service.set(right)
        store.failNext(.remove, with: SecretStoreError(code: .lockTimeout, message: "in use"))
        await #expect(throws: PasscodeError.self) { try await service.verify(wrong) }
        #expect(await bench.host.signedOut == [.ada])
        #expect(try await store.names(in: vault).count == 2)
    }

    @Test("P-7: a process killed between the last failure and the action leaves the action to the next")
    func interruptedLimit() async throws {
        var bench = Bench()
        bench.configuration.throttle = .unlimited.afterFailures(2, .signOut)
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.verify(wrong)
        bench.sealer.failNext(PasscodeSealerError(code: .systemFailure, message: "killed"))
        _ = try? await service.verify(wrong)
        let derivations = bench.sealer.derivations
        await bench.clock.advance(by: .seconds(60))
        guard case .limitReached(.signOut) = try await bench.service().verify(right) else {
            Issue.record("the action was forgotten")
            return
        }
        #expect(bench.sealer.derivations == derivations)
    }

    @Test("P-7: the try that reaches the limit has a minute in which no other one is made and none acts")
    func lastTry() async throws {
        for policy in [ThrottlePolicy.escalating, .escalating.measured(by: .server)] {
            var bench = Bench()
            bench.configuration.throttle = policy.afterFailures(2, .signOut)
            let service = try bench.service()
            try await service.set(right)
            _ = try await service.verify(wrong)
            bench.sealer.failNext(PasscodeSealerError(code: .systemFailure, message: "killed"))
            _ = try? await service.verify(wrong)
            let derivations = bench.sealer.derivations
            for left in [60, 1] {
                guard case .throttled(.seconds(left)) = try await bench.service().verify(right) else {
                    Issue.record("a further try was made")
                    return
                }
                await bench.clock.advance(by: .seconds(left == 60 ? 59 : 1))
            }
            #expect(await bench.host.signedOut.isEmpty)
            guard case .limitReached(.signOut) = try await bench.service().verify(right) else {
                Issue.record("the action was forgotten")
                return
            }
            #expect(bench.sealer.derivations == derivations)
        }
    }

    @Test("P-7: where the last try must be over, as in another boot or by a wrong clock, the action is due")
    func lastTryIsOver() async throws {
        for authority in [ThrottlePolicy.Authority.device, .server] {
            var bench = Bench()
            bench.configuration.throttle = .unlimited.afterFailures(1, .signOut).measured(by: authority)
            let service = try bench.service()
            try await service.set(right)
            bench.sealer.failNext(PasscodeSealerError(code: .systemFailure, message: "killed"))
            _ = try? await service.verify(wrong)
            let wall = bench.clock.now.wall
            await bench.clock.setWall(wall - .seconds(60))
            guard case .throttled(.seconds(60)) = try await bench.service().verify(right) else {
                Issue.record("a clock that is set has ended the try")
                return
            }
            if authority == .device {
                await bench.clock.reboot(downtime: .zero)
            } else {
                await bench.clock.setWall(wall - .seconds(61))
            }
            guard case .limitReached(.signOut) = try await bench.service().verify(right) else {
                Issue.record("the action was forgotten")
                return
            }
        }
    }

    @Test("P-7: a right passcode at the limit is right, whatever is tried while it is derived")
    func rightAtLimit() async throws {
        var bench = Bench()
        bench.configuration.throttle = .unlimited.afterFailures(2, .signOut)
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.verify(wrong)
        bench.sealer.gate.close()
        let attempt = Task { try await service.verify(right) }
        await bench.sealer.gate.waitForHeld(1)
        guard case .throttled(.seconds(60)) = try await bench.service().verify(wrong) else {
            Issue.record("another try took the action")
            return
        }
        bench.sealer.gate.open()
        #expect(try await attempt.value.isRight)
        #expect(try await service.status().failures == 0)
        #expect(await bench.host.signedOut.isEmpty)
    }

    @Test(
        "P-7: a wrong passcode at the limit takes no action after a right one has cleared the count, or the record",
        arguments: [false, true]
    )
    func clearedMeanwhile(isRemoval: Bool) async throws {
        var bench = Bench()
        bench.configuration.throttle = .unlimited.afterFailures(2, .signOut)
        try await bench.service().set(right)
        let sealer = FastPasscodeSealer()
        let elsewhere = try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: InMemorySecretStore(bench.storage),
                sealer: sealer,
                clock: bench.clock
            ),
            session: bench.host,
            configuration: bench.configuration
        )
        bench.sealer.gate.close()
        sealer.gate.close()
        let first = Task { [bench] in
            let service = try bench.service()
            return try await isRemoval ? service.remove(right) : service.verify(right)
        }
        await bench.sealer.gate.waitForHeld(1)
        let second = Task { try await elsewhere.verify(wrong) }
        await sealer.gate.waitForHeld(1)
        bench.sealer.gate.open()
        #expect(try await first.value.isRight)
        sealer.gate.open()
        switch try await second.value {
        case .wrong(0, .zero) where !isRemoval: #expect(try await bench.service().verify(right).isRight)
        case .notSet where isRemoval: break
        case let other: Issue.record("\(other)")
        }
        #expect(await bench.host.signedOut.isEmpty)
    }
}

extension Bench {
    /// Sets another passcode as another process would, past the gate of this one's sealer.
    fileprivate func overwriteWithPasscode(_ passcode: SecretBytes) async throws {
        try await InMemorySecretStore(storage).remove(PasscodeNames.record(of: .ada))
        let elsewhere = try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: InMemorySecretStore(storage),
                sealer: FastPasscodeSealer(),
                clock: clock
            ),
            session: host,
            configuration: configuration
        )
        try await elsewhere.set(passcode)
    }
}
