public import PortcullisCore

/// The store for the processes of a session. Sealed items come from the session's agent, all other items from
/// the file.
///
/// Requests go to the agent only for items that are locked in the file. If there is no agent, or the agent
/// has another store, calls for sealed items throw `classLocked`. A commit through the agent may have at most
/// 2 MiB, which is enough for a value of 1 MiB, the largest size that every store accepts. After 15 seconds
/// without an answer the request fails.
public struct SessionStore: TransactionalSecretStore {
    private let store: any SealableSecretStore
    private let agent: AgentClient?
    private let refusal: String

    /// Makes the store of a process that may belong to a session.
    ///
    /// - Parameters:
    ///   - store: this process's own store, sealed or not.
    ///   - storePath: the path of the store's file, the same as the ``SessionAgent``'s; links are resolved.
    ///     An agent of another store refuses the requests. If the resolved path is not UTF-8, no agent is
    ///     used.
    ///   - environment: the environment variables, with the agent's socket in ``SessionAgent/variable``. If
    ///     this variable is missing or not an absolute path, no agent is used.
    ///   - refusal: the text at the end of the error's message, if `classLocked` is thrown because no agent
    ///     serves this store. The text may say where a person can open the store.
    public init(
        _ store: any SealableSecretStore,
        at storePath: String,
        environment: [String: String],
        refusal: String = "the store is sealed, and opens inside its session only"
    ) {
        self.store = store
        self.refusal = refusal
        agent = AgentClient(environment, storePath: storePath)
    }

    /// The capabilities of the store itself.
    public var capabilities: SecretStoreCapabilities { store.capabilities }

    /// Returns the sorted names in a namespace. They are read from the store itself, because names are not
    /// sealed.
    ///
    /// - Throws: the errors of the store.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await store.names(in: namespace)
    }

    /// Returns the signals of the store itself. If the store signals changes by other processes, changes by
    /// the agent are included.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { store.changes(in: namespace) }

    /// Returns the signals of the store itself for one item.
    public func changes(to name: SecretName) -> AsyncStream<Void> { store.changes(to: name) }

    /// Reads one item: from the store, or from the session's agent if the item is locked in the store.
    ///
    /// - Throws: `classLocked` outside of the session, while the session is locked, and if the session is
    ///   locked during the call; `lockTimeout` if the agent does not answer; `sealedSession.senselessAnswer`
    ///   if the agent's answer is invalid; the errors of the store, in this process or the agent's.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        do throws(SecretStoreError) { return try await store.read(name) } catch {
            guard case .found(let found) = try await ask(.read(name), after: error) else { throw senseless }
            return found
        }
    }

    /// Writes one item, if the precondition holds.
    ///
    /// - Throws: the errors of ``commit(_:)``.
    public func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        switch try await commit([.write(value, to: name, accessibility: accessibility, if: precondition)]) {
        case .committed(let versions):
            guard let version = versions.first ?? nil else { throw senseless }
            return .written(version)
        case .conflict(let conflicts): return .conflict(current: conflicts[name] ?? nil)
        }
    }

    /// Removes one item, if the precondition holds. The removal needs no key: a process that can open the
    /// store's file can also remove sealed items.
    ///
    /// - Throws: the errors of the store.
    public func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        try await store.remove(name, if: precondition)
    }

    /// Makes all changes or none: in the store, or through the session's agent if an item is locked in the
    /// store.
    ///
    /// - Throws: `classLocked` outside of the session and while the session is locked; `tooLarge` for more
    ///   than 2 MiB through the agent; `lockTimeout` if the agent did not receive the request in time
    ///   (nothing was changed then); `outcomeUnknown` if the agent may have received the request, but closed
    ///   the connection or did not answer; `sealedSession.senselessAnswer` if the agent's answer is invalid;
    ///   the errors of the store, in this process or the agent's.
    public func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        do throws(SecretStoreError) { return try await store.commit(changes) } catch {
            let reply = try await ask(.commit(changes), after: error)
            guard let outcome = CommitOutcome(reply, to: changes) else { throw senseless }
            return outcome
        }
    }

    /// Sends a request to the agent if the store has refused the request because the class is locked. If the
    /// store has refused the request for another reason, the method throws the store's error.
    private func ask(
        _ request: AgentRequest,
        after error: SecretStoreError
    ) async throws(SecretStoreError) -> AgentReply {
        guard error.code == .classLocked else { throw error }
        guard store.isSealed, let agent else { throw locked(error) }
        switch try await agent.ask(request) {
        case .answered(.failed(.classLocked, _)): throw locked(error, "the session is locked")
        case .answered(.failed(.otherStore, _)), .noListener: throw locked(error)
        case .answered(.failed(let failure, let message)):
            throw SecretStoreError(code: failure.code, message: message, path: error.path)
        case .answered(let reply): return reply
        case .late(let isSent):
            // On a slow disk the agent may still make the change. `lockTimeout` would say that nothing was
            // changed, so another error is thrown.
            if isSent, case .commit = request { throw unknown("does not answer", error) }
            throw SecretStoreError(
                code: .lockTimeout,
                message: "the session's agent does not answer",
                path: error.path
            )
        case .lost:
            guard case .read = request else { throw unknown("went away", error) }
            throw locked(error, "the session was locked meanwhile")
        }
    }

    private func unknown(_ what: String, _ error: SecretStoreError) -> SecretStoreError {
        SecretStoreError(
            code: .outcomeUnknown,
            message: "the session's agent \(what); whether this was kept is not known",
            path: error.path
        )
    }

    private func locked(_ error: SecretStoreError, _ why: String? = nil) -> SecretStoreError {
        guard store.isSealed else { return error }
        let why = why ?? refusal
        return SecretStoreError(code: .classLocked, message: "\(error.message): \(why)", path: error.path)
    }

    private var senseless: SecretStoreError {
        SecretStoreError(
            code: .senselessAnswer,
            message: "the session's agent gave an answer that makes no sense"
        )
    }
}

extension CommitOutcome {
    /// Makes the outcome of these changes from an agent's reply. A reply that these changes cannot lead to is
    /// not trusted, and the result is `nil`.
    fileprivate init?(_ reply: AgentReply, to changes: [SecretChange]) {
        switch reply {
        case .committed(let versions):
            guard versions.count == changes.count else { return nil }
            for (version, change) in zip(versions, changes) {
                // A written item has a version, and a removed item has none.
                if case .write = change, version == nil { return nil }
                if case .remove = change, version != nil { return nil }
            }
            self = .committed(versions)
        case .conflict(let places):
            guard !places.isEmpty else { return nil }
            var conflicts: [SecretName: SecretVersion?] = [:]
            for (place, version) in places {
                // A change without a precondition cannot conflict.
                guard changes.indices.contains(place), changes[place].precondition != .none else {
                    return nil
                }
                conflicts.updateValue(version, forKey: changes[place].name)
            }
            self = .conflict(conflicts)
        case .found, .failed: return nil
        }
    }
}

extension SecretStoreErrorCode {
    /// A session's agent gave an invalid answer, such as a conflict for changes without a precondition. It is
    /// not known whether a change was made.
    public static let senselessAnswer = Self("sealedSession.senselessAnswer", like: .systemFailure)
}
