import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite(
    "An authenticator that comes and goes while the lock screen is shown (P-10, P-32)",
    .timeLimit(.minutes(5))
)
@MainActor
struct AuthenticatorChangedTests {
    private let bench = Bench()
    private let right = "834912"

    /// A driver of a session that locks with biometrics, whose authenticator is missing.
    private func locked() async throws -> LockDriver {
        let service = try bench.service()
        try await service.set(SecretBytes(right))
        #expect(try await service.enableBiometrics(SecretBytes(right)).isRight)
        await bench.biometrics.set { $0.state = .notAvailable }
        let driver = LockDriver(session: LockSession(service: service))
        await driver.start()
        await driver.lock()
        #expect(driver.cover == .lockScreen)
        return driver
    }

    private func offersBiometrics(_ driver: LockDriver) -> Bool {
        driver.screen?.content.controls.contains { $0.id == .biometrics } ?? false
    }

    @Test(
        "P-32: one that becomes available is offered at once, its prompt appears by itself, and success unlocks"
    )
    func appears() async throws {
        let driver = try await locked()
        #expect(!offersBiometrics(driver))
        await bench.biometrics.set { $0.state = .available }
        #expect(!offersBiometrics(driver), "the driver was not told yet")
        await bench.biometrics.hold()
        await driver.authenticatorChanged()
        #expect(offersBiometrics(driver))
        try await BoundedWait.until("the prompt") { await bench.biometrics.isPrompting }
        let key = await bench.biometrics.key
        await bench.biometrics.release(.success(key: key))
        try await BoundedWait.until("the unlock") { driver.cover == .none }
    }

    @Test("P-10: one that becomes unavailable is offered no more, and the passcode unlocks")
    func disappears() async throws {
        let driver = try await locked()
        await bench.biometrics.set { $0.state = .available }
        await bench.biometrics.answer(.cancelled(by: .user))
        await driver.authenticatorChanged()
        try await BoundedWait.until("the end of the prompt") {
            driver.screen?.content.controls.first { $0.id == .biometrics }?.isEnabled == true
        }
        await bench.biometrics.set { $0.state = .notAvailable }
        await driver.authenticatorChanged()
        #expect(!offersBiometrics(driver))
        for digit in right { driver.screen?.handle(.input(.digit(digit.wholeNumberValue!))) }
        try await BoundedWait.until("the unlock") { driver.cover == .none }
    }

    @Test("P-14, P-32: in the background, and without a lock screen, no prompt appears")
    func elsewhere() async throws {
        let driver = try await locked()
        await driver.phaseChanged(to: .background)
        await bench.biometrics.set { $0.state = .available }
        await driver.authenticatorChanged()
        #expect(!offersBiometrics(driver))
        #expect(await bench.biometrics.prompts.isEmpty)
        await bench.biometrics.set { $0.state = .notAvailable }
        await driver.phaseChanged(to: .active)
        for digit in right { driver.screen?.handle(.input(.digit(digit.wholeNumberValue!))) }
        try await BoundedWait.until("the unlock") { driver.cover == .none }
        await bench.biometrics.set { $0.state = .available }
        await driver.authenticatorChanged()
        #expect(driver.screen == nil)
        #expect(await bench.biometrics.prompts.isEmpty)
    }
}
