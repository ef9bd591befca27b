#if Passkeys
import PortcullisCore
import PortcullisTesting
import Synchronization

@testable import Passkeys

/// A session in a browser: a page that answers prompts with a software authenticator. It agrees to set up passkeys by
/// itself; other prompts wait for what a test lets happen.
final class BrowserSession: Sendable {
    let authenticator: PasskeyAuthenticator
    let device: SoftwareAuthenticator
    private let box: SessionBox
    private let agreeing = Mutex<Task<Void, Never>?>(nil)

    static func site() throws(WebAuthnError) -> RelyingParty {
        try RelyingParty(id: ResponseParts.site, name: "Ledger", origins: ["https://\(ResponseParts.site)"])
    }

    init(
        _ device: SoftwareAuthenticator,
        store: any SecretStore,
        clock: any LockClock = ManualClock(),
        name: String = "session",
        agrees: Bool = true
    ) throws {
        let box = SessionBox(name)
        (self.device, self.box) = (device, box)
        authenticator = PasskeyAuthenticator(
            site: try Self.site(),
            store: store,
            clock: clock,
            isAvailable: true
        ) { box.session }
        guard agrees else { return }
        let task = Task { @concurrent [authenticator, device, box] in
            for await _ in authenticator.changes() {
                guard let prompt = authenticator.prompt, prompt.isEnrolment else { continue }
                guard let answer = try? device.answer(prompt) else { return }
                authenticator.answer(answer, to: prompt.id, from: box.session)
            }
        }
        agreeing.withLock { $0 = task }
    }

    deinit { agreeing.withLock { $0 }?.cancel() }

    var session: PasskeySession { box.session }

    /// Locks anew.
    func lock() { box.lock() }

    /// The prompt that unlocks, if it is up.
    var prompt: PasskeyPrompt? {
        guard let prompt = authenticator.prompt, !prompt.isEnrolment else { return nil }
        return prompt
    }

    func answer(_ answer: PasskeyAnswer) {
        guard let prompt else { return }
        authenticator.answer(answer, to: prompt.id, from: session)
    }

    /// Uses the device for the prompt that is up.
    func use(alter: (inout ResponseParts) -> Void = { _ in }) throws {
        guard let prompt else { return }
        authenticator.answer(try device.answer(prompt, alter: alter), to: prompt.id, from: session)
    }
}

/// The session's name and its lock's generation, which the authenticator asks for.
final class SessionBox: Sendable {
    private let name: String
    private let generation = Mutex<UInt64>(1)

    init(_ name: String) { self.name = name }

    var session: PasskeySession { PasskeySession(id: name, generation: generation.withLock { $0 }) }
    func lock() { generation.withLock { $0 += 1 } }
}
#endif
