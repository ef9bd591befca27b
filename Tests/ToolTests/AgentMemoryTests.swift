import Foundation
import LinuxSystem
import Glibc
import PortcullisCore
import Testing

@testable import SealedSession
@testable import portcullis

/// How much memory the processes of a session can make its agent hold.
@Suite("the memory of a session's agent (K-8)", .serialized, .timeLimit(.minutes(10)))
struct AgentMemoryTests {
    /// Beside what requests take: the blocks that small secrets share.
    private static let slack = 4 << 20

    /// The head of the longest request, and its beginning.
    private static let beginning = SecretBytes(copying: [0, 0, 0x20, 0, 1])

    private func isGone(_ connection: Int32) -> Bool {
        var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&waiting, 1, 0) == 1
    }

    @Test("K-8: what all requests hold together has a bound, beyond which others wait and none is lost")
    func together() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        let before = try Memory(of: run.process).protected()
        let path = try home.agent()
        let all = (0..<SessionAgent.mostConnections - 1).compactMap { _ in UnixSocket.connect(to: path) }
        defer { for connection in all { close(connection) } }
        for connection in all { _ = UnixSocket.send(Self.beginning, from: 0, to: connection) }
        // It has got so far when it asks for the rest, or lets others wait: its answer to one more comes behind.
        let inside = try home.inside()
        #expect(try await inside.run("secret", "get", "shut").text == "shut-value")
        #expect(try Memory(of: run.process).protected() - before <= SessionAgent.mostHeld + Self.slack)
        // Those who hold memory and do not go on give way, and a long request has its turn.
        let large = Data(repeating: 0x42, count: 1 << 20)
        #expect(try await inside.run("secret", "set", "large", input: large).status == 0)
        #expect(try await inside.run("secret", "get", "large").output == large)
        try await run.wait("all of them to be sent away") { _ in all.allSatisfy { isGone($0) } }
        let after = try Memory(of: run.process).protected() - before
        #expect(after <= Self.slack, "and what they held is given back")
    }

    @Test("K-8: large values that are asked for and not taken are not read all at once")
    func answers() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let large = Data(repeating: 0x41, count: 12 << 20)
        #expect(try await home.outside.run("secret", "set", "large", input: large).status == 0)
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        let before = try Memory(of: run.process).protected()
        let name = try SecretName("large", in: SecretNamespace("default"))
        let message = try AgentRequest.read(name).message(for: home.realPath())
        let path = try home.agent()
        let all = (0..<8).compactMap { _ in UnixSocket.connect(to: path) }
        defer { for connection in all { close(connection) } }
        for connection in all { _ = UnixSocket.send(message, from: 0, to: connection) }
        try await run.wait("the first answer") { _ in all.contains { isGone($0) } }
        // As it is read, opened, and made the answer; never eight of them.
        #expect(try Memory(of: run.process).protected() - before <= 3 * large.count + Self.slack)
        #expect(try await home.inside().run("secret", "get", "large").output == large)
    }
}
