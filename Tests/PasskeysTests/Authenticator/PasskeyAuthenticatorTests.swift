#if Passkeys
import AdapterKit
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import Passkeys

@Suite("PasskeyAuthenticator (W-3)", .timeLimit(.minutes(5)))
struct PasskeyAuthenticatorTests {
    let storage = InMemorySecretStore.Storage()
    let device = SoftwareAuthenticator()
    let clock = ManualClock()
    let user = UserID.device
    let key = SecretBytes(randomCount: 32)
    let texts = PasskeyTexts()

    func page(
        _ device: SoftwareAuthenticator? = nil,
        store: (any SecretStore)? = nil,
        name: String = "session",
        agrees: Bool = true
    ) throws -> BrowserSession {
        try BrowserSession(
            device ?? self.device,
            store: store ?? InMemorySecretStore(storage),
            clock: clock,
            name: name,
            agrees: agrees
        )
    }

    func asking(_ page: BrowserSession) -> Task<BiometricOutcome, Never> {
        Task { [user] in
            await page.authenticator.authenticate(
                user: user,
                reason: "Unlock Ledger",
                fallbackTitle: "Enter Passcode"
            )
        }
    }

    /// What a prompt ends in at which the page does something.
    func unlock(
        _ page: BrowserSession,
        _ act: (BrowserSession) throws -> Void = { try $0.use() }
    ) async throws -> String {
        let asking = asking(page)
        let ended = Mutex(false)
        let watching = Task {
            _ = await asking.value
            ended.withLock { $0 = true }
        }
        defer { watching.cancel() }
        try await BoundedWait.until("a prompt") { page.prompt != nil || ended.withLock { $0 } }
        try act(page)
        return text(await asking.value)
    }

    func text(_ outcome: BiometricOutcome) -> String {
        switch outcome {
        case .success(let released): released.map { $0.matches(key) ? "key" : "another key" } ?? "no key"
        case .failed(let message): message
        case .cancelled(let canceller): "cancelled by \(canceller)"
        default: "\(outcome)"
        }
    }

    func refusal(_ page: BrowserSession) async -> BiometricError? {
        do throws(BiometricError) {
            try await page.authenticator.enroll(key, for: user)
            return nil
        } catch {
            return error
        }
    }

    func record() async throws -> PasskeyRecord? {
        try await PasskeyRecord.item(of: user, in: InMemorySecretStore(storage)).read()?.value
    }

    @Test("W-3: a passkey is made and then used once, since many give no output when they are made")
    func enrolment() async throws {
        let page = try page(agrees: false)
        let enrolling = Task { await refusal(page) }
        var seen: [PasskeyPrompt] = []
        for _ in 0..<2 {
            try await BoundedWait.until("a prompt") { page.authenticator.prompt != nil }
            let prompt = try #require(page.authenticator.prompt)
            seen.append(prompt)
            page.authenticator.answer(try device.answer(prompt), to: prompt.id, from: page.session)
        }
        #expect(await enrolling.value == nil)
        #expect(seen.map(\.ceremony) == [.registration, .authentication])
        #expect(seen.allSatisfy { $0.isEnrolment && $0.fallbackTitle == nil && $0.reason == texts.enrolment })
        #expect(Set(seen.map(\.challenge)).count == 2)
        let kept = try #require(await record()?.passkeys.first)
        #expect(kept.wrap.salt == device.used.first?.salts.first)
        #expect(try await unlock(page) == "key")
    }

    @Test("W-3: an authenticator without PRF is refused, and nothing is kept")
    func withoutPRF() async throws {
        for says in [Bool?.some(false), true, nil] {
            (device.behaviour.hasPRF, device.behaviour.saysPRF) = (false, says)
            let uses = device.used.count
            #expect(await refusal(try page())?.code == .passkeyWithoutPRF)
            // One that says so is not asked for its output.
            #expect(device.used.count == uses + (says == false ? 0 : 1))
            #expect(try await record() == nil)
        }
    }

    @Test(
        "W-3: an authenticator that does not verify the person is refused, when it is set up and when it unlocks"
    )
    func withoutVerification() async throws {
        device.behaviour.verifiesUser = false
        let error = await refusal(try page())
        #expect(error?.code == .passkeyRefused)
        #expect((error?.cause as? WebAuthnError)?.code == .userNotVerified)
        #expect(try await record() == nil)
        device.behaviour.verifiesUser = true
        let page = try page()
        #expect(await refusal(page) == nil)
        device.behaviour.verifiesUser = false
        #expect(try await unlock(page) == texts.userNotVerified)
        device.behaviour.verifiesUser = true
        #expect(try await unlock(page) == "key")
    }

    @Test("W-3: a site that asks for no verification gets it from passkeys all the same")
    func verificationIsAlwaysNeeded() async throws {
        let site = try RelyingParty(
            id: "example.org",
            name: "",
            origins: ["https://example.org"],
            needsUserVerification: false
        )
        let session = PasskeySession(id: "", generation: 0)
        let authenticator = PasskeyAuthenticator(site: site, store: InMemorySecretStore(), clock: clock) {
            session
        }
        #expect(authenticator.site.needsUserVerification)
        #expect(
            await authenticator.availability(for: user).state == .notAvailable,
            "until the browser says that it can"
        )
        authenticator.setAvailable(true)
        #expect(await authenticator.availability(for: user).state == .available)
    }

    @Test("W-3: an enrolment that the person takes away, or does not answer, keeps nothing")
    func enrolmentEnds() async throws {
        device.behaviour.denies = true
        #expect(await refusal(try page())?.code == .passkeyPromptEnded)
        let page = try page(agrees: false)
        let enrolling = Task { await refusal(page) }
        await clock.waitForSleepers(1)
        await clock.advance(by: PasskeyChallenge.lifetime)
        let error = await enrolling.value
        #expect(error?.code == .passkeyRefused)
        #expect((error?.cause as? WebAuthnError)?.code == .challengeExpired)
        let cancelled = Task { await refusal(page) }
        try await BoundedWait.until("a prompt") { page.authenticator.prompt != nil }
        cancelled.cancel()
        #expect(await cancelled.value?.code == .passkeyPromptEnded)
        #expect(page.authenticator.prompt == nil)
        #expect(try await record() == nil)
    }

    // MARK: With the passcode lock

    @Test(
        "W-3, P-11, P-12: the passcode lock switches passkeys on with the passcode, and opens its key with one"
    )
    func passcodeLock() async throws {
        let page = try page()
        let service = try PasscodeService(
            user: user,
            backends: Backends(
                secrets: InMemorySecretStore(storage),
                biometrics: page.authenticator,
                sealer: FastPasscodeSealer(),
                clock: clock
            ),
            session: InMemorySession(user),
            configuration: PasscodeConfiguration(appName: "Ledger", unlockNeedsKey: true)
        )
        let passcode = SecretBytes(copying: "482916".utf8)
        let proof = try await service.set(passcode)
        #expect(try await service.biometrics().canEnable)
        guard case .right = try await service.enableBiometrics(passcode) else {
            Issue.record("the passcode is not right")
            return
        }
        #expect(try await service.biometrics().isUsable)
        let unlocking = Task { try await service.authenticate() }
        try await BoundedWait.until("a prompt") { page.prompt != nil }
        #expect(page.prompt?.reason == "Unlock Ledger")
        try page.use()
        guard case .unlocked(let opened) = try await unlocking.value else {
            Issue.record("it did not open")
            return
        }
        #expect(try #require(opened.key).matches(try #require(proof.key)))
        try await service.disableBiometrics()
        #expect(try await record() == nil)
    }
}
#endif
