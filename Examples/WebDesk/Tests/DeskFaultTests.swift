import ExampleSupport
import GoalLock
import HTTPTypes
import HummingbirdTesting
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing
import WebDeskApp

@Suite("WebDesk: faults in the middle (W-4)", .timeLimit(.minutes(5)))
struct DeskFaultTests {
    private let bench: DeskBench

    init() throws { bench = try DeskBench() }

    @Test("W-4, A-3: a repair that was handed out and not counted is counted later")
    func uncounted() async throws {
        let bench = bench
        try await bench.run { visitor in
            try await bench.secrets.write(
                SecretBytes(copying: Array("garbage".utf8)),
                to: GoalNames.record,
                accessibility: .afterFirstUnlockThisDeviceOnly
            )
            let status = try await visitor.send(.post, "/repairs/1041/advance").status
            #expect(status == .internalServerError)
            try await bench.secrets.remove(GoalNames.record)
            #expect(try await bench.goal.status().progress == 0)
            try await bench.desk.launch()
            #expect(try await bench.goal.status().progress == 1)
        }
    }

    @Test("W-4: an unreadable passcode keeps no person from signing in, and locks the session")
    func unreadablePasscode() async throws {
        let user = try #require(UserID("anna"))
        try await bench.secrets.write(
            SecretBytes(copying: Array("garbage".utf8)),
            to: PasscodeNames.record(of: user),
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
        try await bench.run { visitor in
            let code = try await visitor.get("/").status.code
            #expect(code == 423)
        }
    }

    @Test("W-4: a sign-in ends the session that it replaces at the account server too")
    func replaced() async throws {
        let bench = bench
        try await bench.run { visitor in
            var visitor = visitor
            let response = try await visitor.signIn()
            #expect(response.status == .seeOther)
            #expect(await BoundedWait.holds { bench.accounts.logOuts > 0 }, "no session was ended")
            #expect(bench.accounts.logOuts == 1)
        }
    }
}
