import AccountService
import Foundation
import HTTPPasscodeAccount
import PortcullisCore
import PortcullisTesting
import Testing

/// Checks how an account handles answers that no server should give.
@Suite("Bad answers", .serialized, .timeLimit(.minutes(20)))
struct BadAnswerTests {
    /// A server at which Anna has a passcode, and a faulty line to it.
    private func serving(_ body: (ServerHouse, FaultyLine, String) async throws -> Void) async throws {
        try await ServerHouse.open { house in
            let line = try FaultyLine(to: house.port)
            defer { line.stop() }
            let token = try await house.signIn()
            #expect(try await house.client.set("834912", token).outcome == "set")
            try await body(house, line, token)
        }
    }

    private func account(
        _ line: FaultyLine,
        _ house: ServerHouse,
        _ token: String,
        _ transport: any HTTPTransport
    ) throws -> HTTPPasscodeAccount {
        try HTTPPasscodeAccount(
            server: try #require(URL(string: "http://127.0.0.1:\(line.port)")),
            transport: transport,
            configuration: HTTPAccountConfiguration(backoff: []),
            clock: house.clock,
            token: { SecretBytes(copying: token.utf8) }
        )
    }

    private func verify(_ account: HTTPPasscodeAccount) async -> Result<
        AccountVerifyOutcome, PasscodeAccountError
    > {
        do throws(PasscodeAccountError) {
            return .success(try await account.verify(SecretBytes(copying: "834912".utf8)))
        } catch {
            return .failure(error)
        }
    }

    private func isRight(
        _ found: Result<AccountVerifyOutcome, PasscodeAccountError>,
        _ meaning: BadAnswer.Meaning
    ) -> Bool {
        switch (found, meaning) {
        case (.success(.right), .answer), (.success(.right), .lostOrAnswer): true
        case (.failure(let error), .lost), (.failure(let error), .lostOrAnswer):
            error.code == .outcomeUnknown
        case (.failure(let error), .notSignedIn): error.code == .notSignedIn
        case (.failure(let error), .refused): error.code == .refused
        case (.failure(let error), .serverFailure): error.code == .serverFailure
        case (.failure(let error), .unreachableOrLost):
            [.unreachable, .outcomeUnknown].contains(error.code)
        default: false
        }
    }

    @Test(
        "P-51: a bad answer means what it can mean, the request is sent once, and the next one is answered",
        arguments: BadAnswer.all,
        LineTransport.allCases
    )
    func meanings(_ answer: BadAnswer, _ kind: LineTransport) async throws {
        if let reason = kind.knownFault(with: answer) { try Test.cancel("\(reason)") }
        // With a slow answer the client has to give up, so its limits are short. Otherwise the limits are
        // never reached.
        let limits =
            answer.isSlow
            ? HTTPTransportLimits(idleTimeout: .seconds(2), timeout: .seconds(3)) : LineTransport.patient
        try await serving { house, line, token in
            try await kind.run(limits) { transport in
                let account = try account(line, house, token, transport)
                line.spoil(answer)
                let found = await verify(account)
                #expect(isRight(found, answer.meaning), "\(found)")
                // If the client gave the request up, the line may not have read it yet.
                while line.carried == 0 { try await Task.sleep(for: .milliseconds(10)) }
                #expect(line.carried == 1)
            }
            try await kind.run { transport in
                let found = await verify(try account(line, house, token, transport))
                #expect(isRight(found, .answer), "afterwards: \(found)")
            }
        }
    }

    @Test("P-51: an answer that ends at any byte of its head is lost", arguments: LineTransport.allCases)
    func cuts(_ kind: LineTransport) async throws {
        if let reason = kind.knownFault(with: .cut(at: 20)) { try Test.cancel("\(reason)") }
        try await serving { house, line, token in
            try await kind.run { transport in
                let account = try account(line, house, token, transport)
                #expect(isRight(await verify(account), .answer))
                let length = line.headLength
                #expect(length > 60)
                for count in 1...length {
                    line.spoil(.cut(at: count))
                    let found = await verify(account)
                    #expect(isRight(found, .lost), "cut at byte \(count): \(found)")
                }
            }
        }
    }
}
