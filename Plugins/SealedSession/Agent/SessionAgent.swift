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

/// Gives sealed items to the processes of a session while the session is unlocked. It never gives them the
/// key.
///
/// The agent listens on a Unix socket (0600) in a new folder (0700). The folder is in `$XDG_RUNTIME_DIR` if
/// that is private to this user, else in `$TMPDIR` or `/tmp`. The kernel tells the agent the user at the
/// other end of a connection, and other users get no answer. The session's processes find the socket by the
/// environment variable ``variable``, and use the socket through a ``SessionStore``.
///
/// The agent reads and writes items of its one store, except those in the library's own namespaces. A request
/// has at most 2 MiB. A connection carries one request and its answer.
///
/// One thread serves all connections, so their time is limited. A process has five seconds to send its
/// request, and five more seconds to read the answer. If there are 16 connections, or too little memory, the
/// agent may end a connection after one second. The memory of all connections is limited too. A request that
/// would exceed the limit waits for the other requests.
///
/// The agent is closed at first: it refuses all requests until ``open()``. The agent's thread and socket
/// exist until ``stop()`` has returned. Even then, the store may still be working on an earlier request.
public final class SessionAgent: Sendable {
    /// The environment variable with the path of the agent's socket.
    public static let variable = "PORTCULLIS_AGENT"
    /// The largest number of connections at one time.
    static let mostConnections = 16
    /// The largest number of bytes of protected memory for all requests together.
    ///
    /// The number also limits the answers: while all answers together take this number of bytes or more, no
    /// further value is read from the store. One value may have any size.
    static let mostHeld = 4 * AgentMessage.longestRequest
    /// The number of bytes that count towards ``mostHeld`` in addition to a request's length, from the time
    /// at which the agent asks the store. These bytes stand for the request's task and its decoded form,
    /// which may outlive the connection.
    static let requestCost = 8 << 10
    /// The time that a process has to send its request. The process has the same time again to read the
    /// answer.
    static let patience = Duration.seconds(5)
    /// The shortest time that a process is always given, even if there are many connections. So a new
    /// connection is not ended at once.
    static let grace = Duration.seconds(1)

    enum Command: Sendable {
        case reply(UInt64, AgentReply)
        case stop(CheckedContinuation<Void, Never>)
    }

    private let store: any TransactionalSecretStore
    /// The path of the store's file, which requests must name.
    let storePath: String
    let place: AgentPlace
    let listener: Int32
    let mailbox: Mailbox<Command>
    /// The gate, which is open while the session is unlocked.
    let gate = AgentGate()
    /// The task that ends the agent; `nil` before the first ``stop()``.
    private let ending = Mutex<Task<Void, Never>?>(nil)

    /// The absolute path of the agent's socket, for the variable ``variable`` of the session's processes.
    public var socket: String { place.socket }

    /// Makes the socket and begins to listen. Requests are refused until ``open()``.
    ///
    /// The call also removes the folders of agents that were killed.
    ///
    /// - Parameters:
    ///   - store: the store of the items. The agent also serves a store that is not sealed.
    ///   - storePath: the path of the store's file, which requests must name; links are resolved. For a store
    ///     without a file, this is any text that the agent and the processes agree on.
    ///   - environment: the variables `XDG_RUNTIME_DIR` and `TMPDIR`.
    /// - Throws: ``SessionAgentError``: ``SessionAgentErrorCode/unusablePath``,
    ///   ``SessionAgentErrorCode/noPlace``, ``SessionAgentErrorCode/notListening``,
    ///   ``SessionAgentErrorCode/systemFailure``. On an error no file is left behind.
    public init(
        store: any TransactionalSecretStore,
        at storePath: String,
        environment: [String: String]
    ) throws(SessionAgentError) {
        self.store = store
        guard let storePath = AgentPlace.canonical(storePath) else {
            throw SessionAgentError(code: .unusablePath, message: "the path of the store is not UTF-8")
        }
        self.storePath = storePath
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

    /// Opens the agent, because the session is unlocked. From now on requests are answered.
    public func open() { gate.open() }

    /// Closes the agent, because the session is locked. After this call no further byte of a value is sent,
    /// even if a part of the answer was sent before.
    public func close() { gate.close() }

    /// Whether requests are answered now.
    public var isOpen: Bool { gate.enter() != nil }

    /// Ends the agent, and returns when its socket and folder are removed. A second call also waits for the
    /// removal.
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
    /// Whether the request reads a value.
    var isRead: Bool {
        if case .read = self { true } else { false }
    }

    /// The names of the request's items.
    var names: [SecretName] {
        switch self {
        case .read(let name): [name]
        case .commit(let changes): changes.map(\.name)
        }
    }
}
