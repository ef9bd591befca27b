internal import AdapterKit
internal import LinuxSystem
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Sends requests to the agent of the session that this process runs in.
struct AgentClient: Sendable {
    /// The longest wait for an answer. It is longer than the default time that a store waits for other
    /// processes.
    private static let patience = Duration.seconds(15)

    /// The result of a request.
    enum Outcome: Sendable {
        case answered(AgentReply)
        /// No process of this user listens. Nothing was sent.
        case noListener
        /// The connection ended without a valid answer. The agent may have received the request.
        case lost
        /// The agent did not answer in time. `isSent`: whether the whole request was sent. The agent ignores
        /// a request that was sent only in part.
        case late(isSent: Bool)
    }

    private let socket: String
    private let storePath: String
    private let thread = WorkerThread()

    /// Finds the agent that the environment names; `nil` if the environment names no agent, or if the store's
    /// path with its links resolved is not UTF-8.
    ///
    /// - Parameter storePath: the path of the store's file. An agent of another store refuses the requests.
    init?(_ environment: [String: String], storePath: String) {
        guard let socket = environment[SessionAgent.variable], socket.hasPrefix("/"),
            let storePath = AgentPlace.canonical(storePath)
        else { return nil }
        self.socket = socket
        self.storePath = storePath
    }

    /// Sends a request and waits for the answer, on a thread of this client. The thread sends one request
    /// after the other, and the time limit includes the wait for earlier requests.
    func ask(_ request: AgentRequest) async throws(SecretStoreError) -> Outcome {
        let message = request.message(for: storePath)
        guard message.count - AgentMessage.head <= AgentMessage.longestRequest else {
            throw SecretStoreError(
                code: .tooLarge,
                message: "this is more than a session's agent takes at once"
            )
        }
        let due = ContinuousClock.now + Self.patience
        return await thread.run { [socket] in Self.exchange(message, socket, until: due) }
    }

    private static func exchange(
        _ message: SecretBytes,
        _ socket: String,
        until due: ContinuousClock.Instant
    ) -> Outcome {
        guard ContinuousClock.now < due else { return .late(isSent: false) }
        var connected = UnixSocket.connect(to: socket)
        while connected == nil, errno == EAGAIN {
            // The agent's queue of new connections is full, so the next attempt follows after 10 ms.
            guard ContinuousClock.now < due else { return .late(isSent: false) }
            Threads.sleep(microseconds: 10_000)
            connected = UnixSocket.connect(to: socket)
        }
        guard let connection = connected else { return .noListener }
        defer { close(connection) }
        var sent = 0
        while sent < message.count {
            // A failed send does not end the exchange. An agent that refuses a request may send its answer
            // and close the connection before it has read the whole request. So the answer is read in any
            // case.
            guard let count = UnixSocket.send(message, from: sent, to: connection) else { break }
            sent += count
            if count == 0, !wait(connection, for: .writable, until: due) { return .late(isSent: false) }
        }
        var buffer = SecretBuffer(capacity: AgentMessage.head)
        var hasHead = false
        while true {
            switch UnixSocket.receive(into: buffer, from: connection) {
            case .nothing: if !wait(connection, for: .readable, until: due) { return .late(isSent: true) }
            case .end, .failed: return .lost
            case .bytes: break
            }
            guard buffer.freeCapacity == 0 else { continue }
            let part = buffer.finish()
            if hasHead { return AgentReply.decode(part).map { .answered($0) } ?? .lost }
            let length = AgentMessage.length(part)
            guard (1...AgentMessage.longestReply).contains(length) else { return .lost }
            (hasHead, buffer) = (true, SecretBuffer(capacity: length))
        }
    }

    private static func wait(
        _ descriptor: Int32,
        for events: DescriptorEvents,
        until due: ContinuousClock.Instant
    ) -> Bool {
        let left = ContinuousClock.now.duration(to: due)
        return left > .zero && DescriptorWait.isReady(descriptor, for: events, atMost: left)
    }
}
