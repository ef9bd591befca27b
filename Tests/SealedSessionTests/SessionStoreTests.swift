import Foundation
import Glibc
import LinuxSystem
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import SealedSession

/// The store of a session's process, and what it makes of each answer of an agent.
@Suite("the store of a session's process (K-8)", .timeLimit(.minutes(5)))
struct SessionStoreTests {
    private let file = InMemorySealableStore.File()

    private func sealed(_ socket: String, refusal: String = "told so") async throws -> SessionStore {
        let own = InMemorySealableStore(file)
        if !own.isSealed {
            try await own.write(SecretBytes(copying: [1]), to: item(), accessibility: .whenUnlocked)
            try await own.seal(under: SecretBytes(randomCount: 32), recoverableWith: [])
        }
        return SessionStore(
            InMemorySealableStore(file),
            at: "/store",
            environment: [SessionAgent.variable: socket],
            refusal: refusal
        )
    }

    private func write(_ count: Int = 1) throws -> SecretChange {
        .write(
            SecretBytes(copying: [UInt8](repeating: 1, count: count)),
            to: try item(),
            accessibility: .whenUnlocked,
            if: .none
        )
    }

    private func failure(
        _ body: () async throws(SecretStoreError) -> Void
    ) async -> SecretStoreError? {
        do throws(SecretStoreError) { try await body() } catch { return error }
        return nil
    }

    /// The errors of a read and of a change.
    private func failures(_ store: SessionStore) async throws -> (
        read: SecretStoreError?, change: SecretStoreError?
    ) {
        let (name, change) = (try item(), try write())
        async let read = failure { () throws(SecretStoreError) in _ = try await store.read(name) }
        async let changed = failure { () throws(SecretStoreError) in _ = try await store.commit([change]) }
        return await (read, changed)
    }

    private func failures(answering message: SecretBytes?) async throws -> (
        read: SecretStoreError?, change: SecretStoreError?
    ) {
        let agent = try FakeAgent(message: message)
        let found = try await failures(sealed(agent.socket))
        await agent.stop()
        return found
    }

    @Test("K-8: each refusal of an agent is the store's error, with the agent's message")
    func refusals() async throws {
        for failure in AgentFailure.allCases {
            let (read, change) = try await failures(
                answering: AgentReply.failed(failure, message: "why").message
            )
            for error in [read, change] {
                #expect(error?.code == failure.code, "\(failure)")
                switch failure {
                case .classLocked: #expect(error?.message.hasSuffix(": the session is locked") == true)
                case .otherStore: #expect(error?.message.hasSuffix(": told so") == true)
                default: #expect(error?.message == "why")
                }
            }
        }
    }

    @Test(
        "K-8: an answer that is cut short, too long, empty or none is a lock for a read, and unknown for a change"
    )
    func lost() async throws {
        let longest = UInt32(AgentMessage.longestReply) + 1
        for bytes in [
            nil, [], [1, 0], [1, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0, 77], [2, 0, 0, 0, 1, 1],
            (0..<4).map { UInt8(truncatingIfNeeded: longest >> ($0 * 8)) } + [1],
        ] as [[UInt8]?] {
            let (read, change) = try await failures(answering: bytes.map { SecretBytes(copying: $0) })
            #expect(read?.code == .classLocked, "\(String(describing: bytes))")
            #expect(read?.message.hasSuffix(": the session was locked meanwhile") == true)
            #expect(change?.code == .outcomeUnknown)
            #expect(change?.message == "the session's agent went away; whether this was kept is not known")
        }
    }

    @Test("K-8: an answer to another kind of request is senseless")
    func senseless() async throws {
        for reply in [AgentReply.committed([SecretVersion(1)]), .conflict([0: nil])] {
            let (read, _) = try await failures(answering: reply.message)
            #expect(read?.code == .senselessAnswer)
            #expect(read?.message == "the session's agent gave an answer that makes no sense")
        }
        for reply in [AgentReply.found(nil), .committed([]), .committed([nil]), .conflict([0: nil])] {
            let (_, change) = try await failures(answering: reply.message)
            #expect(change?.code == .senselessAnswer)
        }
    }

