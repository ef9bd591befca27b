internal import LinuxSystem
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One process that asks the agent one thing; touched by the agent's thread only.
struct AgentConnection {
    /// What it waits for.
    enum Phase {
        /// The rest of the request.
        case reading
        /// Other requests, which come first or hold too much memory.
        case queued
        /// The store.
        case working
        /// Room for the answer.
        case writing
    }

    /// What a look at the connection led to.
    enum Step {
        case stays
        /// It said how long its request is; see ``takeBody()``.
        case announced
        case request(AgentRequest, store: String)
        /// It sent what makes no sense, or too much.
        case refused(AgentFailure)
        case ended
    }

    let descriptor: Int32
    private(set) var phase = Phase.reading
    /// Until when the process at the other end has to do its part.
    private(set) var due: ContinuousClock.Instant
    /// The right to the answer that is being made.
    private(set) var pass: AgentGate.Pass?

    /// What has come of the request's head, and then of the request.
    private var buffer = SecretBuffer(capacity: AgentMessage.head)
    /// How long the request is; `nil` until its head has come.
    private(set) var announced: Int?
    /// The request that waits for its turn; `nil` while its bytes do.
    private(set) var pending: (request: AgentRequest, store: String)?
    private var reply: SecretBytes?
    private var isSecret = false
    private var sent = 0

    init(_ descriptor: Int32, due: ContinuousClock.Instant) {
        self.descriptor = descriptor
        self.due = due
    }

    /// What to wait for.
    var events: DescriptorEvents {
        switch phase {
        case .reading: .readable
        case .queued, .working: []
        case .writing: .writable
        }
    }

    /// Takes what has come of the request.
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

    /// How many bytes of protected memory the request takes, whatever of it has come.
    var requestSize: Int { buffer.capacity }
    /// How many the answer takes.
    var replySize: Int { reply?.count ?? 0 }

    /// Waits until there is memory for what it announced, or, with a request, until that has its turn.
    mutating func queue(_ pending: (request: AgentRequest, store: String)? = nil) {
        phase = .queued
        self.pending = pending
    }

    /// There is memory for the request: as much as it announced, and no more, in however many pieces it comes.
    mutating func takeBody() {
        phase = .reading
        buffer = SecretBuffer(capacity: announced ?? 0)
    }

    /// The store is asked now, by the right that there was when the request had come.
    mutating func work(by pass: AgentGate.Pass) {
        (phase, pending) = (.working, nil)
        self.pass = pass
    }

    /// The answer is there.
    mutating func answer(_ reply: AgentReply, due: ContinuousClock.Instant) {
        (phase, pending) = (.writing, nil)
        self.reply = reply.message
        isSecret = reply.isSecret
        self.due = due
    }

    /// Sends what there is room for of the answer; a value only as long as the session has not been locked since it
    /// was asked for.
    mutating func write(through gate: AgentGate) -> Step {
        while let reply {
            let start = sent
            let count: Int?
            if isSecret, let pass {
                let passed = gate.during(pass) { [descriptor] in
                    UnixSocket.send(reply, from: start, to: descriptor) ?? -1
                }
                guard let passed else { return start == 0 ? .refused(.classLocked) : .ended }
                count = passed < 0 ? nil : passed
            } else {
                count = UnixSocket.send(reply, from: start, to: descriptor)
            }
            guard let count else { return .ended }
            sent += count
            if sent == reply.count { return .ended }
            if count == 0 { return .stays }
        }
        return .ended
    }
}
