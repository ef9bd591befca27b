import AccountService
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("Accounts that are read again, and the sessions that end then", .timeLimit(.minutes(2)))
struct AccountsReadAgainTests {
    private func isOpen(_ house: ServerHouse, _ token: String) async throws -> Bool {
        try await house.client.send("GET", "/api/auth/session", token: token).status == 200
    }

    /// Adds sessions of a person to a store, without any sign-in.
    ///
    /// - Returns: the sessions' names.
    private func addSessions(_ count: Int, of user: String, to store: SpyStore) async throws -> [SecretName] {
        let space = try SecretNamespace("account-server.sessions")
        let value = SecretBytes(
            copying: #"{"version":1,"user":"\#(user)","expires":9999999999,"role":"staff"}"#.utf8
        )
        var names: [SecretName] = []
        for number in 0..<count {
            let name = try SecretName("\(user)-\(number)", in: space)
            try await store.write(value, to: name, accessibility: .afterFirstUnlockThisDeviceOnly)
            names.append(name)
        }
        return names
    }

    @Test("P-52: a list holds as soon as it is read, and sessions end in the order of the lists")
    func inOrder() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            let anna = try await house.signIn()
            let carl = try await house.signIn("carl@example.com", "customer")
            let all = ServerHouse.accounts
            let lists = Mutex([Array(all.dropFirst()), Array(all.dropFirst(2)), all])
            let (signals, signal) = AsyncStream.makeStream(of: Void.self)
            let rereading = Task {
                await house.server.rereadAccounts(at: signals) {
                    try AccountDirectory(lists.withLock { $0.removeFirst() })
                }
            }
            store.holdNext("sessions")
            signal.yield()
            await store.gate.waitForHeld(1)
            // The sessions of the first list are still being read.
            signal.yield()
            while try await isOpen(house, carl) {}
            #expect(try await !isOpen(house, anna))
            signal.yield()
            while try await !isOpen(house, carl) {}
            store.gate.open()
            signal.finish()
            await rereading.value
            #expect(try await !isOpen(house, anna))
            #expect(try await !isOpen(house, carl))
            let new = try await house.signIn()
            #expect(try await isOpen(house, new))
        }
    }

    @Test("P-52: lists that are read while sessions are being ended are judged together after that")
    func together() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            _ = try await addSessions(1, of: "anna", to: store)
            let (signals, signal) = AsyncStream.makeStream(of: Void.self)
            let rereading = Task {
                await house.server.rereadAccounts(at: signals) { try AccountDirectory(ServerHouse.accounts) }
            }
            store.holdNext("sessions")
            signal.yield()
            await store.gate.waitForHeld(1)
            for _ in 0..<3 { signal.yield() }
            while house.log.text.split(separator: "accounts read again").count < 5 { await Task.yield() }
            _ = store.takeCalls()
            store.gate.open()
            signal.finish()
            await rereading.value
            #expect(store.takeCalls() == ["read account-server.sessions"])
        }
    }

    @Test("P-52: a start reads a hundred sessions in one call, and each by itself only if one is damaged")
    func batches() async throws {
        let store = SpyStore()
        _ = try await addSessions(250, of: "anna", to: store)
        _ = store.takeCalls()
        try await ServerHouse.open(store: store) { _ in
            let reads = store.takeCalls().count { $0.hasPrefix("read account-server.sessions") }
            #expect(reads == 3)
        }
        let gone = try await addSessions(3, of: "nobody", to: store)
        store.damage(gone[1])
        try await ServerHouse.open(store: store) { house in
            let left = try await store.names(in: gone[0].namespace)
            #expect(left.count == 251 && left.contains(gone[1]))
            #expect(house.log.text.contains("an item cannot be read"))
        }
    }

    @Test("P-52: a server that is told to stop reads no further sessions")
    func stops() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            _ = try await addSessions(250, of: "nobody", to: store)
            store.holdNext("sessions")
            let reload = Task { try await house.reload(ServerHouse.accounts) }
            await store.gate.waitForHeld(1)
            _ = store.takeCalls()
            reload.cancel()
            store.gate.open()
            try await reload.value
            #expect(store.takeCalls().isEmpty)
        }
    }
}