    @Test("K-8: without an agent, or beside a socket that is gone, the message says where the store opens")
    func noAgent() async throws {
        for socket in ["", "relative", "/nowhere/agent", "/tmp", "/" + String(repeating: "x", count: 200)] {
            let (read, change) = try await failures(sealed(socket))
            for error in [read, change] {
                #expect(
                    error?.code == .classLocked && error?.message.hasSuffix(": told so") == true,
                    "\(socket)"
                )
            }
        }
        let store = SessionStore(InMemorySealableStore(file), at: "/store", environment: [:])
        let error = try await failures(store).read
        #expect(error?.code == .classLocked)
        #expect(error?.message.hasSuffix(": the store is sealed, and opens inside its session only") == true)
    }

    @Test("K-8: an agent is asked for locked items of a sealed store, and for nothing else")
    func others() async throws {
        let agent = try FakeAgent(AgentReply.found(nil))
        let store = try await sealed(agent.socket)
        let readable = try item("readable")
        let version = try await store.write(
            SecretBytes(copying: [5]),
            to: readable,
            accessibility: .afterFirstUnlock,
            if: .absent
        )
        guard case .written(let first) = version else {
            Issue.record("it was not written")
            return
        }
        #expect(try await store.read(readable)?.version == first)
        let conflict = try await store.write(
            SecretBytes(copying: [6]),
            to: readable,
            accessibility: .afterFirstUnlock,
            if: .absent
        )
        #expect(conflict == .conflict(current: first))
        #expect(try await store.names(in: SecretNamespace("default")) == [item(), readable])
        #expect(store.capabilities == InMemorySealableStore(file).capabilities)
        #expect(try await store.remove(readable, if: .version(first)) == .removed)
        #expect(agent.requests == 0)
        #expect(try await store.read(item()) == nil)
        await agent.stop()
    }

    @Test("K-8: a locked class of a store that is not sealed is the store's own error")
    func notSealed() async throws {
        let agent = try FakeAgent(AgentReply.found(nil))
        let locked = InMemorySealableStore(file)
        try await locked.write(SecretBytes(copying: [1]), to: item(), accessibility: .whenUnlocked)
        let store = SessionStore(locked, at: "/store", environment: [SessionAgent.variable: agent.socket])
        locked.lock()
        let own = await failure { () throws(SecretStoreError) in _ = try await locked.commit([try! write()]) }
        let error = try await failures(store).change
        #expect(error?.code == .classLocked && error?.message == own?.message && own != nil)
        #expect(agent.requests == 0)
        await agent.stop()
    }

    @Test(
        "K-8: an agent that does not answer is given up after fifteen seconds, and a change may have been made"
    )
    func late() async throws {
        // Real time: what waits is a thread on a socket.
        let folder = URL(fileURLWithPath: "/tmp/late-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        func listen(_ name: String) throws -> (path: String, listener: Int32) {
            let path = folder.appendingPathComponent(name).path
            return (path, try #require(UnixSocket.listen(at: path)))
        }
        let (silent, full) = (try listen("silent"), try listen("full"))
        defer { for listener in [silent.listener, full.listener] { close(listener) } }
        // So many that the system takes no further one.
        var waiting: [Int32] = []
        while let one = UnixSocket.connect(to: full.path) { waiting.append(one) }
        #expect(errno == EAGAIN && waiting.count >= 64)
        defer { for one in waiting { close(one) } }
        let (reading, changing) = (try await sealed(silent.path), try await sealed(silent.path))
        let (sending, asking) = (try await sealed(silent.path), try await sealed(silent.path))
        let second = try await sealed(full.path)
        let (name, small) = (try item(), try write())
        // More than the socket holds is not sent whole, so the agent has made no change.
        let large = try write(1 << 20)
        let start = ContinuousClock.now
        async let noAnswer = failure { () throws(SecretStoreError) in _ = try await reading.read(name) }
        async let noOutcome = failure { () throws(SecretStoreError) in _ = try await changing.commit([small])
        }
        async let refused = failures(second)
        async let tooMuch = failure { () throws(SecretStoreError) in _ = try await sending.commit([large]) }
        // A store sends one request after the other.
        async let queued = withTaskGroup(of: SecretStoreErrorCode?.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await failure { () throws(SecretStoreError) in _ = try await asking.read(name) }?.code
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let (read, change, others) = await (noAnswer, noOutcome, queued)
        let time = ContinuousClock.now - start
        #expect(
            time >= .seconds(14.9) && time < .seconds(29),
            "the time includes the wait for others: \(time)"
        )
        #expect(others == Array(repeating: .lockTimeout, count: 4))
        #expect(read?.code == .lockTimeout && read?.message == "the session's agent does not answer")
        #expect(change?.code == .outcomeUnknown)
        #expect(change?.message == "the session's agent does not answer; whether this was kept is not known")
        let (noRead, noChange) = try await refused
        #expect(noRead?.code == .lockTimeout && noChange?.code == .lockTimeout)
        let notSent = await tooMuch
        #expect(notSent?.code == .lockTimeout && notSent?.message == "the session's agent does not answer")
    }
}

/// The port's contract, kept by a store whose `whenUnlocked` items only the session's agent can read and write.
@Suite("SessionStore keeps the SecretStore contract over a store in memory (X-3)", .timeLimit(.minutes(5)))
struct SessionStoreContractTests {
    private final class Agents: Sendable { let all = Mutex<[SessionAgent]>([]) }

    @Test(
        "X-3: a session's store keeps every clause that a store in memory keeps",
        arguments: SecretStoreContract.allCases
    )
    func contract(_ clause: SecretStoreContract) async throws {
        let agents = Agents()
        let subject = SecretStoreSubject(
            lock: { _ in for agent in agents.all.withLock({ $0 }) { agent.close() } },
            unlock: { _ in for agent in agents.all.withLock({ $0 }) { agent.open() } },
            places: {
                let file = InMemorySealableStore.File()
                let guarding = InMemorySealableStore(file)
                try await guarding.seal(under: SecretBytes(randomCount: 32), recoverableWith: [])
                let agent = try SessionAgent(store: guarding, at: "a store", environment: [:])
                agent.open()
                agents.all.withLock { $0.append(agent) }
                let socket = agent.socket
                return SecretStoreSubject.Place(open: {
                    SessionStore(
                        InMemorySealableStore(file),
                        at: "a store",
                        environment: [SessionAgent.variable: socket]
                    )
                })
            }
        )
        let result: Result<ContractResult, ContractViolation>
        do throws(ContractViolation) { result = .success(try await clause.check(subject)) } catch {
            result = .failure(error)
        }
        for agent in agents.all.withLock({ $0 }) { await agent.stop() }
        _ = try result.get()
    }
}
