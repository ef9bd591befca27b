import PortcullisCore
import PortcullisTesting
import SealingStore
import Testing

@Suite("What a verification asks of the store", .timeLimit(.minutes(2)))
struct VerifyCostTests {
    private func sealed(_ base: SpyStore, _ key: SecretBytes) async throws -> SealingStore<SpyStore> {
        try await SealingStore.open(over: base, under: [key], creating: true)
    }

    private func count(_ calls: [String], _ kind: String) -> Int { calls.count { $0.hasPrefix("\(kind) ") } }

    @Test("F-3: a verification reads twice, the session and the account with its passcode, and writes twice")
    func calls() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            let token = try await house.signIn()
            _ = try await house.client.set("493817", token)
            _ = store.takeCalls()
            #expect(try await house.client.verify("493817", token).outcome == "right")
            let right = store.takeCalls()
            #expect(right.count == 4)
            #expect(right.first == "read account-server.sessions")
            #expect(right.dropFirst().first?.hasPrefix("read account-server.accounts and ") == true)
            #expect(count(right, "write") == 2)
            #expect(try await house.client.verify("111111", token).outcome == "wrong")
            let wrong = store.takeCalls()
            #expect(count(wrong, "read") == 2 && count(wrong, "write") == 1 && wrong.count == 3)
        }
    }

    @Test("F-3: sealed, as on a cluster, it is as many calls of the store below, at each server")
    func sealed() async throws {
        let (store, key) = (SpyStore(), SecretBytes(randomCount: 32))
        let first = try await sealed(store, key)
        try await ServerHouse.open(store: first) { house in
            let token = try await house.signIn()
            _ = try await house.client.set("493817", token)
            try await ServerHouse.open(store: try await sealed(store, key)) { other in
                for server in [house, other, house, other] {
                    _ = store.takeCalls()
                    let outcome = try await server.client.verify("493817", token).outcome
                    #expect(outcome == "right")
                    let calls = store.takeCalls()
                    #expect(
                        count(calls, "read") == 2 && count(calls, "write") == 2 && calls.count == 4,
                        "\(calls)"
                    )
                }
            }
        }
    }

    @Test("F-3: a try that another server counted after the record was read is counted all the same")
    func outOfDate() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            let token = try await house.signIn()
            _ = try await house.client.set("493817", token)
            try await ServerHouse.open(store: store) { other in
                for (round, passcode) in ["111111", "493817"].enumerated() {
                    store.holdNext("accounts and")
                    async let late = house.client.verify(passcode, token)
                    await store.gate.waitForHeld(1)
                    let failures = try await other.client.verify("222222", token).failures
                    #expect(failures == 2 * round + 1)
                    store.gate.open()
                    let reply = try await late
                    #expect(reply.outcome == (round == 0 ? "wrong" : "right"))
                    #expect(reply.failures == (round == 0 ? 2 : nil))
                }
                let failures = try await other.client.verify("222222", token).failures
                #expect(failures == 1)
            }
        }
    }

    @Test("P-50: the second of two tries of one account reads the record after the first has counted")
    func sameAccount() async throws {
        let store = SpyStore()
        try await ServerHouse.open(store: store) { house in
            let token = try await house.signIn()
            _ = try await house.client.set("493817", token)
            async let one = house.client.verify("111111", token).failures
            async let two = house.client.verify("111111", token).failures
            let counts = try await [one, two]
            #expect(Set(counts) == [1, 2])
        }
    }
}

extension APIClient.Reply {
    fileprivate var failures: Int? { json?["failures"] as? Int }
}
