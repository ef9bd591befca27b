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
        /// The store.
        case working
        /// Room for the answer.
        case writing
    }

    /// What a look at the connection led to.
    enum Step {
        case stays
        case request(AgentRequest, store: String)
        /// It sent what makes no sense, or too much.
        case refused(AgentFailure)
        case ended
    }

    private static let chunk = 64 * 1024

    let descriptor: Int32
    private(set) var phase = Phase.reading
    /// Until when the process at the other end has to do its part.
    private(set) var due: ContinuousClock.Instant
    /// The right to the answer that is being made.
    private(set) var pass: AgentGate.Pass?

    private var head: [UInt8] = []
    private var wanted = 0
    private var body: [SecretBytes] = []
    private var got = 0
    private var reply: SecretBytes?
    private var isSecret = false
    private var sent = 0

    init(_ descriptor: Int32, due: ContinuousClock.Instant) {
        self.descriptor = descriptor
        self.due = due
    }

    /// What to wait for in `poll(2)`.
    var events: Int16 {
        switch phase {
        case .reading: Int16(POLLIN)
        case .working: 0
        case .writing: Int16(POLLOUT)
        }
    }

    /// Takes what has come of the request.
    mutating func read() -> Step {
        while true {
            let most =
                head.count < AgentMessage.head
                ? AgentMessage.head - head.count : min(wanted - got, Self.chunk)
            switch UnixSocket.receive(most, from: descriptor) {
            case .nothing: return .stays
            case .end: return .ended
            case .bytes(let bytes):
                if head.count < AgentMessage.head {
                    bytes.withBytes { span in for index in 0..<span.count { head.append(span[index]) } }
                    guard head.count == AgentMessage.head else { continue }
                    wanted = head.reversed().reduce(0) { $0 << 8 | Int($1) }
                    guard wanted > 0 else { return .refused(.malformed) }
                    guard wanted <= AgentMessage.longestRequest else { return .refused(.tooLarge) }
                } else {
                    body.append(bytes)
                    got += bytes.count
                }
            }
            guard wanted > 0, got == wanted else { continue }
            let message = SecretBytes(joining: body)
            body = []
            guard let (request, store) = AgentRequest.decode(message) else { return .refused(.malformed) }
            return .request(request, store: store)
        }
    }

    /// The store is asked now, by the right that there was when the request had come.
    mutating func work(by pass: AgentGate.Pass) {
        phase = .working
        self.pass = pass
    }

    /// The answer is there.
    mutating func answer(_ reply: AgentReply, due: ContinuousClock.Instant) {
        phase = .writing
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
