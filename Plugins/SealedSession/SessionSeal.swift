public import PortcullisCore
internal import Synchronization

/// The seal of a session's store. Sealed items can be read while the session is unlocked, and at no other
/// time.
///
/// The first right passcode seals a store that is not sealed yet. Each later right passcode opens the store.
/// Each lock of the session has a number, its generation, and later locks have higher numbers. If a call has
/// the generation of a lock that is not the latest, the call changes nothing. All calls are safe from any
/// thread.
public final class SessionSeal: Sendable {
    private struct State: Sendable {
        /// The recovery passphrase for sealing; `nil` if none was given, or once the store has been opened or
        /// sealed.
        var recovery: SecretBytes?
        var hasOpened = false
        /// Whether another process sealed the store first, under its own recovery passphrase.
        var isSealedByOther = false
        /// The generation for which ``open(with:for:)`` is opening or has opened the store; `nil` while the
        /// store is not open for the latest lock.
        var opening: UInt64?
        /// Whether the store was opened for the generation in `opening`.
        var isOpen = false
        /// The generation of the last known lock.
        var lastLock: UInt64 = 0
    }

    private let store: any SealableSecretStore
    private let state: Mutex<State>
    /// The agent that serves the session's processes. The seal opens and closes the agent. The caller has to
    /// stop the agent at the end.
    public let agent: SessionAgent

    /// Makes the seal of a store that is sealed or will be sealed.
    ///
    /// Nothing is sealed yet, and the agent is closed: see ``open(with:for:)`` and ``admit(for:)``.
    ///
    /// - Parameters:
    ///   - store: the store, which this process has open.
    ///   - recovery: the passphrase that opens the store besides the passcode. The passphrase is not used if
    ///     the store is sealed already. Without a passphrase, a store that is not sealed stays unsealed.
    ///   - path: the path of the store's file, as the session's processes name it.
    ///   - environment: the variables `XDG_RUNTIME_DIR` and `TMPDIR`, for the agent's socket.
    /// - Throws: the errors of ``SessionAgent/init(store:at:environment:)``.
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

    /// Whether the store is sealed now.
    public var isSealed: Bool { store.isSealed }

    /// Whether the store was opened in this session. Until then no program may run in the session.
    public var hasOpened: Bool { state.withLock { $0.hasOpened } }

    /// Whether this session's recovery passphrase does not open the store, because another process sealed the
    /// store first.
    public var isSealedByOther: Bool { state.withLock { $0.isSealedByOther } }

    /// Drops the key of the sealed items from this process. The session's agent then sends no more values,
    /// even for requests that it has already received.
    ///
    /// - Parameter generation: the generation of the lock. If the session has been opened for this lock or a
    ///   later one, the call changes nothing.
    public func lock(for generation: UInt64) {
        state.withLock { state in
            if let opening = state.opening, opening >= generation { return }
            state.lastLock = max(state.lastLock, generation)
            lock(&state)
        }
    }

    /// Locks the store that was opened for this lock, because the session was not unlocked.
    ///
    /// - Parameter generation: the generation of the lock for which the store was opened. If the store is
    ///   open for another lock, it stays open.
    public func giveUp(for generation: UInt64) {
        state.withLock { state in
            if state.opening == generation { lock(&state) }
        }
    }

    /// Locks the store at the end of the session, whatever the generation is.
    public func end() { state.withLock { lock(&$0) } }

    private func lock(_ state: inout State) {
        (state.opening, state.isOpen) = (nil, false)
        agent.close()
        // A store that is not sealed stays unlocked. Locking would protect nothing, because the items can be
        // read from the file itself. Besides, no call of this type would unlock such a store again.
        if store.isSealed { store.lock() }
    }

    /// Opens the store. A store that is not sealed yet is sealed first, if there is a recovery passphrase.
    /// The agent stays closed until ``admit(for:)``. If the store is already open for this lock and the call
    /// throws, the store and the agent stay as they are.
    ///
    /// - Parameters:
    ///   - key: the key of 32 bytes that the passcode opened; `nil` if the person was verified without a key.
    ///     Without a key nothing is opened.
    ///   - generation: the generation of the lock that the passcode was entered for.
    /// - Throws: `wrongKey` if the store is sealed under another passcode, or if there is no key;
    ///   `classLocked` if the session was locked again, before or during the call; the errors that keep the
    ///   store from being sealed or read. If the session is locked while the store is being sealed, the store
    ///   is sealed and locked afterwards.
    public func open(with key: SecretBytes?, for generation: UInt64) async throws(SecretStoreError) {
        guard let key else {
            throw SecretStoreError(code: .wrongKey, message: "a sealed store needs the passcode")
        }
        let isCurrent = state.withLock { state in
            guard generation >= state.lastLock else { return false }
            if generation > state.lastLock {
                // The proof is for a newer lock than the last one that was reported to this seal. So the store
                // may still be open from before that lock.
                state.lastLock = generation
                lock(&state)
            }
            state.opening = generation
            return true
        }
        guard isCurrent else {
            throw SecretStoreError(code: .classLocked, message: "the session was locked again")
        }
        do throws(SecretStoreError) { try await attemptTwice(key) } catch {
            // The attempt failed. If the store stayed open for this generation, a later `lock(for:)` of the
            // generation would do nothing. An earlier call that opened the store for the same generation is
            // still right: its session is unlocked, or is about to be.
            state.withLock { state in
                if state.opening == generation, !state.isOpen { lock(&state) }
            }
            throw error
        }
        state.withLock { state in
            state.hasOpened = true
            if state.opening == generation { state.isOpen = true }
            // If the session was locked during the attempt, `opening` is `nil`. After that lock, the attempt
            // may have put the store's key into memory again. So the store is locked once more.
            if state.opening == nil { lock(&state) }
        }
    }

    /// Makes an attempt. If another process seals or unseals the store during a failed attempt, the attempt
    /// is repeated.
    private func attemptTwice(_ key: SecretBytes) async throws(SecretStoreError) {
        let wasSealed = store.isSealed
        do throws(SecretStoreError) { try await attempt(key) } catch {
            guard store.isSealed != wasSealed else { throw error }
            try await attempt(key)
        }
    }

    private func attempt(_ key: SecretBytes) async throws(SecretStoreError) {
        if store.isSealed {
            try await store.unlock(with: .key(key))
            state.withLock { $0.isSealedByOther = $0.isSealedByOther || $0.recovery != nil }
        } else if let recovery = state.withLock({ $0.recovery }) {
            try await store.seal(under: key, recoverableWith: [recovery])
        }
        // If the store is not sealed and there is no recovery passphrase, there is nothing to open. This is
        // the case, for example, after another process has unsealed the store.
        state.withLock { $0.recovery = nil }
    }

    /// Opens the agent to the session's processes, because the session is unlocked now. If the session has
    /// been locked again, the agent stays closed.
    ///
    /// - Parameter generation: the generation of the lock that was opened.
    public func admit(for generation: UInt64) {
        state.withLock { state in
            if state.opening == generation { agent.open() }
        }
    }
}
