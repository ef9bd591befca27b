public import PortcullisCore

/// A store as the processes of a session have it: what is sealed comes from the session's agent, everything else from
/// the file.
///
/// The agent is asked only for what the file does not give. Where there is none, or it has another store, the class
/// is locked. Values of 1 MiB can be written through it, and no change of more than 2 MiB. What an agent does not answer
/// in 15 seconds it does not answer.
public struct SessionStore: TransactionalSecretStore {
    private let store: any SealableSecretStore
    private let agent: AgentClient?
    private let refusal: String

    /// The store of a process that may be one of a session.
    ///
    /// - Parameters:
    ///   - store: the store as this process has it open, sealed or not.
    ///   - storePath: its file, as the ``SessionAgent`` was told it; links are resolved. An agent of another one is of no use.
    ///   - environment: where the agent is looked up, under ``SessionAgent/variable``. Where that is not there, or is no
    ///     absolute path, no agent is asked.
    ///   - refusal: what the message of `classLocked` says where there is no agent of this store; it may tell a person
    ///     where the store opens.
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

    /// What the store itself can do.
    public var capabilities: SecretStoreCapabilities { store.capabilities }

    /// The names in a namespace, sorted, from the store itself: names are not sealed.
    ///
    /// - Throws: what the store throws.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await store.names(in: namespace)
    }

    /// The signals of the store itself, which tell what the agent changes as well if it hears of other processes.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { store.changes(in: namespace) }

    /// As ``changes(in:)``, for one item.
    public func changes(to name: SecretName) -> AsyncStream<Void> { store.changes(to: name) }

    /// Reads one item, from the store or, where that is locked, from the session's agent.
    ///
    /// - Throws: `classLocked` outside of the session and while it is locked, also when it locked meanwhile; `lockTimeout`
    ///   when the agent does not answer; `sealedSession.senselessAnswer` when it answers what makes no sense; what the
    ///   store throws, here or at the agent.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        do throws(SecretStoreError) { return try await store.read(name) } catch {
            guard case .found(let found) = try await ask(.read(name), after: error) else { throw senseless }
            return found
        }
    }

    /// Writes one item, if the precondition holds.
    ///
    /// - Throws: as ``commit(_:)``.
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

    /// Removes one item, if the precondition holds. It takes no key: a process that can open the store's file can also
    /// remove what is sealed.
    ///
    /// - Throws: what the store throws.
    public func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        try await store.remove(name, if: precondition)
    }

    /// Makes all changes or none, in the store or, where that is locked, through the session's agent.
    ///
    /// - Throws: `classLocked` outside of the session and while it is locked; `tooLarge` for more than 2 MiB through the
    ///   agent; `lockTimeout` when the agent did not take the request in time, and nothing was changed; `outcomeUnknown`
    ///   when the agent took it and went away, or does not answer; `sealedSession.senselessAnswer` when it answers what
    ///   makes no sense; what the store throws, here or at the agent.
    public func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        do throws(SecretStoreError) { return try await store.commit(changes) } catch {
            let reply = try await ask(.commit(changes), after: error)
            guard let outcome = CommitOutcome(reply, to: changes) else { throw senseless }
            return outcome
        }
    }

    /// Asks the agent for what the file refused, if it refused because the class is locked.
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
            // What was to be kept may be kept yet, when a disk is slow: "busy" would say that it was not.
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
    /// What an agent's answer to these changes says; `nil` for one that cannot be, of which nothing may be believed.
    fileprivate init?(_ reply: AgentReply, to changes: [SecretChange]) {
        switch reply {
        case .committed(let versions):
            guard versions.count == changes.count else { return nil }
            for (version, change) in zip(versions, changes) {
                // What is written has a version, and what is removed has none.
                if case .write = change, version == nil { return nil }
                if case .remove = change, version != nil { return nil }
            }
            self = .committed(versions)
        case .conflict(let places):
            guard !places.isEmpty else { return nil }
            var conflicts: [SecretName: SecretVersion?] = [:]
            for (place, version) in places {
                // Where nothing was asked of an item nothing could fail.
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
    /// A session's agent gave an answer that makes no sense, such as a conflict where nothing was asked of the items:
    /// whether a change was made is not known.
    public static let senselessAnswer = Self("sealedSession.senselessAnswer", like: .systemFailure)
}
