#if Passkeys
import Crypto
import PortcullisCore
import Synchronization

@testable import Passkeys

/// An authenticator and its browser, in software: ES256, and the PRF extension by HMAC-SHA-256 as CTAP's `hmac-secret` has
/// it.
final class SoftwareAuthenticator: Sendable {
    /// What it does otherwise than a good one.
    struct Behaviour: Sendable {
        /// Whether it has the PRF extension.
        var hasPRF = true
        /// Whether the browser says at once that it has, or has not; `nil`: it does not say.
        var saysPRF: Bool? = true
        var verifiesUser = true
        /// What is added to the counter with each use; 0 for one that does not count.
        var step = 0
        /// Whether it takes every request away.
        var denies = false
        var isBackedUp = false
        /// The id of each passkey that it makes; `nil`: another each time.
        var id: [UInt8]?
    }

    private struct Passkey {
        let signer = P256.Signing.PrivateKey()
        let prf = SymmetricKey(size: .bits256)
        let userHandle: [UInt8]
        var counter: UInt32 = 0
    }

    private struct State {
        var behaviour = Behaviour()
        var passkeys: [[UInt8]: Passkey] = [:]
        var used: [(id: [UInt8], salts: [[UInt8]])] = []
    }

    private let state = Mutex(State())

    var behaviour: Behaviour {
        get { state.withLock { $0.behaviour } }
        set { state.withLock { $0.behaviour = newValue } }
    }

    /// The passkeys that were made so far.
    var ids: [[UInt8]] { state.withLock { Array($0.passkeys.keys) } }
    /// Which passkeys were used, with the salts they were used with.
    var used: [(id: [UInt8], salts: [[UInt8]])] { state.withLock { $0.used } }

    /// Loses its passkeys, as a device does whose owner removes them.
    func removeAll() { state.withLock { $0.passkeys = [:] } }

    /// Counts otherwise, as a copy of the authenticator does.
    func setCounters(_ counter: UInt32) {
        state.withLock { state in for id in state.passkeys.keys { state.passkeys[id]?.counter = counter } }
    }

    /// Does what a prompt asks for.
    ///
    /// - Parameter alter: changes what is about to be signed.
    func answer(
        _ prompt: PasskeyPrompt,
        alter: (inout ResponseParts) -> Void = { _ in }
    ) throws -> PasskeyAnswer {
        if behaviour.denies { return .cancelled }
        switch prompt.request {
        case .create(let handle, _, let excluded):
            if ids.contains(where: excluded.contains) { return .alreadyThere }
            return try create(prompt, handle, alter)
        case .use(let allowed, let salt): return try use(prompt, allowed, salt, alter)
        }
    }

    private func create(
        _ prompt: PasskeyPrompt,
        _ handle: [UInt8],
        _ alter: (inout ResponseParts) -> Void
    ) throws -> PasskeyAnswer {
        let passkey = Passkey(userHandle: handle)
        let id = behaviour.id ?? (0..<20).map { _ in UInt8.random(in: 0...255) }
        state.withLock { $0.passkeys[id] = passkey }
        var parts = parts(prompt, id, passkey)
        alter(&parts)
        return .created(try parts.registration(hasPRF: behaviour.saysPRF))
    }

    private func use(
        _ prompt: PasskeyPrompt,
        _ allowed: [PasskeyPrompt.Allowed],
        _ freshSalt: [UInt8],
        _ alter: (inout ResponseParts) -> Void
    ) throws -> PasskeyAnswer {
        let found = state.withLock { state -> (PasskeyPrompt.Allowed, Passkey)? in
            guard let known = allowed.last(where: { state.passkeys[$0.id] != nil }) else { return nil }
            state.passkeys[known.id]?.counter += UInt32(state.behaviour.step)
            state.used.append((known.id, [known.salt, freshSalt]))
            return state.passkeys[known.id].map { (known, $0) }
        }
        // What a browser says of a passkey that is not there is what it says of a person who took the dialogue away.
        guard let (known, passkey) = found else { return .cancelled }
        var parts = parts(prompt, known.id, passkey)
        parts.userHandle = passkey.userHandle
        alter(&parts)
        let outputs = PasskeyOutputs(
            first: Self.output(passkey.prf, known.salt),
            second: Self.output(passkey.prf, freshSalt)
        )
        return .used(try parts.assertion(), behaviour.hasPRF ? outputs : nil)
    }

    private func parts(_ prompt: PasskeyPrompt, _ id: [UInt8], _ passkey: Passkey) -> ResponseParts {
        var parts = ResponseParts(prompt.ceremony, challenge: prompt.challenge, signer: passkey.signer)
        parts.credentialID = id
        parts.counter = passkey.counter
        if !behaviour.verifiesUser { parts.flags.remove(.userVerified) }
        if behaviour.isBackedUp { parts.flags.formUnion([.backupEligible, .backedUp]) }
        return parts
    }

    /// The salt is hashed as the browser does it before the authenticator sees it.
    static func output(_ key: SymmetricKey, _ salt: [UInt8]) -> SecretBytes {
        let hashed = SHA256.hash(data: Array("WebAuthn PRF\u{0}".utf8) + salt)
        let output = HMAC<SHA256>.authenticationCode(for: Array(hashed), using: key)
        return SecretBytes(copying: Array(output))
    }
}
#endif
