internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Gives the processes of a session what is sealed, for as long as the session is unlocked, and never the key.
///
/// It listens on a Unix socket (0600) in a fresh folder (0700): in `$XDG_RUNTIME_DIR` where that is this user's alone,
/// else in `$TMPDIR` or `/tmp`. The kernel is asked who is at the other end, and other users are not answered. The
/// processes of the session find it by the environment variable ``variable``, and ask through a ``SessionStore``.
///
/// It reads and writes items of its one store, and none of the library's own namespaces. A request takes 2 MiB at most.
/// A connection is one request and its answer. One thread serves all of them, so the time of each has a bound: a process
/// has five seconds for its request and as long for the answer, and may be sent away after one second when there are
/// many. The memory that all of them hold has a bound, too: a request that would exceed it waits for the others.
///
/// It is closed at first. It runs until it is stopped: before ``stop()`` has returned its thread, its socket and the store
/// stay in use.
public final class SessionAgent: Sendable {
    /// The environment variable that tells the processes of a session where its agent is.
    public static let variable = "PORTCULLIS_AGENT"
    /// How many processes may ask at once.
    static let mostConnections = 16
    /// How many bytes of protected memory all requests may take together, and all answers before the store is asked for
    /// another value, which may be as long as the longest.
    static let mostHeld = 4 * AgentMessage.longestRequest
    /// How long a process may take to ask, and to take the answer.
    static let patience = Duration.seconds(5)
    /// How long it may take in any case, however many others there are: so one that has only just come is not sent away.
    static let grace = Duration.seconds(1)

    enum Command: Sendable {
        case reply(UInt64, AgentReply)
        case stop(CheckedContinuation<Void, Never>)
    }

    private let store: any TransactionalSecretStore
    /// The store's file, as requests must name it.
    let storePath: String
    let place: AgentPlace
    let listener: Int32
    let mailbox: Mailbox<Command>
    /// Open while the session is unlocked.
    let gate = AgentGate()
    /// What ends it, from the first ``stop()`` on.
    private let ending = Mutex<Task<Void, Never>?>(nil)

    /// The absolute path of its socket: the value of ``variable`` for the processes of the session.
    public var socket: String { place.socket }

    /// Makes the socket and begins to listen; what is asked is refused until ``open()``.
    ///
    /// Folders that agents left behind which were killed are removed on the way.
    ///
    /// - Parameters:
    ///   - store: what is asked for the items. A store that is not sealed is given away as well.
    ///   - storePath: the store's file, which requests have to name; links are resolved. For a store that is no file any
    ///     text that agent and processes agree on.
    ///   - environment: where `XDG_RUNTIME_DIR` and `TMPDIR` are looked up.
    /// - Throws: ``SessionAgentError``: ``SessionAgentErrorCode/noPlace``, ``SessionAgentErrorCode/notListening``,
    ///   ``SessionAgentErrorCode/systemFailure``; nothing is left behind then.
    public init(
        store: any TransactionalSecretStore,
        at storePath: String,
        environment: [String: String]
    ) throws(SessionAgentError) {
        self.store = store
        self.storePath = AgentPlace.canonical(storePath)
        do throws(SystemCallError) { mailbox = try Mailbox() } catch {
            let what = "the system refused \(error.call)"
            throw SessionAgentError(.systemFailure, what, call: error.call, errno: error.errno)
        }
        place = try AgentPlace.make(environment)
        guard let listener = UnixSocket.listen(at: place.socket) else {
            let cause = errno
            place.remove()
            let what = "cannot listen at \(place.socket)"
            throw SessionAgentError(.notListening, what, call: "listen", errno: cause)
        }
        self.listener = listener
        do throws(ThreadRefusal) {
            try Threads.startAtOnce { [self] in
                var loop = AgentLoop(server: self)
                loop.run()
            }
        } catch {
            UnixSocket.end(listener)
            place.remove()
            throw SessionAgentError(
                .systemFailure,
                "the system refused a thread",
                call: "pthread_create",
                errno: error.errno
            )
        }
    }

    /// The session is unlocked: what is asked from now on is answered.
    public func open() { gate.open() }

    /// The session is locked: when this returns, no byte of a value leaves any more, also of an answer under way.
    public func close() { gate.close() }

    /// Whether what is asked now is answered.
    public var isOpen: Bool { gate.enter() != nil }

    /// Ends it, and takes socket and folder away; returns when they are gone, also where it was stopped before.
    public func stop() async {
        gate.close()
        let ending = ending.withLock { ending in
            let task =
                ending
                ?? Task { [mailbox] in await withCheckedContinuation { mailbox.post(.stop($0)) } }
            ending = task
            return task
        }
        await ending.value
    }

    // MARK: Answering

    func answer(_ request: AgentRequest) async -> AgentReply {
        do throws(SecretStoreError) {
            switch request {
            case .read(let name):
                return .found(try await store.read(name))
            case .commit(let changes):
                switch try await store.commit(changes) {
                case .committed(let versions): return .committed(versions)
                case .conflict(let conflicts):
                    var places: [Int: SecretVersion?] = [:]
                    for (place, change) in changes.enumerated() {
                        if let version = conflicts[change.name] { places.updateValue(version, forKey: place) }
                    }
                    return .conflict(places)
                }
            }
        } catch {
            return .failed(AgentFailure(error.code), message: error.message)
        }
    }

    static func refusal(_ failure: AgentFailure) -> AgentReply {
        let message =
            switch failure {
            case .classLocked: "the session is locked"
            case .otherStore: "the session's store is another one"
            case .tooLarge: "this is more than a session's agent takes at once"
            case .lockTimeout: "too much is asked of the session's agent at once"
            case .invalidName: "a namespace of the library is not for others"
            default: "the session's agent does not understand the request"
            }
        return .failed(failure, message: message)
    }
}

extension AgentRequest {
    /// Whether a value is asked for.
    var isRead: Bool {
        if case .read = self { true } else { false }
    }

    /// The items it is about.
    var names: [SecretName] {
        switch self {
        case .read(let name): [name]
        case .commit(let changes): changes.map(\.name)
        }
    }
}
