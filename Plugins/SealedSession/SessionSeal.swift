public import PortcullisCore
internal import Synchronization

/// The seal of a session's store: what is sealed can be read while the session is unlocked, and at no other time.
///
/// It holds what a passcode has to do with the store's file: the first right one seals it, where that is still to be
/// done, and each later one opens it. Each lock of the session has a number, its generation, which only grows; what
/// belongs to an earlier lock than the last changes nothing. All calls are safe from any thread.
public final class SessionSeal: Sendable {
    private struct State: Sendable {
        /// The passphrase to seal under; forgotten as soon as that is done.
        var recovery: SecretBytes?
        var hasOpened = false
        /// Whether another process sealed the store first, under a recovery passphrase of its own.
        var isSealedByOther = false
        /// Which lock it is open for, or being opened for; `nil` while it is locked.
        var opening: UInt64?
        /// The last lock that is known of.
        var lastLock: UInt64 = 0
    }

    private let store: any SealableSecretStore
    private let state: Mutex<State>
    /// Where the processes of the session ask. The seal opens and closes it, and does not stop it: do so at the end.
    public let agent: SessionAgent

    /// The seal of a store that is sealed, or of one that is to be.
    ///
    /// Nothing is sealed yet, and the agent is closed: see ``open(with:for:)`` and ``admit(for:)``.
    ///
    /// - Parameters:
    ///   - store: the store, which this process has open.
    ///   - recovery: the passphrase that is to open the store beside the passcode; of no use to a sealed store. Without one a
    ///     store that is not sealed stays so.
    ///   - path: the store's file, as the processes of the session name it.
    ///   - environment: where `XDG_RUNTIME_DIR` and `TMPDIR` are looked up for the agent's socket.
    /// - Throws: what ``SessionAgent/init(store:at:environment:)`` throws.
    public init(
        of store: any SealableSecretStore,
        recovery: SecretBytes?,
        at path: String,
        environment: [String: String]
    ) throws(SessionAgentError) {
        self.store = store
        state = Mutex(State(recovery: recovery))
        agent = try SessionAgent(store: store, at: path, environment: environment)
    }

    /// Whether the store is sealed by now.
    public var isSealed: Bool { store.isSealed }

    /// Whether it was opened once in this session: before that no program may run in it.
    public var hasOpened: Bool { state.withLock { $0.hasOpened } }

    /// Whether the recovery passphrase of this session opens nothing, because another one sealed the store first.
    public var isSealedByOther: Bool { state.withLock { $0.isSealedByOther } }

    /// Takes the key of what is sealed out of this process; what its agent has in hand is not given any more.
    ///
    /// - Parameter generation: of the lock. News of a lock that has been opened since changes nothing.
    public func lock(for generation: UInt64) {
        state.withLock { state in
            if let opening = state.opening, opening >= generation { return }
            state.lastLock = max(state.lastLock, generation)
            lock(&state)
        }
    }

    /// What was opened for this lock did not unlock the session: the store is locked again.
    ///
    /// - Parameter generation: of the lock. What was opened for another one stays open.
    public func giveUp(for generation: UInt64) {
        state.withLock { state in
            if state.opening == generation { lock(&state) }
        }
    }

    /// The session is over: as a lock, whatever its number.
    public func end() { state.withLock { lock(&$0) } }

    private func lock(_ state: inout State) {
        state.opening = nil
        agent.close()
        // Before it is sealed nothing would bring the key back, and nothing is won: the file gives it to anyone.
        if store.isSealed { store.lock() }
    }

    /// Opens what is sealed, and seals it first where that is still to be done. The agent gives nothing yet: see
    /// ``admit(for:)``.
    ///
    /// - Parameters:
    ///   - key: what the passcode opened, of 32 bytes; `nil`, as for a proof without a key, opens nothing.
    ///   - generation: of the lock that it was entered for.
    /// - Throws: `wrongKey` when the store is sealed under another passcode; `classLocked` when it was locked
    ///   meanwhile; what keeps it from being sealed or read otherwise. One that was locked while it was being sealed is
    ///   sealed, and locked.
    public func open(with key: SecretBytes?, for generation: UInt64) async throws(SecretStoreError) {
        guard let key else {
            throw SecretStoreError(code: .wrongKey, message: "a sealed store needs the passcode")
        }
        let isCurrent = state.withLock { state in
            if generation >= state.lastLock { state.opening = generation }
            return generation >= state.lastLock
        }
        guard isCurrent else {
            throw SecretStoreError(code: .classLocked, message: "the session was locked again")
        }
        let wasSealed = store.isSealed
        do throws(SecretStoreError) {
            try await attempt(key)
        } catch {
            // Another process may have sealed or unsealed it since this one last looked.
            guard store.isSealed != wasSealed else { throw error }
            try await attempt(key)
        }
        state.withLock { state in
            state.hasOpened = true
            // Locked meanwhile: the store was not sealed yet, or its key not on its way, when that was said to it.
            if state.opening == nil { lock(&state) }
        }
    }

    private func attempt(_ key: SecretBytes) async throws(SecretStoreError) {
        if store.isSealed {
            try await store.unlock(with: .key(key))
            state.withLock { $0.isSealedByOther = $0.isSealedByOther || $0.recovery != nil }
        } else if let recovery = state.withLock({ $0.recovery }) {
            try await store.seal(under: key, recoverableWith: [recovery])
        }
        // Else the seal was taken off meanwhile, by who had the passcode or the passphrase: nothing is to be opened.
        state.withLock { $0.recovery = nil }
    }

    /// The session is unlocked: from now on its processes get what they ask for, unless it has locked again.
    ///
    /// - Parameter generation: of the lock that was opened.
    public func admit(for generation: UInt64) {
        state.withLock { state in
            if state.opening == generation { agent.open() }
        }
    }
}
