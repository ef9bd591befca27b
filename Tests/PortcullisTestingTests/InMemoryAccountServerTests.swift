import PortcullisCore
import PortcullisTesting
import Testing

@Suite("InMemoryAccountServer (X-3)", .timeLimit(.minutes(5)))
struct InMemoryAccountServerTests {
    let clock = ManualClock()
    let right = SecretBytes(copying: "834912".utf8)
    let wrong = SecretBytes(copying: "619375".utf8)

    private typealias Mail = (code: SecretBytes, request: AccountCodeRequest)

    private func account(_ server: InMemoryAccountServer) async throws -> InMemoryPasscodeAccount {
        let account = InMemoryPasscodeAccount(server)
        #expect(try await account.set(right, as: .random()) == .set)
        return account
    }

    private func code(of work: () async throws -> Void) async -> PasscodeAccountError? {
        do {
            try await work()
            return nil
        } catch { return error as? PasscodeAccountError }
    }

    @Test("X-3: each wrong passcode has the delay of its place, the last one for all after it")
    func delays() async throws {
        let server = InMemoryAccountServer(clock: clock)
        let account = try await account(server)
        for (count, seconds) in [0, 0, 0, 0, 60, 300, 300].enumerated() {
            let delay = Duration.seconds(seconds)
            #expect(try await account.verify(wrong) == .wrong(failures: count + 1, retryAfter: delay))
            #expect(server.failures == count + 1)
            guard delay > .zero else { continue }
            await clock.advance(by: delay - .seconds(1))
            let error = await code { _ = try await account.verify(right) }
            #expect(error?.code == .throttled && error?.retryAfter == .seconds(1))
            await clock.advance(by: .seconds(1))
        }
        #expect(try await account.verify(right) == .right)
        #expect(server.failures == 0)
        #expect(try await account.verify(wrong) == .wrong(failures: 1, retryAfter: .zero))
    }

    @Test("X-3: without delays none is told, and no passcode is held off")
    func noDelays() async throws {
        let account = try await account(InMemoryAccountServer(clock: clock, delays: []))
        for count in 1...9 {
            #expect(try await account.verify(wrong) == .wrong(failures: count, retryAfter: .zero))
        }
    }

    @Test("X-3: a passcode is six ASCII digits")
    func formats() async throws {
        let account = try await account(InMemoryAccountServer(clock: clock))
        for text in ["", "12345", "1234567", "12345a", "12345/", "12345:", ":23456", "/23456", "１２"] {
            let bad = SecretBytes(copying: text.utf8)
            #expect(await code { _ = try await account.verify(bad) }?.code == .refused, "\(text)")
            let change = await code { _ = try await account.change(from: right, to: bad, as: .random()) }
            #expect(change?.code == .refused, "\(text)")
            let reset = await code {
                _ = try await account.reset(code: bad, of: .random(), to: bad, as: .random())
            }
            #expect(reset?.code == .refused, "\(text)")
        }
        for text in ["000000", "999999"] {
            let fine = SecretBytes(copying: text.utf8)
            guard case .wrong = try await account.verify(fine) else {
                Issue.record("\(text) was right")
                continue
            }
        }
    }

