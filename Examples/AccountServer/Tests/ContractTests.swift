import AccountService
import Foundation
import HTTPPasscodeAccount
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// The adapter and the server together, over a real line.
@Suite("Contract of accounts", .timeLimit(.minutes(5)))
struct ContractTests {
    private static let adminsChoice: [Account] = [
        .init(
            id: UserID("anna")!,
            role: .staff,
            email: MailAddress("anna@example.com")!,
            passcodesEnabled: false
        )
    ]

    @Test("X-3, P-50: adapter and server keep the contract", arguments: PasscodeAccountContract.allCases)
    func contract(_ clause: PasscodeAccountContract) async throws {
        let store = InMemorySecretStore()
        try await ServerHouse.open(store: store) { house in
            try await ServerHouse.open(store: store, accounts: Self.adminsChoice) { disabled in
                let line = try FaultyLine(to: house.port)
                defer { line.stop() }
                let token = try await house.signIn()
                let other = try await house.signIn()
                let mails = house.tray.count
                let taken = Counter()
                let place = PasscodeAccountSubject.Place(
                    account: try account(line.port, token, house),
                    other: try account(house.port, other, house),
                    mailedCode: {
                        // Each code is read once, so the next mail is the one that is waited for.
                        let number = taken.next()
                        return SecretBytes(copying: try await house.tray.code(after: mails + number).utf8)
                    },
                    advance: { await house.clock.advance(by: $0) },
                    inflict: { line.inflict($0) },
                    endSession: {
                        _ = try await house.client.send("POST", "/api/auth/log-out", token: token)
                    },
                    disable: { line.lead(to: disabled.port) }
                )
                let result = try await clause.check(PasscodeAccountSubject { place })
                #expect(result == .kept, "\(clause)")
            }
        }
    }

    private func account(_ port: Int, _ token: String, _ house: ServerHouse) throws -> HTTPPasscodeAccount {
        try HTTPPasscodeAccount(
            server: try #require(URL(string: "http://127.0.0.1:\(port)")),
            configuration: HTTPAccountConfiguration(backoff: []),
            clock: house.clock,
            token: { SecretBytes(copying: token.utf8) }
        )
    }
}

/// Counts from zero.
private final class Counter: Sendable {
    private let count = Atomic(0)
    func next() -> Int { count.add(1, ordering: .relaxed).oldValue }
}
