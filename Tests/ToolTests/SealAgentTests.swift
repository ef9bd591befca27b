import Foundation
import LinuxSystem
import Glibc
import PortcullisCore
import Testing

@testable import SealedSession
@testable import portcullis

/// The socket through which a session's processes get what is sealed, and who else finds it.
@Suite("the agent of a sealed session (K-8)", .serialized, .timeLimit(.minutes(10)))
struct SealAgentTests {
    @Test("K-8: the socket is this user's only, in a folder of its own")
    func place() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        let socket = URL(fileURLWithPath: try home.agent())
        #expect(try mode(socket.path) == 0o600)
        let folder = socket.deletingLastPathComponent()
        #expect(try mode(folder.path) == 0o700)
        #expect(folder.deletingLastPathComponent().path == home.outside.home.path, "XDG_RUNTIME_DIR")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["agent"])
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("K-8: processes that ask and do not go on, or send nonsense, hold up nobody")
    func slow() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        let (path, inside) = (try home.agent(), try home.inside())
        let silent = (0..<40).compactMap { _ in UnixSocket.connect(to: path) }
        defer { for connection in silent { close(connection) } }
        #expect(silent.count == 40)
        #expect(try await inside.run("secret", "get", "shut").text == "shut-value")
        for bytes in [
            [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 1], [3, 0, 0, 0, 9, 9, 9], [1, 0, 0, 0, 1],
            [10, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0, 0, 0],
        ] as [[UInt8]] {
            let connection = try #require(UnixSocket.connect(to: path))
            defer { close(connection) }
            _ = UnixSocket.send(SecretBytes(copying: bytes), from: 0, to: connection)
            #expect(try await failure(of: connection) != nil)
        }
        #expect(try await inside.run("secret", "get", "shut").text == "shut-value")
    }

    @Test("K-8: of many processes that come at once none is sent away for another")
    func many() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        let path = try home.agent()
        let name = try SecretName("shut", in: SecretNamespace("default"))
        let message = try AgentRequest.read(name).message(for: home.realPath())
        // On a busy machine this process may itself be late for the second that each is given, and hardly five times.
        var answers = 0
        for _ in 0..<5 where answers < 3 * SessionAgent.mostConnections {
            answers = try await crowd(at: path, sending: message)
        }
        #expect(answers == 3 * SessionAgent.mostConnections)
    }

    /// Has three times as many ask at once as there is room for.
    ///
    /// - Returns: how many were answered.
    private func crowd(at path: String, sending message: SecretBytes) async throws -> Int {
        let all = (0..<3 * SessionAgent.mostConnections).compactMap { _ in UnixSocket.connect(to: path) }
        defer { for connection in all { close(connection) } }
        #expect(all.count == 3 * SessionAgent.mostConnections)
        // As many as there is room for are taken up before they ask. Not a task's sleep: it may be long before it goes on.
        usleep(100_000)
        for connection in all { _ = UnixSocket.send(message, from: 0, to: connection) }
        var answers = 0
        for connection in all {
            if try await everything(from: connection).count > "shut-value".utf8.count { answers += 1 }
        }
        return answers
    }

    /// Reads what the agent says, until it hangs up.
    private func everything(from connection: Int32) async throws -> SecretBytes {
        let buffer = SecretBuffer(capacity: 65536)
        let start = ContinuousClock.now
        while ContinuousClock.now - start < GuardedRun.deadline {
            if buffer.freeCapacity == 0 { buffer.makeRoom(65536) }
            switch UnixSocket.receive(into: buffer, from: connection) {
            case .bytes: break
            case .end, .failed: return buffer.finish()
            case .nothing: try await Task.sleep(for: .milliseconds(5))
            }
        }
        throw GuardedRun.TimedOut(description: "the agent did not hang up")
    }

    private func failure(of connection: Int32) async throws -> AgentFailure? {
        let answer = try await everything(from: connection)
        guard answer.count > AgentMessage.head,
            case .failed(let failure, _) = AgentReply.decode(answer.part(AgentMessage.head..<answer.count))
        else { return nil }
        return failure
    }

    @Test("K-8: an agent gives nothing of another store, and nothing of the library's")
    func otherItems() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        let inside = try home.inside()
        let copy = home.outside.home.appendingPathComponent("copy.keystore")
        try FileManager.default.copyItem(at: home.store, to: copy)
        #expect(try await inside.run("secret", "get", "shut", "--store", copy.path).status == 10)
        let link = home.outside.home.appendingPathComponent("way")
        try FileManager.default.createSymbolicLink(
            at: link,
            withDestinationURL: home.store.deletingLastPathComponent()
        )
        let linked = link.appendingPathComponent("default.keystore").path
        #expect(try await inside.run("secret", "get", "shut", "--store", linked).text == "shut-value")

        let name = try SecretName("device", in: .library("passcode"))
        let connection = try #require(UnixSocket.connect(to: try home.agent()))
        defer { close(connection) }
        let message = try AgentRequest.read(name).message(for: home.realPath())
        _ = UnixSocket.send(message, from: 0, to: connection)
        #expect(try await failure(of: connection) == .invalidName)
        // Also as one of many to be written.
        let changes: [SecretChange] = [
            .write(
                SecretBytes(copying: [1]),
                to: try SecretName("ours", in: SecretNamespace("default")),
                accessibility: .whenUnlocked,
                if: .none
            ),
            .write(SecretBytes(copying: [2]), to: name, accessibility: .whenUnlocked, if: .none),
        ]
        let before = try Data(contentsOf: home.store)
        let writer = try #require(UnixSocket.connect(to: try home.agent()))
        defer { close(writer) }
        let write = try AgentRequest.commit(changes).message(for: home.realPath())
        _ = UnixSocket.send(write, from: 0, to: writer)
        #expect(try await failure(of: writer) == .invalidName)
        #expect(try Data(contentsOf: home.store) == before)
    }

    @Test("K-8: an answer that is under way when the session locks does not arrive whole")
    func lockedMeanwhile() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        // More than the socket takes while nobody reads.
        let large = Data(repeating: 0x41, count: 4 << 20)
        #expect(try await home.outside.run("secret", "set", "large", input: large).status == 0)
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        let connection = try #require(UnixSocket.connect(to: try home.agent()))
        defer { close(connection) }
        let name = try SecretName("large", in: SecretNamespace("default"))
        let message = try AgentRequest.read(name).message(for: home.realPath())
        _ = UnixSocket.send(message, from: 0, to: connection)
        // It has begun to come.
        var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        try await run.wait("the answer") { _ in unsafe poll(&waiting, 1, 0) == 1 }
        try await run.lock()
        #expect(try await everything(from: connection).count < large.count)
        #expect(try await home.inside().run("secret", "get", "large").status == 10)
        try await run.unlock(SealedHome.passcode)
        #expect(try await home.inside().run("secret", "get", "large").output == large)
    }

    @Test("K-8: an agent that hangs up gives nothing, and of what was to be set it is said that nobody knows")
    func hangsUp() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        let path = home.outside.home.appendingPathComponent("fake").path
        let listener = try #require(UnixSocket.listen(at: path))
        let task = Task {
            while !Task.isCancelled {
                if let connection = UnixSocket.accept(listener) { close(connection) }
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
        var tool = home.outside
        tool.variables["PORTCULLIS_AGENT"] = path
        #expect(try await tool.run("secret", "get", "shut").status == 10)
        let set = try await tool.run("secret", "set", "x", input: Data(count: 1 << 20))
        #expect(set.status == 7 && set.errors.contains("not known"))
        task.cancel()
        await task.value
        close(listener)
        // Nobody listens, or nothing is there: as without an agent.
        #expect(try await tool.run("secret", "set", "x", input: "1").status == 10)
        try FileManager.default.removeItem(atPath: path)
        #expect(try await tool.run("secret", "get", "shut").status == 10)
    }

    @Test("K-8: an agent that answers what makes no sense has kept nothing, as far as `secret set` says")
    func senseless() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        let path = home.outside.home.appendingPathComponent("fake").path
        let listener = try #require(UnixSocket.listen(at: path))
        defer { close(listener) }
        var tool = home.outside
        tool.variables["PORTCULLIS_AGENT"] = path
        for places in [[:], [3: nil], [0: SecretVersion(2)]] as [[Int: SecretVersion?]] {
            let message = AgentReply.conflict(places).message
            let task = Task {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(5))
                    guard let connection = UnixSocket.accept(listener) else { continue }
                    let request = SecretBuffer(capacity: 1 << 16)
                    while case .nothing = UnixSocket.receive(into: request, from: connection) {
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                    _ = UnixSocket.send(message, from: 0, to: connection)
                    close(connection)
                }
            }
            let set = try await tool.run("secret", "set", "x", input: "1")
            task.cancel()
            await task.value
            #expect(set.status == 7 && set.errors.contains("makes no sense"), "\(places)")
        }
        #expect(try await home.inside().run("secret", "get", "x").status == 1)
    }

    @Test("K-8: more than an agent takes at once is refused, and nothing is kept of it")
    func tooLarge() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        let inside = try home.inside()
        #expect(try await inside.run("secret", "set", "mid", input: Data(count: 1 << 20)).status == 0)
        #expect(try await inside.run("secret", "get", "mid").output.count == 1 << 20)
        #expect(try await inside.run("secret", "set", "big", input: Data(count: 3 << 20)).status == 2)
        #expect(try await inside.run("secret", "get", "big").status == 1)
    }
}