    @Test("X-3: a code is refused, used up or expired, and says which")
    func resets() async throws {
        let server = InMemoryAccountServer(clock: clock)
        let account = try await account(server)
        func reset(_ mail: Mail) async throws -> AccountResetOutcome {
            try await account.reset(code: mail.code, of: mail.request, to: right, as: .random())
        }
        func mailed() async throws -> Mail {
            let request = try await account.requestReset()
            let code = try #require(server.mailedCode)
            return (code, request)
        }
        #expect(server.mailedCode == nil)
        #expect(try await reset((wrong, .random())) == .refused)
        let used = try await mailed()
        #expect(try await reset(used) == .reset)
        #expect(try await reset(used) == .usedUp)
        let tried = try await mailed()
        let other = SecretBytes(copying: tried.code.matches(wrong) ? "000000".utf8 : "619375".utf8)
        for _ in 0..<9 { #expect(try await reset((tried.code, .random())) == .refused) }
        for _ in 0..<5 { #expect(try await reset((other, tried.request)) == .refused) }
        #expect(try await reset(tried) == .usedUp)
        await clock.advance(by: .seconds(15 * 60))
        let early = try await mailed()
        await clock.advance(by: .seconds(15 * 60 - 1))
        let late = try await mailed()
        #expect(try await reset(early) == .refused, "of another request")
        await clock.advance(by: .seconds(15 * 60))
        #expect(try await reset(late) == .expired)
        let last = try await mailed()
        await clock.advance(by: .seconds(15 * 60 - 1))
        #expect(try await reset(last) == .reset)
    }

    @Test("X-3: the digits of codes are all ten")
    func digits() async throws {
        let server = InMemoryAccountServer(clock: clock, resets: .init(requests: 200))
        let account = try await account(server)
        var digits: Set<UInt8> = []
        for _ in 0..<200 {
            _ = try await account.requestReset()
            let code = try #require(server.mailedCode)
            code.withBytes { bytes in
                for index in bytes.indices { digits.insert(bytes[index]) }
            }
        }
        #expect(digits == Set(0x30...0x39))
    }

    @Test("X-3: three codes in a quarter of an hour; the next one when the first is so old")
    func requests() async throws {
        let account = try await account(InMemoryAccountServer(clock: clock))
        for _ in 0..<3 {
            _ = try await account.requestReset()
            await clock.advance(by: .seconds(60))
        }
        let early = await code { _ = try await account.requestReset() }
        #expect(early?.code == .throttled && early?.retryAfter == .seconds(12 * 60))
        await clock.advance(by: .seconds(12 * 60 - 1))
        #expect(await code { _ = try await account.requestReset() }?.retryAfter == .seconds(1))
        await clock.advance(by: .seconds(1))
        _ = try await account.requestReset()
        #expect(await code { _ = try await account.requestReset() }?.retryAfter == .seconds(60))
    }

    @Test("X-3: what is done at the server shows in the account")
    func administration() async throws {
        let server = InMemoryAccountServer(clock: clock)
        let account = try await account(server)
        #expect(server.holds(right) && !server.holds(wrong))
        server.setTimeout(.never)
        server.setEnabled(false)
        let status = try await account.status()
        #expect(status == server.status && status.timeout == .never && !status.isEnabled)
        _ = try await account.verify(wrong)
        server.replacePasscode(wrong)
        #expect(server.failures == 0 && server.holds(wrong) && server.status.hasPasscode)
        #expect(server.status.revision != status.revision)
        server.removePasscode()
        #expect(!server.holds(wrong) && !server.status.hasPasscode && server.status.revision != nil)
        server.loseEverything()
        #expect(server.status == AccountPasscodeStatus(hasPasscode: false, revision: nil))
    }

    @Test("X-3: faults come in their order, each to its call, until they are mended")
    func faults() async throws {
        let server = InMemoryAccountServer(clock: clock)
        let account = InMemoryPasscodeAccount(server)
        account.failNext(.unreachable, .lostRequest, .lostAnswer, .late, .serverFailure, .notSignedIn)
        for expected in [
            PasscodeAccountError.Code.unreachable, .unreachable, .unreachable, .unreachable, .serverFailure,
            .notSignedIn,
        ] { #expect(await code { _ = try await account.status() }?.code == expected) }
        account.deliverLate()

        account.failNext(.verify, .serverFailure)
        account.failNext(.lostRequest)
        let set = await code { _ = try await account.set(right, as: .random()) }
        #expect(set?.code == .outcomeUnknown)
        #expect(!server.status.hasPasscode)
        let failure = await code { _ = try await account.verify(right) }
        #expect(failure?.code == .serverFailure && failure?.retryAfter == .seconds(5))
        #expect(try await account.verify(right) == .notSet)

        account.failNext(.lostAnswer, .serverFailure)
        #expect(await code { _ = try await account.set(right, as: .random()) }?.code == .outcomeUnknown)
        #expect(server.holds(right))
        account.setOffline(true)
        #expect(await code { _ = try await account.status() }?.code == .unreachable)
        account.mend()
        #expect(try await account.status().hasPasscode)
        account.setSignedIn(false)
        #expect(await code { _ = try await account.status() }?.code == .notSignedIn)
        account.setSignedIn(true)
        #expect(try await account.verify(right) == .right)
        #expect(account.calls.suffix(4) == [.status, .status, .status, .verify])

        account.failNext(.change, .late)
        #expect(
            await code { _ = try await account.change(from: right, to: wrong, as: .random()) }?.code
                == .outcomeUnknown
        )
        #expect(server.holds(right))
        account.deliverLate()
        #expect(server.holds(wrong))
        server.replacePasscode(right)
        account.deliverLate()
        #expect(server.holds(right), "a request arrives once")
    }

    @Test("X-3: a request takes its time on a clock of the line's own; a closed gate holds it")
    func line() async throws {
        let (server, own) = (InMemoryAccountServer(clock: clock), ManualClock())
        let account = InMemoryPasscodeAccount(server, clock: own)
        account.setLatency(.seconds(2))
        let call = Task { try await account.status() }
        await own.waitForSleepers(1)
        #expect(own.deadlines == [.sinceBoot(own.now.sinceBoot + .seconds(2))])
        await own.advance(by: .seconds(2))
        #expect(try await !call.value.hasPasscode)
        account.setLatency(.zero)
        account.gate.close()
        let held = Task { try await account.status() }
        await account.gate.waitForHeld(1)
        held.cancel()
        let error = await #expect(throws: PasscodeAccountError.self) { _ = try await held.value }
        #expect(error?.code == .cancelled)
    }
}
