#if Passkeys
import AdapterKit
import Foundation
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing
import WebBrowser

@testable import Passkeys

@Suite(
    "Passkeys in Chromium (W-3)",
    .enabled(if: BrowserKind.chromium.isInstalled, "chromium and chromedriver are not installed"),
    .timeLimit(.minutes(5))
)
struct ChromiumPasskeyTests {
    private let user = UserID.device
    private let key = SecretBytes(randomCount: 32)
    private let session = PasskeySession(id: "session", generation: 1)

    private func authenticator(_ browser: Browser, store: any SecretStore) throws -> PasskeyAuthenticator {
        PasskeyAuthenticator(
            site: try RelyingParty(id: "localhost", name: "Ledger", origins: [browser.emptyOrigin]),
            store: store,
            clock: ManualClock(),
            isAvailable: true
        ) { [session] in session }
    }

    /// Lets the browser answer each prompt that comes up while something is done.
    private func answering<Value: Sendable>(
        _ authenticator: PasskeyAuthenticator,
        in browser: Browser,
        _ act: () async throws -> Value
    ) async throws -> Value {
        let page = Task { [session] in
            for await _ in authenticator.changes() {
                guard let prompt = authenticator.prompt else { continue }
                let json = try await browser.answer(
                    options: prompt.optionsJSON,
                    creates: prompt.ceremony == .registration
                )
                let answer = try PasskeyAnswer(json: SecretBytes(copying: json.utf8))
                authenticator.answer(answer, to: prompt.id, from: session)
            }
        }
        defer { page.cancel() }
        return try await act()
    }

    /// What a prompt ends in.
    private func unlock(_ authenticator: PasskeyAuthenticator, in browser: Browser) async throws -> String {
        let outcome = try await answering(authenticator, in: browser) {
            await authenticator.authenticate(user: user, reason: "", fallbackTitle: "")
        }
        return switch outcome {
        case .success(let released): released?.matches(key) == true ? "key" : "no key"
        case .failed(let message): message
        case .cancelled(let canceller): "cancelled by \(canceller)"
        default: "\(outcome)"
        }
    }

    private func refusal(_ authenticator: PasskeyAuthenticator, in browser: Browser) async throws
        -> BiometricError?
    {
        try await answering(authenticator, in: browser) {
            do throws(BiometricError) {
                try await authenticator.enroll(key, for: user)
                return nil
            } catch {
                return error
            }
        }
    }

    private func inBrowser(_ act: (Browser) async throws -> Void) async throws {
        try await Browser.open { browser in
            try await browser.go(browser.emptyPage)
            try await act(browser)
        }
    }

    @Test(
        "W-3: enrol, unlock thrice, restart, enrol again, removed passkey, counter that goes back, no verification"
    )
    func passkey() async throws {
        try await inBrowser { browser in
            let device = try await browser.addAuthenticator()
            let store = InMemorySecretStore()
            let authenticator = try authenticator(browser, store: store)
            #expect(try await refusal(authenticator, in: browser) == nil)
            for _ in 0..<3 { #expect(try await unlock(authenticator, in: browser) == "key") }
            // The next start of the server, with what the store has.
            let restarted = try self.authenticator(browser, store: store)
            #expect(try await unlock(restarted, in: browser) == "key")

            // The same device again: it says that it has one, and is not given a second.
            #expect(try await refusal(restarted, in: browser) == nil)
            let record = try await PasskeyRecord.item(of: user, in: store).read()
            #expect(record?.value.passkeys.count == 1)

            // A copy of the passkey, from when it had not been used yet.
            let copy = try #require(try await browser.passkeys(of: device).first)
            try await browser.removePasskeys(of: device)
            let removed = try await unlock(restarted, in: browser)
            #expect(removed == "cancelled by user")
            try await browser.add(copy, used: 1, to: device)
            let copied = try await unlock(restarted, in: browser)
            #expect(copied == PasskeyTexts().counterWentBack)

            // The authenticator then blocks itself, so this comes last.
            try await browser.recogniseNobody(by: device)
            let unverified = try await unlock(restarted, in: browser)
            #expect(unverified == "cancelled by user")
        }
    }

    @Test("W-3: an authenticator without PRF is refused with its code, and nothing is kept")
    func withoutPRF() async throws {
        try await inBrowser { browser in
            _ = try await browser.addAuthenticator(hasPRF: false)
            let store = InMemorySecretStore()
            let authenticator = try authenticator(browser, store: store)
            #expect(try await refusal(authenticator, in: browser)?.code == .passkeyWithoutPRF)
            #expect(try await store.read(PasskeyNames.record(of: user)) == nil)
        }
    }

    @Test("W-3: an authenticator that does not verify the person is refused")
    func withoutVerification() async throws {
        try await inBrowser { browser in
            try await browser.recogniseNobody(by: try await browser.addAuthenticator())
            let authenticator = try authenticator(browser, store: InMemorySecretStore())
            #expect(try await refusal(authenticator, in: browser)?.code == .passkeyPromptEnded)
        }
    }

    @Test("W-3: EdDSA and RS256 keys of a browser are verified", arguments: [-8, -257])
    func algorithms(_ algorithm: Int) async throws {
        try await inBrowser { browser in
            _ = try await browser.addAuthenticator()
            let site = try RelyingParty(id: "localhost", name: "Ledger", origins: [browser.emptyOrigin])
            let challenge: [UInt8] = Array(0..<32)
            let prompt = PasskeyPrompt(
                id: "",
                user: user,
                isEnrolment: true,
                reason: "",
                fallbackTitle: nil,
                site: site,
                challenge: challenge,
                request: .create(userHandle: [1], accountName: "name", excluding: [])
            )
            let options = prompt.optionsJSON.replacing(/"pubKeyCredParams":\[.*?\]/) { _ in
                "\"pubKeyCredParams\":[{\"type\":\"public-key\",\"alg\":\(algorithm)}]"
            }
            let json = try await browser.answer(options: options, creates: true)
            // Not every build of the browser has an authenticator for each algorithm.
            guard case .created(let made) = try PasskeyAnswer(json: SecretBytes(copying: json.utf8)) else {
                Issue.record("the browser made no such key: \(json)")
                return
            }
            let credential = try site.verify(made, challenge: challenge)
            #expect(credential.key.algorithm.rawValue == Int64(algorithm))
            let use = PasskeyPrompt(
                id: "",
                user: user,
                isEnrolment: true,
                reason: "",
                fallbackTitle: nil,
                site: site,
                challenge: challenge,
                request: .use([.init(id: credential.id, salt: challenge)], freshSalt: challenge.reversed())
            )
            let used = try await browser.answer(options: use.optionsJSON, creates: false)
            guard case .used(let assertion, _?) = try PasskeyAnswer(json: SecretBytes(copying: used.utf8))
            else {
                Issue.record("the browser did not use it with the extension")
                return
            }
            _ = try site.verify(assertion, challenge: challenge, credential: credential, userHandle: [1])
        }
    }
}
#endif
