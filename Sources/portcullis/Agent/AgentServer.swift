internal import PortcullisCore
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
/// It listens on a Unix socket in a folder of its own. A connection is one request and its answer. One thread serves
/// all of them, so a slow process holds up nobody for long: it has five seconds for its request and as long for the
/// answer, and gives way to others after one when there are many.
final class AgentServer: Sendable {
    /// How many processes may ask at once.
    static let mostConnections = 16
    /// How long a process may take to ask, and to take the answer.
    static let patience = Duration.seconds(5)
    /// How long it may take in any case, however many others there are: so one that has only just come is not sent away.
    static let grace = Duration.seconds(1)

    private enum Command: Sendable {
        case reply(UInt64, AgentReply)
        case stop(CheckedContinuation<Void, Never>)
    }

    private let store: any TransactionalSecretStore
    /// The store's file, as those who ask for it must name it.
    private let storePath: String
    private let place: AgentPlace
    private let listener: Int32
    private let mailbox = ThreadMailbox<Command>()
    /// Open while the session is unlocked.
    let gate = AgentGate()

    /// Where processes find it.
    var path: String { place.socket }

    /// Makes the socket and begins to listen; what is asked is refused until the gate is opened.
    init(
        store: any TransactionalSecretStore,
        at storePath: String,
        environment: [String: String]
    ) throws(GuardFailure) {
        self.store = store
        self.storePath = AgentPlace.canonical(storePath)
        place = try AgentPlace.make(environment)
        guard let listener = UnixSocket.listen(at: place.socket) else {
            let cause = errno
            place.remove()
            throw GuardFailure("cannot listen at \(place.socket)", cause)
        }
        self.listener = listener
        Threads.start { [self] in
            var loop = Loop(server: self)
            loop.run()
        }
    }

    /// Ends it, and takes socket and folder away; once.
    func stop() async {
        gate.close()
        await withCheckedContinuation { mailbox.post(.stop($0)) }
    }

    // MARK: Answering

    private func answer(_ request: AgentRequest) async -> AgentReply {
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

    private static func refusal(_ failure: AgentFailure) -> AgentReply {
        let message =
            switch failure {
            case .classLocked: "the session is locked"
            case .otherStore: "the session's store is another one"
            case .tooLarge: "this is more than a session's agent takes at once"
            case .invalidName: "a namespace of the library is not for others"
            default: "the session's agent does not understand the request"
            }
        return .failed(failure, message: message)
    }

    // MARK: The thread

    /// What the thread alone touches.
    private struct Loop {
        let server: AgentServer
        var connections: [UInt64: AgentConnection] = [:]
        var next: UInt64 = 0
        /// When to accept again after the system had nothing left for another connection.
        var acceptsAgain: ContinuousClock.Instant?

        init(server: AgentServer) { self.server = server }

        mutating func run() {
            while true {
                for command in server.mailbox.take() {
                    switch command {
                    case .reply(let number, let reply): answer(number, reply)
                    case .stop(let done):
                        for connection in connections.values { close(connection.descriptor) }
                        close(server.listener)
                        server.place.remove()
                        return done.resume()
                    }
                }
                wait()
            }
        }

        private mutating func wait() {
            let now = ContinuousClock.now
            for (number, connection) in connections
            where connection.phase != .working && connection.due <= now {
                end(number)
            }
            if let again = acceptsAgain, again <= now { acceptsAgain = nil }
            let numbers = Array(connections.keys)
            let isFull = roomFrom(now).map { $0 > now } ?? true
            var waiting = [
                pollfd(fd: server.mailbox.wakeDescriptor, events: Int16(POLLIN), revents: 0),
                pollfd(
                    fd: isFull || acceptsAgain != nil ? -1 : server.listener,
                    events: Int16(POLLIN),
                    revents: 0
                ),
            ]
            for number in numbers {
                guard let connection = connections[number] else { continue }
                waiting.append(pollfd(fd: connection.descriptor, events: connection.events, revents: 0))
            }
            _ = unsafe poll(&waiting, nfds_t(waiting.count), timeout(now))
            for (number, found) in zip(numbers, waiting.dropFirst(2)) where found.revents != 0 {
                look(at: number)
            }
            if waiting[1].revents != 0 { accept() }
        }

        private func timeout(_ now: ContinuousClock.Instant) -> Int32 {
            var dues = connections.values.filter { $0.phase != .working }.map(\.due)
            if let acceptsAgain { dues.append(acceptsAgain) }
            if let room = roomFrom(now), room > now { dues.append(room) }
            guard let first = dues.min() else { return -1 }
            let left = now.duration(to: first) / Duration.milliseconds(1)
            return Int32(max(0, min(left + 1, 60_000)))
        }

        /// The connection that has waited longest for the process at its other end.
        private var oldestWaiting: (number: UInt64, due: ContinuousClock.Instant)? {
            connections.filter { $0.value.phase != .working }.map { (number: $0.key, due: $0.value.due) }
                .min { $0.due < $1.due }
        }

        /// From when there is room for one more; `nil` while the store has to answer before there is.
        private func roomFrom(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
            guard connections.count >= AgentServer.mostConnections else { return now }
            return oldestWaiting.map { $0.due - AgentServer.patience + AgentServer.grace }
        }

        private mutating func accept() {
            guard let descriptor = UnixSocket.accept(server.listener) else {
                // Out of descriptors: a busy loop would not bring them back.
                if errno != EAGAIN, errno != EINTR, errno != ECONNABORTED {
                    acceptsAgain = ContinuousClock.now + .milliseconds(100)
                }
                return
            }
            guard UnixSocket.isOwn(descriptor) else {
                close(descriptor)
                return
            }
            if connections.count >= AgentServer.mostConnections, let oldest = oldestWaiting {
                end(oldest.number)
            }
            next += 1
            connections[next] = AgentConnection(descriptor, due: ContinuousClock.now + AgentServer.patience)
            look(at: next)
        }

        private mutating func look(at number: UInt64) {
            let gate = server.gate
            let step: AgentConnection.Step
            switch connections[number]?.phase {
            case .reading: step = connections[number]?.read() ?? .ended
            case .writing: step = connections[number]?.write(through: gate) ?? .ended
            // Nothing is waited for: it has hung up.
            case .working: step = .ended
            case nil: return
            }
            switch step {
            case .stays: break
            case .ended: end(number)
            case .refused(let failure): answer(number, AgentServer.refusal(failure))
            case .request(let request, let store): take(request, store, number)
            }
        }

        private mutating func take(_ request: AgentRequest, _ store: String, _ number: UInt64) {
            guard let pass = server.gate.enter() else {
                return answer(number, AgentServer.refusal(.classLocked))
            }
            guard store == server.storePath else {
                return answer(number, AgentServer.refusal(.otherStore))
            }
            guard !request.names.contains(where: \.namespace.isLibraryOwned) else {
                return answer(number, AgentServer.refusal(.invalidName))
            }
            connections[number]?.work(by: pass)
            Task { [server] in server.mailbox.post(.reply(number, await server.answer(request))) }
        }

        private mutating func answer(_ number: UInt64, _ reply: AgentReply) {
            connections[number]?.answer(reply, due: ContinuousClock.now + AgentServer.patience)
            look(at: number)
        }

        private mutating func end(_ number: UInt64) {
            guard let connection = connections.removeValue(forKey: number) else { return }
            close(connection.descriptor)
        }
    }
}

extension AgentRequest {
    /// The items it is about.
    var names: [SecretName] {
        switch self {
        case .read(let name): [name]
        case .commit(let changes): changes.map(\.name)
        }
    }
}
