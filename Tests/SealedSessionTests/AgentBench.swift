import Foundation
import Glibc
import LinuxSystem
import PortcullisCore
import PortcullisTesting
import Testing

@testable import SealedSession

/// An agent in this process, over any store, and the connections of a test to it.
final class AgentBench: Sendable {
    /// The path of the store, as requests name it.
    static let storePath = "a store"

    let folder: URL
    let agent: SessionAgent

    /// Starts an agent, which is open.
    init(_ store: any TransactionalSecretStore = InMemorySecretStore(), at path: String = storePath) throws {
        folder = URL(fileURLWithPath: "/tmp/bench-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        agent = try SessionAgent(
            store: store,
            at: path,
            environment: ["XDG_RUNTIME_DIR": folder.path]
        )
        agent.open()
    }

    /// Stops the agent and removes its folder.
    func stop() async {
        await agent.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func connect() throws -> Connection {
        Connection(try #require(UnixSocket.connect(to: agent.socket), "errno \(errno)"))
    }

    /// Makes a connection that has sent this request.
    func asking(_ request: AgentRequest, of store: String = storePath) throws -> Connection {
        let connection = try connect()
        try connection.send(request.message(for: store))
        return connection
    }

    /// The agent's answer to a request on a connection of its own.
    func answer(to request: AgentRequest, of store: String = storePath) async throws -> AgentReply? {
        try await asking(request, of: store).reply()
    }
}

/// A connection to an agent. It is closed with the last reference.
final class Connection: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) throws { try send(SecretBytes(copying: bytes)) }

    /// Sends all bytes, for which the agent may have to read.
    func send(_ bytes: SecretBytes) throws {
        var sent = 0
        while sent < bytes.count {
            let count = try #require(UnixSocket.send(bytes, from: sent, to: descriptor))
            sent += count
            if count == 0 {
                try #require(DescriptorWait.isReady(descriptor, for: .writable, atMost: .seconds(60)))
            }
        }
    }

    /// Whether the agent has closed the connection or sent something.
    var isReady: Bool { DescriptorWait.isReady(descriptor, atMost: .zero) }

    /// The bytes that arrive until the agent closes the connection.
    func everything() async throws -> SecretBytes {
        let buffer = SecretBuffer(capacity: 1 << 16)
        // Real time: the agent's thread is moved by no clock of the tests.
        let due = ContinuousClock.now + BoundedWait.limit
        while ContinuousClock.now < due {
            if buffer.freeCapacity == 0 { buffer.makeRoom(1 << 16) }
            switch UnixSocket.receive(into: buffer, from: descriptor) {
            case .bytes: break
            case .end, .failed: return buffer.finish()
            case .nothing: try await Task.sleep(for: .milliseconds(2))
            }
        }
        throw BoundedWait.TimedOut(description: "the agent did not close the connection")
    }

    /// The answer; `nil` if the agent closed the connection without a whole one.
    func reply() async throws -> AgentReply? {
        let answer = try await everything()
        guard answer.count > AgentMessage.head,
            AgentMessage.length(answer.part(0..<AgentMessage.head)) == answer.count - AgentMessage.head
        else { return nil }
        return AgentReply.decode(answer.part(AgentMessage.head..<answer.count))
    }

    /// The refusal in the answer.
    func failure() async throws -> AgentFailure? {
        guard case .failed(let failure, _) = try await reply() else { return nil }
        return failure
    }
}

/// A store in memory whose reads wait at a gate, and its commits at another.
final class GatedStore: ForwardingSecretStore, TransactionalSecretStore {
    let gate = Gate()
    let commits = Gate()
    private let memory = InMemorySecretStore()

    var base: any SecretStore { memory }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        _ = await gate.pass()
        return try await memory.read(name)
    }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        _ = await commits.pass()
        return try await memory.commit(changes)
    }
}

/// An item's name in the namespace of the tests.
func item(_ text: String = "item") throws -> SecretName {
    try SecretName(text, in: SecretNamespace("default"))
}
