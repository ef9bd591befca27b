internal import LinuxSystem
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The connection of one process, for one request and its answer. Only the agent's thread uses it.
struct AgentConnection {
    /// The phases of a connection.
    enum Phase {
        /// The connection waits for the rest of the request.
        case reading
        /// The connection waits for its turn: there is no memory for its request yet, or no further value
        /// may be read from the store yet.
        case queued
        /// The connection waits for the store.
        case working
        /// The connection waits until more of the answer can be sent.
        case writing
    }

    /// The result of reading from the connection or writing to it.
    enum Step {
        case stays
        /// The process has sent the length of its request; see ``takeBody()``.
        case announced
        case request(AgentRequest, store: String)
        /// The request is malformed or too large, or the session was locked before a value could be sent.
        case refused(AgentFailure)
        case ended
    }

    let descriptor: Int32
    private(set) var phase = Phase.reading
    /// The time by which the process at the other end must have sent its request or read the answer.
    private(set) var due: ContinuousClock.Instant
    /// The gate's pass for sending the answer; `nil` until the request is handed to the store.
    private(set) var pass: AgentGate.Pass?

    /// The received bytes: first the bytes of the request's head, then the bytes of the request itself.
    private var buffer = SecretBuffer(capacity: AgentMessage.head)
    /// The length of the request in bytes; `nil` until the request's head was received.
    private(set) var announced: Int?
    /// The request that waits for its turn; `nil` if there is none, or if it was not received completely.
    private(set) var pending: (request: AgentRequest, store: String)?
    /// The encoded answer.
    private var reply: (message: SecretBytes, isSecret: Bool)?
    private var sent = 0

    init(_ descriptor: Int32, due: ContinuousClock.Instant) {
        self.descriptor = descriptor
        self.due = due
    }

    /// The events of the descriptor for which the agent's thread waits.
    var events: DescriptorEvents {
        switch phase {
        case .reading: .readable
        case .queued, .working: []
        case .writing: .writable
        }
    }

    /// Reads the bytes of the request that have arrived.
    mutating func read() -> Step {
        while buffer.freeCapacity > 0 {
            switch UnixSocket.receive(into: buffer, from: descriptor) {
            case .nothing: return .stays
            case .end, .failed: return .ended
            case .bytes: break
            }
        }
        let part = buffer.finish()
        if announced != nil {
            guard let (request, store) = AgentRequest.decode(part) else { return .refused(.malformed) }
            return .request(request, store: store)
        }
        let length = AgentMessage.length(part)
        guard length > 0 else { return .refused(.malformed) }
        guard length <= AgentMessage.longestRequest else { return .refused(.tooLarge) }
        announced = length
        return .announced
    }

    /// The number of bytes of protected memory that the request takes, even if only a part of it has arrived.
    var requestSize: Int { buffer.capacity }
    /// The number of bytes that the answer takes.
    var replySize: Int { reply?.message.count ?? 0 }

    /// Queues the connection. If its request was received completely, the connection waits for the turn of
    /// this request. Otherwise it waits for memory to receive the request.
    mutating func queue(_ pending: (request: AgentRequest, store: String)? = nil) {
        phase = .queued
        self.pending = pending
    }

    /// Makes the buffer for the request. The buffer has the announced size from the start, even if the
    /// request arrives in several pieces.
    mutating func takeBody() {
        phase = .reading
        buffer = SecretBuffer(capacity: announced ?? 0)
    }

    /// Records that the store now works on the request. The pass was issued just before, and is needed to
    /// send a value.
    mutating func work(by pass: AgentGate.Pass) {
        (phase, pending) = (.working, nil)
        self.pass = pass
    }

    /// Stores the answer, which must be sent by `due`.
    mutating func answer(_ reply: AgentReply, due: ContinuousClock.Instant) {
        (phase, pending) = (.writing, nil)
        self.reply = (reply.message, reply.isSecret)
        self.due = due
    }

    /// Sends as much of the answer as the socket accepts now. A value is sent only if the session has stayed
    /// unlocked since the store began to work on the request.
    mutating func write(through gate: AgentGate) -> Step {
        while let reply {
            let start = sent
            let count: Int?
            if reply.isSecret, let pass {
                let passed = gate.during(pass) { [descriptor] in
                    UnixSocket.send(reply.message, from: start, to: descriptor) ?? -1
                }
                guard let passed else { return start == 0 ? .refused(.classLocked) : .ended }
                count = passed < 0 ? nil : passed
            } else {
                count = UnixSocket.send(reply.message, from: start, to: descriptor)
            }
            guard let count else { return .ended }
            sent += count
            if sent == reply.message.count { return .ended }
            if count == 0 { return .stays }
        }
        return .ended
    }
}
