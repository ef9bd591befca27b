import Foundation
import Glibc
import LinuxSystem
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import SealedSession

/// What an agent answers, and to which requests.
@Suite("a session's agent (K-8)", .timeLimit(.minutes(5)))
struct AgentTests {
    private func write(_ name: SecretName, _ count: Int, _ condition: WritePrecondition = .none)
        -> SecretChange
    {
        .write(
            SecretBytes(copying: [UInt8](repeating: 7, count: count)),
            to: name,
            accessibility: .whenUnlocked,
            if: condition
        )
    }

    @Test("K-8: items are read and changed as in the store, with versions, classes and conflicts")
    func whole() async throws {
        let store = InMemorySecretStore()
        let bench = try AgentBench(store)
        let (one, two) = (try item("one"), try item("two"))
        guard case .found(nil) = try await bench.answer(to: .read(one)) else {
            Issue.record("there is nothing yet")
            return
        }
        let changes: [SecretChange] = [
            write(one, 3),
            .write(
                SecretBytes(copying: [1]),
                to: two,
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: .absent
            ),
        ]
        guard case .committed(let versions) = try await bench.answer(to: .commit(changes)) else {
            Issue.record("nothing was kept")
            return
        }
        #expect(try await store.read(one)?.version == versions[0])
        #expect(try await store.read(two)?.version == versions[1] && versions.count == 2)
        guard case .found(let found?) = try await bench.answer(to: .read(two)) else {
            Issue.record("nothing was found")
            return
        }
        #expect(found.value.matches(SecretBytes(copying: [1])) && found.version == versions[1])
        #expect(found.accessibility == .afterFirstUnlockThisDeviceOnly)
        let wrong = SecretVersion(999)
        let conflicting = [
            write(one, 1), write(two, 1, .version(wrong)), write(try item("three"), 1, .version(wrong)),
        ]
        guard case .conflict(let places) = try await bench.answer(to: .commit(conflicting)) else {
            Issue.record("versions do not matter")
            return
        }
        #expect(places == [1: versions[1], 2: nil])
        guard case .committed(let gone) = try await bench.answer(to: .commit([.remove(two, if: .none)]))
        else {
            Issue.record("it was not removed")
            return
        }
        #expect(gone == [nil])
        #expect(try await store.read(two) == nil)
        await bench.stop()
    }

    @Test("K-8: what the store refuses arrives with its code and its message")
    func storeErrors() async throws {
        let store = FailingSecretStore(InMemorySecretStore())
        let bench = try AgentBench(store)
        for failure in AgentFailure.allCases where failure.code.portable == failure.code {
            store.failNext(.read, with: SecretStoreError(code: failure.code, message: "told so"))
            guard case .failed(let found, let message) = try await bench.answer(to: .read(item())) else {
                Issue.record("\(failure): it was read")
                continue
            }
            #expect(found.code == failure.code && message == "told so")
        }
        await bench.stop()
    }

    @Test(
        "K-8: a request while the session is locked, for another store, or for the library's items is refused"
    )
    func refused() async throws {
        let bench = try AgentBench()
        let own = try SecretName("device", in: .library("passcode"))
        func expect(_ expected: AgentFailure, _ text: String, _ request: AgentRequest, of store: String)
            async throws
        {
            guard case .failed(let failure, let message) = try await bench.answer(to: request, of: store)
            else {
                Issue.record("\(expected): it was answered")
                return
            }
            #expect(failure == expected && message == text)
        }
        let path = AgentBench.storePath
        try await expect(.otherStore, "the session's store is another one", .read(item()), of: path + "s")
        try await expect(.invalidName, "a namespace of the library is not for others", .read(own), of: path)
        let changes = [write(try item(), 1), write(own, 1)]
        try await expect(
            .invalidName,
            "a namespace of the library is not for others",
            .commit(changes),
            of: path
        )
        guard case .found(nil) = try await bench.answer(to: .read(item())) else {
            Issue.record("a part was kept")
            return
        }
        bench.agent.close()
        #expect(!bench.agent.isOpen)
        try await expect(.classLocked, "the session is locked", .read(item()), of: path)
        try await expect(.classLocked, "the session is locked", .read(item()), of: path + "s")
        bench.agent.open()
        guard case .found(nil) = try await bench.answer(to: .read(item())) else {
            Issue.record("it is open again")
            return
        }
        await bench.stop()
    }

