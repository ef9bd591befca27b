import AccountService
import Foundation
import HTTPPasscodeAccount
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// The adapter and the server together, over a real connection.
@Suite("Contract of accounts", .timeLimit(.minutes(20)))
struct ContractTests {
    private static let adminsChoice: [Account] = [
        .init(
            id: UserID("anna")!,
            role: .staff,
            email: MailAddress("anna@example.com")!,
            passcodesEnabled: false
        )
    ]

    @Test(
        "X-3, P-50: adapter and server keep the contract over each transport",
        arguments: PasscodeAccountContract.allCases,
        LineTransport.allCases
    )
    func contract(_ clause: PasscodeAccountContract, _ kind: LineTransport) async throws {
        try await check(clause, over: kind)
    }

    @Test(
        "X-3, P-51: an answer that is spoilt is lost",
        .serialized,
        arguments: BadAnswer.all.filter { $0.meaning == .lost && !$0.isSlow },
        LineTransport.allCases
    )
    func spoilt(_ answer: BadAnswer, _ kind: LineTransport) async throws {
        if let reason = kind.knownFault(with: answer) { try Test.cancel("\(reason)") }
        try await check(.lostAnswers, over: kind, losing: answer)
    }

    private func check(
        _ clause: PasscodeAccountContract,
        over kind: LineTransport,
        losing answer: BadAnswer? = nil
    ) async throws {
        let store = InMemorySecretStore()
        // With one sender, mails arrive in the order of the requests, even if several requests precede the
        // reading of a code.
        var settings = ServerSettings()
        settings.senders = 1
        try await ServerHouse.open(settings, store: store) { house in
            try await ServerHouse.open(store: store, accounts: Self.adminsChoice) { disabled in
                let line = try FaultyLine(to: house.port)
                defer { line.stop() }
                let token = try await house.signIn()
                let other = try await house.signIn()
                let mails = try await house.mails()
                let taken = Counter()
                try await kind.run { transport in
                    let place = PasscodeAccountSubject.Place(
                        account: try account(line.port, token, house, transport),
                        other: try account(house.port, other, house, transport),
                        mailedCode: {
                            // Each code is read once, so the next mail has the next code.
                            let number = taken.next()
                            return SecretBytes(copying: try await house.tray.code(after: mails + number).utf8)
                        },
                        advance: { await house.clock.advance(by: $0) },
                        inflict: { fault in
                            if fault == .loseAnswer, let answer {
                                line.spoil(answer)
                            } else {
                                line.inflict(fault)
                            }
                        },
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
    }

    private func account(
        _ port: Int,
        _ token: String,
        _ house: ServerHouse,
        _ transport: any HTTPTransport
    ) throws -> HTTPPasscodeAccount {
        try HTTPPasscodeAccount(
            server: try #require(URL(string: "http://127.0.0.1:\(port)")),
            transport: transport,
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
