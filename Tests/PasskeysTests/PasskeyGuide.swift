#if Passkeys
import Passkeys
import PortcullisCore
import PortcullisTesting
import Testing

/// What the page of Passkeys shows.
@Suite("Passkeys' guide (W-3)")
struct PasskeyGuide {
    private struct Cookie: Sendable {
        let name = "session"
        let generation: UInt64 = 1
    }

    private final class Page: Sendable {
        func show(_ prompt: PasskeyPrompt?) async {}
    }

    private let store = InMemorySecretStore()
    private let sealer = FastPasscodeSealer()
    private let clock = ManualClock()
    private let cookie = Cookie()

    private func authenticator() throws -> (PasskeyAuthenticator, Backends) {
        let site = try RelyingParty(id: "ledger.example", name: "Ledger", origins: ["https://ledger.example"])
        let passkeys = PasskeyAuthenticator(site: site, store: store, clock: clock) {
            PasskeySession(id: cookie.name, generation: cookie.generation)
        }
        let backends = Backends(secrets: store, biometrics: passkeys, sealer: sealer, clock: clock)
        return (passkeys, backends)
    }

    private func publish(_ passkeys: PasskeyAuthenticator, to page: Page) async {
        for await _ in passkeys.changes() {
            await page.show(passkeys.prompt)
        }
    }

    private struct Host {
        let passkeys: PasskeyAuthenticator

        func answered(_ body: SecretBytes, to prompt: String, from session: PasskeySession) throws -> Bool {
            passkeys.answer(try PasskeyAnswer(json: body), to: prompt, from: session)
        }
    }

    private func verify(
        _ assertion: PasskeyAssertion,
        of kept: PasskeyCredential,
        _ site: RelyingParty,
        _ session: PasskeySession
    ) throws -> PasskeyCredential {
        var generator = SystemRandomNumberGenerator()
        var open = OpenChallenge()
        open.open(PasskeyChallenge(for: .authentication, session: session, at: clock.now, using: &generator))
        // …the browser answers…
        let challenge = try open.spend(on: .authentication, from: session, at: clock.now)
        let used = try site.verify(assertion, challenge: challenge.bytes, credential: kept)
        return used
    }

    @Test("W-3: the authenticator of the guide is one of passkeys, and takes no answer without a prompt")
    func guide() async throws {
        let (passkeys, backends) = try authenticator()
        #expect(await backends.biometrics.availability(for: .device).kind == .passkey)
        let session = PasskeySession(id: cookie.name, generation: cookie.generation)
        let body = SecretBytes(copying: "{\"error\":\"NotAllowedError\"}".utf8)
        #expect(try !Host(passkeys: passkeys).answered(body, to: "id", from: session))
        let publishing = Task { await publish(passkeys, to: Page()) }
        publishing.cancel()
        await publishing.value
        _ = verify
    }
}
#endif