    @Test("K-8: a store whose path differs in its Unicode form alone is another store")
    func unicodeForms() async throws {
        let bench = try AgentBench(at: "caf\u{E9}")
        guard case .failed(.otherStore, _) = try await bench.answer(to: .read(item()), of: "cafe\u{301}")
        else {
            Issue.record("it was answered")
            return
        }
        guard case .found(nil) = try await bench.answer(to: .read(item()), of: "caf\u{E9}") else {
            Issue.record("its own store is another one")
            return
        }
        await bench.stop()
    }

    @Test(
        "K-8: bytes that are no request are refused, and so is a request that is too large, before it is read"
    )
    func senseless() async throws {
        let bench = try AgentBench()
        for bytes in [
            [0, 0, 0, 0], [3, 0, 0, 0, 9, 9, 9], [1, 0, 0, 0, 1], [2, 0, 0, 0, 2, 0],
            [10, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 2, 0, 0, 0, 0], [6, 0, 0, 0, 1, 0, 0, 0, 0, 3],
        ] as [[UInt8]] {
            let connection = try bench.connect()
            try connection.send(bytes)
            guard case .failed(let failure, let message) = try await connection.reply() else {
                Issue.record("\(bytes) were answered")
                continue
            }
            #expect(failure == .malformed, "\(bytes)")
            #expect(message == "the session's agent does not understand the request")
        }
        for length in [UInt32(AgentMessage.longestRequest) + 1, .max] {
            let connection = try bench.connect()
            try connection.send((0..<4).map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) })
            guard case .failed(let failure, let message) = try await connection.reply() else {
                Issue.record("\(length) bytes were taken")
                continue
            }
            #expect(failure == .tooLarge)
            #expect(message == "this is more than a session's agent takes at once")
        }
        await bench.stop()
    }

    @Test("K-8: the longest request is taken, in pieces too, and one of a byte more is not sent")
    func longest() async throws {
        let bench = try AgentBench()
        let name = try item()
        let empty = AgentRequest.commit([write(name, 0)]).message(for: AgentBench.storePath)
        let room = AgentMessage.longestRequest + AgentMessage.head - empty.count
        let message = AgentRequest.commit([write(name, room)]).message(for: AgentBench.storePath)
        #expect(message.count == AgentMessage.longestRequest + AgentMessage.head && room > 2_000_000)
        let connection = try bench.connect()
        for start in stride(from: 0, to: message.count, by: 100_000) {
            try connection.send(message.part(start..<min(start + 100_000, message.count)))
        }
        guard case .committed = try await connection.reply() else {
            Issue.record("it was refused")
            return
        }
        let client = try #require(
            AgentClient([SessionAgent.variable: bench.agent.socket], storePath: AgentBench.storePath)
        )
        guard case .answered(.committed) = try await client.ask(.commit([write(name, room)])) else {
            Issue.record("it was refused")
            return
        }
        let error = await #expect(throws: SecretStoreError.self) {
            try await client.ask(.commit([write(name, room + 1)]))
        }
        #expect(
            error?.code == .tooLarge && error?.message == "this is more than a session's agent takes at once"
        )
        await bench.stop()
    }

    @Test(
        "K-8: a value that was asked for before a lock does not arrive, even if the session is unlocked again"
    )
    func lockedMeanwhile() async throws {
        let store = GatedStore()
        let bench = try AgentBench(store)
        let name = try item()
        _ = try await store.write(
            SecretBytes(copying: [1]),
            to: name,
            accessibility: .whenUnlocked,
            if: .none
        )
        store.gate.close()
        let connection = try bench.asking(.read(name))
        await store.gate.waitForHeld(1)
        bench.agent.close()
        bench.agent.open()
        store.gate.open()
        #expect(try await connection.failure() == .classLocked)
        guard case .found(_?) = try await bench.answer(to: .read(name)) else {
            Issue.record("it was not read")
            return
        }
        await bench.stop()
    }

    @Test("K-8: a value of which a part was sent before a lock does not arrive whole")
    func lockedWhileSending() async throws {
        let store = InMemorySecretStore()
        let bench = try AgentBench(store)
        let name = try item()
        // More than the socket takes while it is not read.
        let value = SecretBytes(copying: [UInt8](repeating: 7, count: 4 << 20))
        _ = try await store.write(value, to: name, accessibility: .whenUnlocked, if: .none)
        let connection = try bench.asking(.read(name))
        try await BoundedWait.until(every: .milliseconds(2)) { connection.isReady }
        bench.agent.close()
        bench.agent.open()
        let found = try await connection.everything()
        #expect(found.count > 0 && found.count < value.count)
        let other = try bench.asking(.read(name))
        let whole = try await other.everything()
        #expect(whole.count == AgentMessage.head + 1 + 8 + 1 + 4 + value.count)
        await bench.stop()
    }

    @Test(
        "K-8: one value is read at a time; changes go on meanwhile, and a process that leaves frees nothing early"
    )
    func oneAtATime() async throws {
        let store = GatedStore()
        let bench = try AgentBench(store)
        store.gate.close()
        do {
            let first = try bench.asking(.read(item()))
            await store.gate.waitForHeld(1)
            withExtendedLifetime(first) {}
        }
        // The first process has left. The store still works on its request.
        let second = try bench.asking(.read(item()))
        let third = try bench.asking(.read(item()))
        for _ in 0..<2 {
            guard case .committed = try await bench.answer(to: .commit([write(try item(), 1)])) else {
                Issue.record("a change waits for a read")
                return
            }
        }
        #expect(store.gate.heldCount == 1)
        #expect(!second.isReady && !third.isReady)
        store.gate.open()
        for connection in [second, third] {
            guard case .found(_?) = try await connection.reply() else {
                Issue.record("it was not read")
                return
            }
        }
        await bench.stop()
    }

    @Test("K-8: an agent that stops closes its connections, and leaves no file and no open descriptor")
    func stops() async throws {
        await #expect(processExitsWith: .success) {
            func open() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            func round() async throws {
                let bench = try AgentBench()
                let silent = try bench.connect()
                _ = try await bench.answer(to: .read(item()))
                await bench.agent.stop()
                #expect(try await silent.everything().count == 0)
                #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).isEmpty)
                await bench.stop()
            }
            try await round()
            // The first sleeps open descriptors of Swift's runtime, which stay open.
            try await Task.sleep(for: .milliseconds(1))
            let isLater = Atomic(false)
            try await BoundedWait.until(every: .milliseconds(5)) {
                isLater.exchange(true, ordering: .relaxed)
            }
            let before = try open()
            for _ in 0..<5 { try await round() }
            try await BoundedWait.until(every: .milliseconds(5)) {
                (try? open()).map { $0 <= before } ?? false
            }
        }
    }

    @Test("K-8: an agent for which the system has too little says what was refused, and leaves no folder")
    func noResources() async throws {
        await #expect(processExitsWith: .success) {
            // The first sleep opens descriptors of Swift's runtime, which ends the process if it gets none.
            try await Task.sleep(for: .milliseconds(1))
            let base = URL(fileURLWithPath: "/tmp/none-\(UUID().uuidString.prefix(8))")
            try FileManager.default.createDirectory(
                at: base,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            defer { try? FileManager.default.removeItem(at: base) }
            var limits = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            let most = limits.rlim_cur
            func limit(_ count: rlim_t) throws {
                limits.rlim_cur = count
                try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            }
            var found: [SessionAgentErrorCode] = []
            var agent: SessionAgent?
            for count in 1..<rlim_t(200) where agent == nil {
                try limit(count)
                do throws(SessionAgentError) {
                    agent = try SessionAgent(
                        store: InMemorySecretStore(),
                        at: "a store",
                        environment: ["XDG_RUNTIME_DIR": base.path]
                    )
                } catch {
                    if found.last != error.code { found.append(error.code) }
                    #expect(error.message.hasSuffix(": Too many open files"))
                    let cause = error.cause as? SystemCallError
                    #expect(cause?.errno == EMFILE)
                    let call = ["systemFailure": "eventfd", "noPlace": "mkdtemp", "notListening": "listen"]
                    #expect(cause?.call == call[error.code.name])
                }
                try limit(most)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: base.path).isEmpty == (agent == nil)
                )
            }
            #expect(found == [.systemFailure, .noPlace, .notListening])
            await agent?.stop()
        }
    }

    @Test("K-8: an agent that could not accept a connection for lack of descriptors accepts it later")
    func acceptsAgain() async throws {
        await #expect(processExitsWith: .success) {
            // The first sleep opens descriptors of Swift's runtime, which ends the process if it gets none.
            try await Task.sleep(for: .milliseconds(1))
            let bench = try AgentBench()
            _ = try await bench.answer(to: .read(item()))
            var taken: [Int32] = []
            var limits = rlimit()
            try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            limits.rlim_cur = 100
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
            while case let one = dup(0), one >= 0 { taken.append(one) }
            close(taken.removeLast())
            // The last descriptor goes to this process's end, and none is left for the agent's.
            let last = try bench.connect()
            try last.send(AgentRequest.read(item()).message(for: AgentBench.storePath))
            try await Task.sleep(for: .milliseconds(150))
            #expect(!last.isReady)
            for one in taken { close(one) }
            guard case .found(nil) = try await last.reply() else {
                Issue.record("it was not answered")
                return
            }
            await bench.stop()
        }
    }
}
