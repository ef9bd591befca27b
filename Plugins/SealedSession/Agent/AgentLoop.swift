internal import LinuxSystem
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The main loop of the agent's thread, with all connections and their requests to the store. No other thread
/// uses this state.
struct AgentLoop {
    private let server: SessionAgent
    private var connections: [UInt64: AgentConnection] = [:]
    /// The requests that the store is working on, and their sizes in bytes. The connection of such a request
    /// may have ended already.
    private var underWay: [UInt64: (isRead: Bool, held: Int)] = [:]
    private var next: UInt64 = 0
    /// The time from which connections are accepted again; `nil` while they are accepted. It is set when the
    /// system has no resources for another connection.
    private var acceptsAgain: ContinuousClock.Instant?

    init(server: SessionAgent) { self.server = server }

    mutating func run() {
        while true {
            for command in server.mailbox.take() {
                switch command {
                case .reply(let number, let reply):
                    underWay[number] = nil
                    answer(number, reply)
                case .stop(let done):
                    for connection in connections.values { close(connection.descriptor) }
                    UnixSocket.end(server.listener)
                    server.place.remove()
                    // The store may answer a request later. A closed mailbox refuses that answer, so that its
                    // value does not stay in memory.
                    _ = server.mailbox.close()
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
            if connection.phase == .queued {
                answer(number, SessionAgent.refusal(.lockTimeout))
            } else {
                end(number)
            }
        }
        if let slow = slowest, slow.from <= now { end(slow.number) }
        admit()
        if let again = acceptsAgain, again <= now { acceptsAgain = nil }
        let numbers = Array(connections.keys)
        let isFull = roomFrom(now).map { $0 > now } ?? true
        var wait = DescriptorWait()
        wait.add(server.mailbox.descriptor)
        let listener = wait.add(isFull || acceptsAgain != nil ? nil : server.listener)
        let places = numbers.map { number in
            wait.add(connections[number]?.descriptor, connections[number]?.events ?? [])
        }
        _ = wait.wait(atMost: timeout(now))
        for (number, place) in zip(numbers, places) where !wait[place].isEmpty { look(at: number) }
        if !wait[listener].isEmpty { accept() }
    }

    private func timeout(_ now: ContinuousClock.Instant) -> Duration? {
        var dues = connections.values.filter { $0.phase != .working }.map(\.due)
        if let acceptsAgain { dues.append(acceptsAgain) }
        if let room = roomFrom(now), room > now { dues.append(room) }
        if let slowest { dues.append(slowest.from) }
        return dues.min().map { now.duration(to: $0) }
    }

    // MARK: Limits of connections and memory

    /// Returns the oldest connection for which `holds` is true. Connections that wait for the store are left
    /// out. The age counts from the acceptance of the connection, or from the time at which the answer was
    /// ready. The result also has the time from which the agent may end this connection.
    private func oldest(
        where holds: (AgentConnection) -> Bool
    ) -> (number: UInt64, from: ContinuousClock.Instant)? {
        connections.filter { $0.value.phase != .working && holds($0.value) }
            .map { (number: $0.key, from: $0.value.due - SessionAgent.patience + SessionAgent.grace) }
            .min { $0.from < $1.from }
    }

    /// The time from which one more connection can be accepted. This is `now` if there is room, otherwise the
    /// time from which the oldest connection may be ended; `nil` if every connection waits for the store.
    private func roomFrom(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard connections.count >= SessionAgent.mostConnections else { return now }
        return oldest { _ in true }?.from
    }

    /// The connection that may be ended while queued connections wait for memory, and the first moment at
    /// which it may be ended; `nil` if no connection is queued or none may be ended.
    private var slowest: (number: UInt64, from: ContinuousClock.Instant)? {
        guard connections.values.contains(where: { $0.phase == .queued }) else { return nil }
        return oldest { $0.phase != .queued }
    }

    /// Whether a request of this length still fits into the memory for requests. All other requests count,
    /// even those whose connections have ended.
    private func hasRoom(for length: Int) -> Bool {
        let held =
            connections.values.reduce(0) { $0 + $1.requestSize } + underWay.values.reduce(0) { $0 + $1.held }
        return held + length <= SessionAgent.mostHeld
    }

    /// Whether a value may be read from the store now. Only one value is read at a time, because its size is
    /// known only after the read.
    private var mayRead: Bool {
        !underWay.values.contains { $0.isRead }
            && connections.values.reduce(0) { $0 + $1.replySize } < SessionAgent.mostHeld
    }

    /// Continues the queued connections whose turn it is, in the order of their arrival.
    private mutating func admit() {
        for number in connections.keys.sorted() where connections[number]?.phase == .queued {
            if let (request, store) = connections[number]?.pending {
                if mayRead { take(request, store, number) }
            } else if hasRoom(for: connections[number]?.announced ?? 0) {
                connections[number]?.takeBody()
                look(at: number)
            }
        }
    }

    // MARK: One connection

    private mutating func accept() {
        guard let descriptor = UnixSocket.accept(server.listener) else {
            // After an error other than the three below, such as a lack of descriptors, the agent accepts
            // again only after 100 ms. An immediate attempt would fail again and take processor time.
            if errno != EAGAIN, errno != EINTR, errno != ECONNABORTED {
                acceptsAgain = ContinuousClock.now + .milliseconds(100)
            }
            return
        }
        guard UnixSocket.isOwn(descriptor) else {
            close(descriptor)
            return
        }
        if connections.count >= SessionAgent.mostConnections, let oldest = oldest(where: { _ in true }) {
            end(oldest.number)
        }
        next += 1
        connections[next] = AgentConnection(descriptor, due: ContinuousClock.now + SessionAgent.patience)
        look(at: next)
    }

    private mutating func look(at number: UInt64) {
        let gate = server.gate
        let step: AgentConnection.Step
        switch connections[number]?.phase {
        case .reading: step = connections[number]?.read() ?? .ended
        case .writing: step = connections[number]?.write(through: gate) ?? .ended
        // In these two phases the agent waits for no input or output. So an event means that the other end
        // was closed.
        case .queued, .working: step = .ended
        case nil: return
        }
        switch step {
        case .stays: break
        case .ended: end(number)
        case .refused(let failure): answer(number, SessionAgent.refusal(failure))
        case .announced:
            connections[number]?.queue()
            admit()
        case .request(let request, let store): take(request, store, number)
        }
    }

    private mutating func take(_ request: AgentRequest, _ store: String, _ number: UInt64) {
        guard let pass = server.gate.enter() else {
            return answer(number, SessionAgent.refusal(.classLocked))
        }
        // Paths are compared by their bytes. Two paths that differ only in their Unicode normal form are
        // equal as strings, but lead to two files.
        guard store.utf8.elementsEqual(server.storePath.utf8) else {
            return answer(number, SessionAgent.refusal(.otherStore))
        }
        guard !request.names.contains(where: \.namespace.isLibraryOwned) else {
            return answer(number, SessionAgent.refusal(.invalidName))
        }
        guard !request.isRead || mayRead else {
            connections[number]?.queue((request, store))
            return
        }
        let size = connections[number]?.announced ?? 0
        underWay[number] = (request.isRead, size + SessionAgent.requestCost)
        connections[number]?.work(by: pass)
        Task { [server] in server.mailbox.post(.reply(number, await server.answer(request))) }
    }

    private mutating func answer(_ number: UInt64, _ reply: AgentReply) {
        connections[number]?.answer(reply, due: ContinuousClock.now + SessionAgent.patience)
        look(at: number)
    }

    private mutating func end(_ number: UInt64) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        close(connection.descriptor)
    }
}
