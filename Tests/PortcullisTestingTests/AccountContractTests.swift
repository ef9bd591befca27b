import PortcullisCore
import PortcullisTesting
import Testing

@Suite("The PasscodeAccount contract (X-3)", .timeLimit(.minutes(5)))
struct AccountContractTests {
    private static func inMemory() -> PasscodeAccountSubject {
        PasscodeAccountSubject { FaultyAccount(.none).inMemory() }
    }

    @Test("X-3, P-50: the account in memory keeps every clause", arguments: PasscodeAccountContract.allCases)
    func inMemory(_ clause: PasscodeAccountContract) async throws {
        #expect(try await clause.check(Self.inMemory()) == .kept)
    }

    @Test(
        "X-3: each fault is caught by the clause meant for it",
        arguments: AccountFault.allCases.filter { $0.clause != nil }
    )
    func bites(_ fault: AccountFault) async throws {
        let clause = try #require(fault.clause)
        let violation = await #expect(throws: ContractViolation.self) {
            try await clause.check(PasscodeAccountSubject { FaultyAccount(fault).subject() })
        }
        #expect(violation?.clause == clause.id)
    }

    @Test("X-3: the account without a fault keeps every clause", arguments: PasscodeAccountContract.allCases)
    func barksAtNobody(_ clause: PasscodeAccountContract) async throws {
        #expect(try await clause.check(PasscodeAccountSubject { FaultyAccount(.none).subject() }) == .kept)
    }

    @Test("X-3: every clause has a fault that it catches; ids are unique and lasting")
    func everyClauseIsProved() {
        let proved = Set(AccountFault.allCases.compactMap(\.clause))
        #expect(Set(PasscodeAccountContract.allCases).subtracting(proved).isEmpty)
        let ids = (1...32).map { $0 < 10 ? "AC-0\($0)" : "AC-\($0)" }
        #expect(PasscodeAccountContract.allCases.map(\.id) == ids)
    }

    @Test("X-3: what a server cannot show does not apply")
    func bareSubject() async throws {
        var skipped: [String] = []
        for clause in PasscodeAccountContract.allCases {
            let bare = PasscodeAccountSubject {
                .init(account: InMemoryPasscodeAccount(InMemoryAccountServer(clock: ManualClock())))
            }
            if try await clause.check(bare) != .kept { skipped.append(clause.id) }
        }
        let expected = [17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 28, 30, 31].map { "AC-\($0)" }
        #expect(skipped == expected)
    }

    // MARK: The double

    @Test("X-3: a call takes as long as it is told, by the clock; a cancelled one was not sent")
    func latency() async throws {
        let clock = ManualClock()
        let account = InMemoryPasscodeAccount(InMemoryAccountServer(clock: clock))
        account.setLatency(.seconds(2))
        let call = Task { try await account.set(SecretBytes(copying: "834912".utf8), as: .random()) }
        await clock.waitForSleepers(1)
        #expect(!account.server.status.hasPasscode)
        await clock.advance(by: .seconds(2))
        #expect(try await call.value == .set)
        let other = Task { try await account.verify(SecretBytes(copying: "834912".utf8)) }
        await clock.waitForSleepers(1)
        other.cancel()
        await #expect { _ = try await other.value } throws: {
            ($0 as? PasscodeAccountError)?.code == .cancelled
        }
    }

    @Test("X-3: a late request arrives when it is let, and nobody hears the answer")
    func late() async throws {
        let account = InMemoryPasscodeAccount(InMemoryAccountServer(clock: ManualClock()))
        account.failNext(.set, .late)
        #expect(try await !account.status().hasPasscode)
        await #expect {
            _ = try await account.set(SecretBytes(copying: "834912".utf8), as: .random())
        } throws: {
            ($0 as? PasscodeAccountError)?.code == .outcomeUnknown
        }
        #expect(!account.server.status.hasPasscode)
        account.deliverLate()
        #expect(account.server.status.hasPasscode)
        #expect(account.calls == [.status, .set])
    }

    @Test("P-4: no description of an error or a revision shows a passcode")
    func descriptions() {
        let error = PasscodeAccountError(
            code: .throttled,
            message: "Too many requests.",
            retryAfter: .seconds(5),
            cause: PasscodeAccountError(code: .refused, message: "No.")
        )
        #expect("\(error)" == "throttled: Too many requests. [again in 5.0 seconds] (refused: No.)")
        #expect(AccountRevision("") == nil)
        #expect(AccountRevision("a b") == nil)
        #expect(AccountRevision(String(repeating: "a", count: 65)) == nil)
        #expect(AccountRevision.random().rawValue.count == 32)
        #expect(AccountRevision.random() != .random())
    }
}

extension FaultyAccount {
    /// The account in memory itself, without what stands in front of it.
    func inMemory() -> PasscodeAccountSubject.Place {
        var place = subject()
        place.account = inner
        return place
    }
}
