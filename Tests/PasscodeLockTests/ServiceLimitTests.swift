import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What a passcode service refuses, and the work that it saves (P-1 … P-13)")
struct ServiceLimitTests {
    private let bench = Bench()
    private let right = SecretBytes("834912")

    @Test("P-1: a second first passcode is refused before anything is derived, and one made meanwhile after")
    func alreadySet() async throws {
        let service = try bench.service()
        try await service.set(right)
        let derivations = bench.sealer.derivations
        #expect(await code { () async throws(PasscodeError) in try await service.set(right) } == .alreadySet)
        #expect(bench.sealer.derivations == derivations)
        let other = Bench()
        let store = InterruptedSecretStore(InMemorySecretStore(other.storage), before: .write) {
            _ = try? await other.service().set(SecretBytes("270954"))
        }
        let slow = try other.service(store: store)
        #expect(await code { () async throws(PasscodeError) in try await slow.set(right) } == .alreadySet)
        #expect(try await other.service().verify(SecretBytes("270954")).isRight)
    }

    @Test(
        "P-2: a hash is taken over up to its limits, and never over a passcode",
        arguments: [(1_024, 6, true), (1_025, 6, false), (8, 3, false)]
    )
    func takeOver(salt: Int, digits: Int, isTaken: Bool) async throws {
        let service = try bench.service()
        let digest = FastPasscodeSealer.legacyHash(of: right, salt: "").hexDigest
        let hash = LegacyPasscodeHash(hexDigest: digest, salt: String(repeating: "s", count: salt))
        func take() async -> PasscodeError.Code? {
            await code { () async throws(PasscodeError) in
                try await service.takeOver(hash, format: .digits(digits))
            }
        }
        #expect(await take() == (isTaken ? nil : .invalidConfiguration))
        #expect(try await service.status().isSet == isTaken)
        if isTaken { #expect(await take() == .alreadySet) }
    }

    @Test("P-7: by the wall clock a delay is longer by the margin of clocks, whenever the passcode was set")
    func clockMargin() async throws {
        for (authority, margin) in [(ThrottlePolicy.Authority.server, 4), (.device, 0)] {
            var bench = Bench()
            bench.configuration.throttle = .escalating.measured(by: authority)
            try await bench.service().set(right)
            bench.configuration.clockMargin = .seconds(4)
            let service = try bench.service()
            for failures in 1...5 {
                let left = Duration.seconds(failures == 5 ? 60 + margin : 0)
                let answer = try await service.verify(SecretBytes("270954"))
                guard case .wrong(failures, left) = answer else {
                    Issue.record("\(authority): \(failures)")
                    return
                }
            }
            await bench.clock.advance(by: .seconds(59 + margin))
            guard case .throttled(.seconds(1)) = try await service.verify(right) else {
                Issue.record("\(authority)")
                return
            }
            await bench.clock.advance(by: .seconds(1))
            #expect(try await service.verify(right).isRight)
        }
    }

    @Test("P-7: a delay as long as a record can hold is not made longer")
    func longestDelay() async throws {
        var bench = Bench()
        bench.configuration.throttle = ThrottlePolicy(delays: [LockTimeout.longest], authority: .server)
        bench.configuration.clockMargin = .seconds(4)
        let service = try bench.service()
        try await service.set(right)
        guard case .wrong(1, LockTimeout.longest) = try await service.verify(SecretBytes("270954")) else {
            Issue.record("the delay is another one")
            return
        }
    }

    @Test(
        "P-20: a timeout that the record cannot hold is refused, and the passcode stays",
        arguments: [
            (Duration.seconds(-1), false), (.zero, true), (LockTimeout.longest, true),
            (LockTimeout.longest + .nanoseconds(1), false),
        ]
    )
    func timeouts(_ timeout: Duration, isTaken: Bool) async throws {
        let service = try bench.service()
        try await service.set(right)
        let refusal = await code { () async throws(PasscodeError) in
            try await service.setTimeout(.after(timeout))
        }
        #expect(refusal == (isTaken ? nil : .invalidConfiguration))
        #expect(try await service.verify(right).isRight)
        if isTaken { #expect(try await service.status().timeout == .after(timeout)) }
        let configured = await code { () async throws(PasscodeError) in
            var other = bench
            other.configuration.timeout = .after(timeout)
            _ = try other.service()
        }
        #expect(configured == refusal)
    }

    @Test("P-7: a throttle whose delay the record cannot hold is refused, and the passcode stays")
    func delays() async throws {
        let policy = ThrottlePolicy(delays: [LockTimeout.longest + .seconds(1)])
        let service = try bench.service()
        try await service.set(right)
        let refusal = await code { () async throws(PasscodeError) in try await service.setThrottle(policy) }
        #expect(refusal == .invalidConfiguration)
        #expect(try await service.verify(right).isRight)
        let configured = await code { () async throws(PasscodeError) in
            var other = bench
            other.configuration.throttle = policy
            _ = try other.service()
        }
        #expect(configured == .invalidConfiguration)
    }

    @Test("P-7: another throttle counts from now on, for the passcode that is there")
    func setThrottle() async throws {
        let service = try bench.service()
        try await service.set(right)
        try await service.setThrottle(ThrottlePolicy(delays: [.seconds(7)]))
        guard case .wrong(1, .seconds(7)) = try await service.verify(SecretBytes("270954")) else {
            Issue.record("not under the new throttle")
            return
        }
    }

    @Test("P-7: a limit below the failures so far acts after one more wrong passcode, and not before")
    func loweredLimit() async throws {
        for passcode in [right, SecretBytes("270954")] {
            var bench = Bench()
            bench.configuration.throttle = .unlimited
            let service = try bench.service()
            try await service.set(right)
            for _ in 0..<5 { _ = try await service.verify(SecretBytes("270954")) }
            try await service.setThrottle(.unlimited.afterFailures(3, .erase))
            let answer = try await service.verify(passcode)
            if passcode === right {
                #expect(answer.isRight)
                #expect(try await service.status().failures == 0)
                #expect(await bench.host.signedOut.isEmpty)
            } else {
                guard case .limitReached(.erase) = answer else {
                    Issue.record("the limit did not act")
                    return
                }
                #expect(await bench.host.signedOut == [.ada])
            }
        }
    }

    @Test("P-7: the one more try under a lowered limit is the last one, also if its process ends")
    func loweredLimitInterrupted() async throws {
        var bench = Bench()
        bench.configuration.throttle = .unlimited
        let service = try bench.service()
        try await service.set(right)
        for _ in 0..<5 { _ = try await service.verify(SecretBytes("270954")) }
        try await service.setThrottle(.unlimited.afterFailures(3, .signOut))
        bench.sealer.failNext(PasscodeSealerError(code: .systemFailure, message: "killed"))
        _ = try? await service.verify(SecretBytes("270954"))
        guard case .throttled(.seconds(60)) = try await service.verify(right) else {
            Issue.record("a further try was made")
            return
        }
        await bench.clock.advance(by: .seconds(60))
        guard case .limitReached(.signOut) = try await service.verify(right) else {
            Issue.record("the action was forgotten")
            return
        }
    }

    @Test("P-7: a process that cannot act at the limit leaves the action due, and nothing opens by it")
    func leavesActionDue() async throws {
        var bench = Bench()
        let (wrong, vault) = (SecretBytes("270954"), try SecretNamespace("vault"))
        bench.configuration.throttle = .unlimited.afterFailures(3, .erase)
        bench.configuration.secretsToErase = [vault]
        let (store, named) = (InMemorySecretStore(bench.storage), try SecretName("a", in: vault))
        try await store.write(SecretBytes("x"), to: named, accessibility: .whenUnlocked)
        try await bench.service().set(right)
        let session = LockSession(service: try bench.service())
        await session.launch()
        await session.lock()
        let tool = try PasscodeService(
            user: .ada,
            backends: Backends(secrets: store, sealer: bench.sealer, clock: bench.clock),
            session: FixedSession(nil),
            configuration: PasscodeConfiguration(appName: "tool", carriesOutLimitAction: false)
        )
        for _ in 0..<2 { _ = try await tool.verify(wrong) }
        guard case .limitReached(.erase) = try await tool.verify(wrong) else {
            Issue.record("the limit was not told")
            return
        }
        await session.passcodeChanged()
        #expect(await session.state.isLocked)
        #expect(try await bench.record() != nil)
        let derivations = bench.sealer.derivations
        await bench.clock.advance(by: .seconds(60))
        guard case .limitReached(.erase) = try await tool.change(from: right, to: wrong) else {
            Issue.record("a passcode was tried after the limit")
            return
        }
        #expect(bench.sealer.derivations == derivations)
        #expect(try await store.read(named) != nil)
        #expect(await bench.host.signedOut.isEmpty)
        guard case .limitReached(.erase) = try await bench.service().verify(right) else {
            Issue.record("the app did not act")
            return
        }
        #expect(await bench.host.signedOut == [.ada])
        #expect(try await store.read(named) == nil)
        #expect(try await bench.record() == nil)
    }

    @Test("P-7, P-33: a process that cannot act at the limit does not log out either", arguments: [1, 3])
    func logsOutInApp(tries: Int) async throws {
        var bench = Bench()
        bench.configuration.throttle = .unlimited.afterFailures(3, .erase)
        try await bench.service().set(right)
        bench.configuration.carriesOutLimitAction = false
        let tool = try bench.service()
        for _ in 0..<tries { _ = try await tool.verify(SecretBytes("270954")) }
        let session = LockSession(service: tool)
        await session.launch()
        await session.lock()
        let error = await #expect(throws: PasscodeError.self) { try await session.logOut() }
        #expect(error?.code == .logOutInApp)
        #expect(await session.state.isLocked)
        #expect(await bench.host.signedOut.isEmpty)
        #expect(try await bench.record() != nil)
        try await tool.setThrottle(.unlimited)
        try await session.logOut()
        #expect(await bench.host.signedOut == [.ada])
        #expect(try await bench.record() == nil)
    }

    @Test("P-7, P-33: nor while its store cannot be read, but a damaged record does not keep it from that")
    func logsOutUnread() async throws {
        var bench = Bench()
        bench.configuration.throttle = .unlimited.afterFailures(3, .erase)
        try await bench.service().set(right)
        bench.configuration.carriesOutLimitAction = false
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let tool = try bench.service(store: store)
        store.failNext(.read, with: SecretStoreError(code: .lockTimeout, message: "held"))
        let error = await #expect(throws: PasscodeError.self) { try await tool.logOut() }
        #expect(error?.code == .store)
        #expect(await bench.host.signedOut.isEmpty)
        #expect(try await bench.record() != nil)
        try await bench.overwriteRecord("{")
        try await tool.logOut()
        #expect(await bench.host.signedOut == [.ada])
        #expect(try await bench.record() == nil)
    }

    @Test("P-11: biometrics that cannot be used now cannot be chosen")
    func notUsable() async throws {
        let service = try bench.service()
        try await service.set(right)
        await bench.biometrics.set { $0.state = .lockedOut }
        #expect(
            await code { () async throws(PasscodeError) in _ = try await service.enableBiometrics(right) }
                == .biometrics
        )
        #expect(try await !service.biometrics().isEnabled)
        #expect(await bench.biometrics.key == nil)
    }

    @Test("P-13: a right passcode enrols nothing anew while the same finger or face is there")
    func sameFinger() async throws {
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        try await bench.biometrics.forget(.ada)
        #expect(try await service.verify(right).isRight)
        #expect(await bench.biometrics.key == nil)
        await bench.biometrics.set { $0.enrolmentDigest = [2] }
        #expect(try await service.verify(right).isRight)
        #expect(await bench.biometrics.key != nil)
    }

    @Test("P-10: biometrics that are given up leave no key with the authenticator")
    func givenUp() async throws {
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        #expect(await bench.biometrics.key != nil)
        try await service.disableBiometrics()
        #expect(await bench.biometrics.key == nil)
        #expect(try await !service.biometrics().isEnabled)
    }

    @Test("P-7: asking writes nothing, with a delay neither until a minute of it was served")
    func asking() async throws {
        let store = RecordingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        try await service.set(right)
        for _ in 0..<5 { _ = try await service.verify(SecretBytes("270954")) }
        await bench.clock.advance(by: .seconds(59))
        store.forgetCalls()
        #expect(try await service.status().retryAfter == .seconds(1))
        guard case .throttled(.seconds(1)) = try await service.verify(right) else {
            Issue.record("not throttled")
            return
        }
        #expect(store.count(of: .write) == 0)
        await bench.clock.advance(by: .seconds(1))
        _ = try await service.status()
        #expect(store.count(of: .write) == 1)
        #expect(try await service.verify(right).isRight)
        store.forgetCalls()
        _ = try await service.status()
        #expect(store.count(of: .write) == 0)
    }

    @Test("P-51: a timeout that is not in whole minutes is rounded up for the account")
    func timeout() async throws {
        let account = AccountBench()
        let service = try account.device().service()
        try await service.set(.first)
        for (duration, minutes) in [
            (Duration.seconds(60), 1), (Duration(secondsComponent: 60, attosecondsComponent: 1), 2),
            (.seconds(61), 2), (.zero, 0),
        ] {
            try await service.setTimeout(.after(duration))
            #expect(account.server.status.timeout == .minutes(minutes))
        }
    }

    @Test("1.4: an error tells its cause, where it has one")
    func descriptions() {
        let cause = SecretStoreError(code: .diskFull, message: "no space is left")
        let error = PasscodeError(code: .store, message: "not saved", cause: cause)
        #expect(error.description == "store: not saved (\(cause))")
        #expect(PasscodeError(code: .alreadySet, message: "set").description == "alreadySet: set")
    }
}
