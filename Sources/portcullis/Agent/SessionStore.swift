internal import GcryptKeystore
internal import PortcullisCore

/// A store as the processes of a session have it: what is sealed comes from the session's agent, everything else from
/// the file.
///
/// The agent is asked only for what the file does not give. Where there is none, or it has another store, the class
/// is locked.
struct SessionStore: TransactionalSecretStore {
    private let store: GcryptKeystore
    private let agent: AgentClient?

    init(_ store: GcryptKeystore, agent: AgentClient?) {
        self.store = store
        self.agent = agent
    }

    var capabilities: SecretStoreCapabilities { store.capabilities }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await store.names(in: namespace)
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { store.changes(in: namespace) }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        do throws(SecretStoreError) { return try await store.read(name) } catch {
            guard case .found(let found) = try await ask(.read(name), after: error) else { throw senseless }
            return found
        }
    }

    func write(
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

    /// Removing takes no key: a process that can open the store's file can also remove what is sealed.
    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        try await store.remove(name, if: precondition)
    }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        do throws(SecretStoreError) { return try await store.commit(changes) } catch {
            switch try await ask(.commit(changes), after: error) {
            case .committed(let versions) where versions.count == changes.count:
                return .committed(versions)
            case .conflict(let places):
                var conflicts: [SecretName: SecretVersion?] = [:]
                for (place, version) in places where changes.indices.contains(place) {
                    conflicts.updateValue(version, forKey: changes[place].name)
                }
                return .conflict(conflicts)
            default: throw senseless
            }
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
            code: .durabilityUnknown,
            message: "the session's agent \(what); whether this was kept is not known",
            path: error.path
        )
    }

    private func locked(_ error: SecretStoreError, _ why: String? = nil) -> SecretStoreError {
        guard store.isSealed else { return error }
        let why = why ?? "the store is sealed, and opens inside an unlocked `portcullis guard` only"
        return SecretStoreError(code: .classLocked, message: "\(error.message): \(why)", path: error.path)
    }

    private var senseless: SecretStoreError {
        SecretStoreError(
            code: .systemFailure,
            message: "the session's agent gave an answer that makes no sense"
        )
    }
}
