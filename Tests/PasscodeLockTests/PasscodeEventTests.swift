import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What happens to a passcode, as it is told to logs and metrics", .timeLimit(.minutes(5)))
struct PasscodeEventTests {
    private let bench = Bench()
    private let right = SecretBytes("834912")
    private let wrong = SecretBytes("270954")
    private let other = SecretBytes("619283")

    /// The kinds of the events that a body brings about.
    private func kinds(
        _ service: PasscodeService,
        _ body: () async throws -> Void
    ) async rethrows -> [PasscodeEvent.Kind] {
        let events = service.events()
        try await body()
        // The end is marked by an event that no body brings about.
        let impossible = LegacyPasscodeHash(hexDigest: "", salt: "")
        try? await service.takeOver(impossible, format: .standard)
        var kinds: [PasscodeEvent.Kind] = []
        for await event in events {
            if event.kind == .failed(.set, .invalidConfiguration) { break }
            #expect(event.user == .ada)
            kinds.append(event.kind)
        }
        return kinds
    }

    @Test("P-6: every try is told before its outcome, and what was not tried as such")
    func tries() async throws {
        let service = try bench.service()
        #expect(try await kinds(service) { try await service.set(right) } == [.set])
        #expect(try await kinds(service) { _ = try await service.verify(right) } == [.tried, .right])
        let failures = try await kinds(service) {
            for _ in 0..<6 { _ = try await service.verify(wrong) }
        }
        let status = try await service.status()
        var expected: [PasscodeEvent.Kind] = []
        for failure in 1...status.failures {
            expected += [
                .tried,
                .wrong(failures: failure, retryAfter: failure == status.failures ? status.retryAfter : .zero),
            ]
        }
        let throttled = Array(
            repeating: PasscodeEvent.Kind.throttled(retryAfter: status.retryAfter),
            count: 6 - status.failures
        )
        #expect(!throttled.isEmpty)
        #expect(failures == expected + throttled)
    }

    @Test(
        "P-6: a try is told once if another process changes or removes the passcode meanwhile",
        arguments: [true, false]
    )
    func overtakenTry(staysSet: Bool) async throws {
        let bench = bench
        try await bench.service().set(right)
        // The first write counts the try, and the second one clears the count.
        let store = InterruptedSecretStore(InMemorySecretStore(bench.storage), before: .write, number: 1) {
            [right] in
            if staysSet {
                _ = try? await bench.service().replace(with: right)
            } else {
                try? await bench.service().clearAll()
            }
        }
        let service = try bench.service(store: store)
        let told = try await kinds(service) {
            let answer = try await service.verify(right)
            #expect(answer.isRight == staysSet)
        }
        let expected: [PasscodeEvent.Kind] = staysSet ? [.tried, .right] : [.tried]
        #expect(told == expected)
    }

    @Test("P-6, P-51: a change that is repeated after a lost answer tells no try without an outcome")
    func repeatedChange() async throws {
        for isSame in [true, false] {
            let device = AccountBench().device()
            let service = try device.service()
            try await service.set(right)
            device.line.failNext(.change, .lostAnswer)
            await #expect(throws: PasscodeError.self) { try await service.change(from: right, to: other) }
            let told = try await kinds(service) {
                let answer =
                    isSame
                    ? try await service.change(from: right, to: other)
                    : try await service.change(from: other, to: wrong)
                #expect(answer.isRight)
            }
            #expect(told == [.tried, .right, .changed])
        }
    }

    @Test("P-1: what becomes of a passcode is told once it is durable, with the moment")
    func life() async throws {
        let service = try bench.service()
        let moment = bench.clock.now
        var first = service.events().makeAsyncIterator()
        try await service.set(right)
        #expect(await first.next() == PasscodeEvent(user: .ada, moment: moment, kind: .set))
        let told = try await kinds(service) {
            _ = try await service.change(from: wrong, to: other)
            _ = try await service.change(from: right, to: other)
            _ = try await service.enableBiometrics(other)
            try await service.disableBiometrics()
            try await service.replace(with: right)
            _ = try await service.remove(right)
            _ = try await service.remove(right)
        }
        #expect(
            told == [
                .tried, .wrong(failures: 1, retryAfter: .zero), .tried, .right, .changed, .tried, .right,
                .biometricsEnabled, .biometricsDisabled, .reset, .tried, .right, .removed,
            ]
        )
        #expect(try await kinds(service) { try await service.logOut() } == [.removed])
    }

    @Test("P-5: what fails is told by the act and the code, and thrown all the same")
    func failures() async throws {
        let service = try bench.service()
        let told = await kinds(service) {
            #expect(
                await code { () throws(PasscodeError) in try await service.set(SecretBytes("1")) }
                    == .wrongFormat
            )
        }
        #expect(told == [.failed(.set, .wrongFormat)])
        try await service.set(right)
        let more = await kinds(service) {
            #expect(await code { () throws(PasscodeError) in try await service.set(other) } == .alreadySet)
            #expect(
                await code { () throws(PasscodeError) in
                    _ = try await service.change(from: right, to: SecretBytes("x"))
                } == .wrongFormat
            )
        }
        #expect(more == [.failed(.set, .alreadySet), .failed(.change, .wrongFormat)])
        try await bench.overwriteRecord("{")
        let session = LockSession(service: service)
        let damaged = await kinds(service) {
            #expect(
                await code { () throws(PasscodeError) in _ = try await service.verify(right) }
                    == .damagedRecord
            )
            await session.launch()
        }
        #expect(
            damaged == [
                .failed(.verify, .damagedRecord), .failed(.lock, .damagedRecord), .locked,
                .failed(.lock, .damagedRecord),
            ],
            "what cannot be read is locked all the same, and the lock cannot be stored"
        )
    }

    @Test("P-33: the limit is told with its action")
    func limit() async throws {
        var bench = bench
        bench.configuration.throttle = .escalating.afterFailures(1, .signOut)
        let service = try bench.service()
        try await service.set(right)
        let told = try await kinds(service) { _ = try await service.verify(wrong) }
        #expect(told == [.tried, .removed, .limitReached(.signOut)])
    }

    @Test("P-20, P-14: a lock tells that it locked, and how it was opened")
    func locks() async throws {
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        let session = LockSession(service: service)
        await session.launch()
        let told = try await kinds(service) {
            await session.lock()
            await session.lock()
            guard case .right(let proof) = try await service.verify(right) else { return }
            #expect(await session.unlock(with: proof, generation: session.state.generation))
            #expect(await session.unlock(with: proof, generation: 0), "it is open already")
            await session.lock()
            guard case .unlocked(let other) = try await service.authenticate() else { return }
            #expect(await !session.unlock(with: other, generation: 0))
            #expect(await session.unlock(with: other, generation: session.state.generation))
        }
        #expect(told == [.locked, .tried, .right, .unlocked(.passcode), .locked, .unlocked(.biometrics)])
    }

    @Test("P-20, P-5: a lock whose state could not be stored tells that it locked, and only once")
    func lostMark() async throws {
        try await bench.service().set(right)
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store)
        let session = LockSession(service: service)
        await session.launch()
        let full = SecretStoreError(code: .diskFull, message: "no space is left")
        let told = await kinds(service) {
            store.failNext(.write, with: full)
            await session.phaseChanged(to: .background)
            store.failNext(.write, with: full)
            await session.phaseChanged(to: .active)
        }
        #expect(told == [.failed(.lock, .store), .locked, .failed(.lock, .store)])
    }
}
