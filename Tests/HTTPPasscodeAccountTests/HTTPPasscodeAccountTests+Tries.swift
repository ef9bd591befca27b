import HTTPPasscodeAccount
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// What is sent again, and what never is.
extension HTTPPasscodeAccountTests {
    private static let fine = #"{"hasPasscode":false,"isEnabled":true,"timeoutMinutes":15,"revision":null}"#

    @Test(
        "P-51: the status is asked for again after a pause that the server may lengthen",
        arguments: AccountTransport.allCases
    )
    func retries(_ kind: AccountTransport) async throws {
        try await serving(
            over: kind,
            .hangUp,
            .answer(503, "", ["Retry-After": "5"]),
            .answer(200, Self.fine)
        ) {
            server,
            transport in
            let clock = ManualClock()
            let account = try account(server, transport, HTTPAccountConfiguration(), clock: clock)
            async let status = account.status()
            await clock.waitForSleepers(1)
            await clock.advance(by: .milliseconds(499))
            #expect(server.arrivals.count == 1)
            await clock.advance(by: .milliseconds(1))
            await clock.waitForSleepers(1)
            #expect(server.arrivals.count == 2)
            await clock.advance(by: .milliseconds(4_999))
            #expect(server.arrivals.count == 2)
            await clock.advance(by: .milliseconds(1))
            #expect(try await status.hasPasscode == false)
            #expect(server.arrivals.count == 3)
        }
    }

    @Test(
        "P-51: after the last try, and where the wait is too long, the error is told",
        arguments: AccountTransport.allCases
    )
    func givesUp(_ kind: AccountTransport) async throws {
        try await serving(
            over: kind,
            .hangUp,
            .hangUp,
            .hangUp,
            .answer(503, "", ["Retry-After": "600"]),
            .answer(401, "")
        ) { server, transport in
            let quick = HTTPAccountConfiguration(backoff: [.zero, .zero])
            let account = try account(server, transport, quick)
            #expect(await codeOfStatus(account) == .unreachable)
            #expect(server.arrivals.count == 3)
            #expect(await codeOfStatus(account) == .serverFailure)
            #expect(await codeOfStatus(account) == .notSignedIn)
            #expect(server.arrivals.count == 5)
        }
    }

    @Test(
        "P-50: a cancelled act that was sent may have been carried out; one that was not, was not",
        arguments: AccountTransport.allCases
    )
    func cancellation(_ kind: AccountTransport) async throws {
        // No limit of time comes first.
        let patient = HTTPTransportLimits(idleTimeout: .seconds(600), timeout: .seconds(600))
        try await serving(over: kind, limits: patient, .silence) { server, transport in
            let account = try account(server, transport)
            let sent = Task { await codeOfVerify(account) }
            while server.arrivals.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            sent.cancel()
            #expect(await sent.value == .outcomeUnknown)

            let unsent = Task {
                while !Task.isCancelled { await Task.yield() }
                return await codeOfVerify(account)
            }
            unsent.cancel()
            #expect(await unsent.value == .cancelled)
            #expect(server.arrivals.count == 1)
        }
    }

    @Test(
        "P-51: a pause is shortened by chance, to half of it at the most",
        arguments: [(-3, 500), (0, 500), (0.5, 375), (1, 250), (7, 250)] as [(Double, Int)]
    )
    func jitter(_ chance: Double, _ pause: Int) async throws {
        try await serving(over: .urlSession, .answer(503, ""), .answer(200, Self.fine)) { server, transport in
            let clock = ManualClock()
            let account = try HTTPPasscodeAccount(
                server: server.url,
                transport: transport,
                clock: clock,
                jitter: { chance },
                token: { secret(Self.token) }
            )
            async let status = account.status()
            await clock.waitForSleepers(1)
            #expect(clock.deadlines == [.sinceBoot(clock.now.sinceBoot + .milliseconds(pause))])
            await clock.advance(by: .milliseconds(pause))
            #expect(try await status.hasPasscode == false)
        }
    }

    @Test("P-50: for a request that was cancelled before it began no token is asked for")
    func cancelledBeforeToken() async throws {
        let asked = Mutex(0)
        try await serving(over: .urlSession) { server, transport in
            let account = try HTTPPasscodeAccount(
                server: server.url,
                transport: transport,
                clock: ManualClock()
            ) {
                asked.withLock { $0 += 1 }
                return secret(Self.token)
            }
            let unsent = Task {
                while !Task.isCancelled { await Task.yield() }
                return await codeOfVerify(account)
            }
            unsent.cancel()
            #expect(await unsent.value == .cancelled)
            #expect(asked.withLock { $0 } == 0)
        }
    }
}
