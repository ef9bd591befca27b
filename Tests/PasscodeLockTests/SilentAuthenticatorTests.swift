import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("An authenticator that does not report its availability (P-10, P-11, P-13)", .timeLimit(.minutes(5)))
struct SilentAuthenticatorTests {
    private let bench = Bench()
    private let right = SecretBytes("834912")

    @Test("P-10: after five seconds without a report nothing is offered, and the next question asks again")
    func offer() async throws {
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        let offer = try await afterSilence { try await service.biometrics() }
        #expect(!offer.isUsable && !offer.canEnable)
        #expect(try await service.biometrics().isUsable)
    }

    @Test("P-11: after five seconds without a report biometrics are not switched on")
    func enabling() async throws {
        let service = try bench.service()
        try await service.set(right)
        let error = await #expect(throws: PasscodeError.self) {
            try await afterSilence { try await service.enableBiometrics(right) }
        }
        #expect(error?.code == .biometrics)
        #expect(await bench.biometrics.key == nil)
    }

    @Test("P-13: a match whose enrolment is not confirmed within five seconds does not unlock")
    func prompt() async throws {
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        await bench.biometrics.hold()
        let prompting = Task { try await service.authenticate() }
        try await BoundedWait.until("the prompt") { await bench.biometrics.isPrompting }
        let answer = try await afterSilence {
            await bench.biometrics.release(.success(key: bench.biometrics.key))
            return try await prompting.value
        }
        guard case .passcodeNeeded = answer else {
            Issue.record("\(answer)")
            return
        }
    }

    /// The result of some work whose next question to the authenticator gets no report for five seconds.
    private func afterSilence<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let silence = Gate()
        silence.close()
        await bench.biometrics.onNextLook { _ = await silence.pass() }
        let working = Task { try await work() }
        await silence.waitForHeld(1)
        await bench.clock.waitForSleepers(1)
        await bench.clock.advance(by: .seconds(5))
        return try await working.value
    }
}
