import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("A passcode shared with an account (P-50, P-51)")
struct AccountServiceTests {
    let bench = AccountBench()

    private func accountError(_ body: () async throws -> Void) async -> PasscodeAccountError.Code? {
        do { try await body() } catch { return (error as? PasscodeError)?.account }
        return nil
    }

    // MARK: First login

    @Test(
        "P-51: a device without a record locks once it heard of a passcode, asks the account once, then itself"
    )
    func firstLogin() async throws {
        bench.server.replacePasscode(.first)
        let device = bench.device()
        let service = try device.service()
        #expect(try await service.status().isSet == false)
        #expect(try await service.synchronise()?.hasPasscode == true)
        #expect(try await service.status().isSet)
        #expect(try await service.status().standing == .unconfirmed)
        guard case .wrong(1, _) = try await service.verify(.second) else {
            Issue.record("a wrong passcode was not wrong")
            return
        }
        #expect(bench.server.failures == 1)
        #expect(try await service.verify(.first).isRight)
        #expect(try await service.status().standing == .confirmed)
        device.line.setOffline(true)
        let calls = device.line.calls.count
        #expect(try await service.verify(.first).isRight)
        guard case .wrong = try await service.verify(.second) else {
            Issue.record("a wrong passcode was not wrong")
            return
        }
        #expect(device.line.calls.count == calls, "checked on the device alone")
    }

    @Test("P-51: offline, a device that never had the passcode stays locked, and no try is lost")
    func firstLoginOffline() async throws {
        bench.server.replacePasscode(.first)
        let device = bench.device()
        let service = try device.service()
        try await service.synchronise()
        device.line.setOffline(true)
        for _ in 0..<6 {
            #expect(await accountError { _ = try await service.verify(.first) } == .unreachable)
        }
        #expect(try await service.status().failures == 0)
        device.line.setOffline(false)
        #expect(try await service.verify(.first).isRight)
    }

    @Test(
        "P-6, P-51: tries that the account judges are counted here too, and one that may have been judged stays"
    )
    func countsOnlineTries() async throws {
        bench.server.replacePasscode(.first)
        let device = bench.device()
        let service = try device.service()
        try await service.synchronise()
        _ = try await service.verify(.second)
        #expect(try await service.status().failures == 1)
        for (fault, failures) in [(InMemoryPasscodeAccount.Fault.serverFailure, 1), (.lostAnswer, 2)] {
            device.line.failNext(.verify, fault)
            #expect(await accountError { _ = try await service.verify(.second) } != nil)
            #expect(try await service.status().failures == failures)
        }
        #expect(try await service.verify(.first).isRight)
        #expect(try await service.status().failures == 0)
    }

    @Test("P-7, P-51: the account's delay is told as one")
    func accountDelays() async throws {
        bench.server.replacePasscode(.first)
        for _ in 0..<5 { _ = try await bench.device().line.verify(.second) }
        let service = try bench.device().service()
        try await service.synchronise()
        guard case .throttled(.seconds(60)) = try await service.verify(.first) else {
            Issue.record("the delay was not told")
            return
        }
        #expect(try await service.status().failures == 0)
        await bench.clock.advance(by: .seconds(60))
        #expect(try await service.verify(.first).isRight)
    }

    @Test("P-51: a record that waits for its account does not open without one")
    func withoutAccount() async throws {
        bench.server.replacePasscode(.first)
        let device = bench.device()
        try await device.service().synchronise()
        let bare = try device.service(hasAccount: false)
        #expect(await accountError { _ = try await bare.verify(.first) } == .unavailable)
        #expect(try await bare.status().isSet)
    }

    // MARK: Set

    @Test("P-50: setting goes to the account; another device then has to ask it")
    func setOnline() async throws {
        let (one, two) = (bench.device(), bench.device())
        try await one.service().set(.first)
        #expect(bench.server.holds(.first))
        #expect(try await one.service().status().standing == .confirmed)
        let report = try await two.service().synchronise()
        #expect(report?.hasPasscode == true)
        #expect(try await two.service().verify(.first).isRight)
    }

    @Test(
        "P-34, P-51: each error from saving is told and sets nothing",
        arguments: [401, 409, 429, 500, 400]
    )
    func setRefused(_ status: Int) async throws {
        let device = bench.device()
        let code: PasscodeAccountError.Code =
            switch status {
            case 401: .notSignedIn
            case 409: .conflict
            case 429: .throttled
            case 500: .serverFailure
            default: .refused
            }
        device.line.failNext(.error(PasscodeAccountError(code: code, message: "No.")))
        #expect(await accountError { try await device.service().set(.first) } == code)
        #expect(try await device.service().status().isSet == false)
        #expect(try await device.isEmpty)
    }

    @Test("P-51: set offline, it holds here and is sent when it is next entered")
    func setOffline() async throws {
        let device = bench.device()
        device.line.setOffline(true)
        try await device.service().set(.first)
        #expect(try await device.service().status().standing == .pendingUpload)
        #expect(try await device.service().verify(.first).isRight)
        device.line.setOffline(false)
        try await device.service().push(.first)
        #expect(bench.server.holds(.first))
        #expect(try await device.service().status().standing == .confirmed)
        #expect(try await device.service().synchronise()?.notices == [])
    }

    @Test("P-51: set offline here and online elsewhere: the account's counts from the reconnect on")
    func setTwice() async throws {
        let (one, two) = (bench.device(), bench.device())
        one.line.setOffline(true)
        try await one.service().set(.first)
        try await two.service().set(.second)
        #expect(try await one.service().verify(.first).isRight)
        one.line.setOffline(false)
        #expect(try await one.service().synchronise()?.notices == [.changedElsewhere])
        guard case .wrong = try await one.service().verify(.first) else {
            Issue.record("the passcode set here still opens")
            return
        }
        #expect(try await one.service().verify(.second).isRight)
        #expect(bench.server.holds(.second))
    }

    @Test("P-51: one that was set on another device is not set again; the account is asked from then on")
    func alreadySet() async throws {
        bench.server.replacePasscode(.second)
        let service = try bench.device().service()
        await #expect { try await service.set(.first) } throws: {
            ($0 as? PasscodeError)?.code == .alreadySet
        }
        #expect(try await service.status().standing == .unconfirmed)
        #expect(try await service.verify(.second).isRight)
    }

    @Test("P-51: a set whose answer is lost holds here, and the status settles it", arguments: [true, false])
    func setUnknown(_ arrived: Bool) async throws {
        let device = bench.device()
        device.line.failNext(arrived ? .lostAnswer : .lostRequest)
        try await device.service().set(.first)
        #expect(try await device.service().verify(.first).isRight)
        try await device.service().synchronise()
        #expect(try await device.service().status().standing == (arrived ? .confirmed : .pendingUpload))
        try await device.service().push(.first)
        #expect(bench.server.holds(.first))
    }

    // MARK: Change

    @Test(
        "P-50, P-51: changed here it counts everywhere; a device that was offline opens with the old one until then"
    )
    func changeOnline() async throws {
        let (one, two) = (bench.device(), bench.device())
        try await one.service().set(.first)
        try await two.service().synchronise()
        #expect(try await two.service().verify(.first).isRight)
        #expect(try await one.service().change(from: .first, to: .second).isRight)
        #expect(bench.server.holds(.second))
        #expect(try await one.service().verify(.second).isRight)
        #expect(try await two.service().verify(.first).isRight, "nothing told it yet")
        #expect(try await two.service().synchronise()?.notices == [.changedElsewhere])
        guard case .wrong = try await two.service().verify(.first) else {
            Issue.record("the old passcode still opens")
            return
        }
        #expect(try await two.service().verify(.second).isRight)
    }

    @Test("P-51: a change keeps the key, and so does asking the account about the same passcode")
    func keepsKey() async throws {
        let (one, two) = (bench.device(), bench.device())
        let key = try await one.service().set(.first).key
        guard case .right(let changed) = try await one.service().change(from: .first, to: .second) else {
            Issue.record("not changed")
            return
        }
        #expect(changed.key?.text == key?.text)
        try await two.service().synchronise()
        #expect(try await two.service().change(from: .second, to: .first).isRight)
        #expect(try await two.service().change(from: .first, to: .second).isRight)
        #expect(try await one.service().synchronise()?.notices == [.changedElsewhere])
        guard case .right(let again) = try await one.service().verify(.second) else {
            Issue.record("not right")
            return
        }
        #expect(again.key?.text == key?.text)
    }

    @Test("P-34, P-51: offline, a change is refused and the old passcode holds")
    func changeOffline() async throws {
        let device = bench.device()
        try await device.service().set(.first)
        device.line.setOffline(true)
        #expect(
            await accountError { _ = try await device.service().change(from: .first, to: .second) }
                == .unreachable
        )
        #expect(try await device.service().status().failures == 0, "it was right")
        #expect(try await device.service().verify(.first).isRight)
    }

    @Test("P-51: what was never sent can be changed offline")
    func changeOwed() async throws {
        let device = bench.device()
        device.line.setOffline(true)
        try await device.service().set(.first)
        #expect(try await device.service().change(from: .first, to: .second).isRight)
        device.line.setOffline(false)
        try await device.service().push(.second)
        #expect(bench.server.holds(.second))
    }

    @Test("P-51: what may have been sent cannot be changed offline")
    func changeSent() async throws {
        let device = bench.device()
        device.line.failNext(.lostRequest)
        try await device.service().set(.first)
        device.line.setOffline(true)
        #expect(
            await accountError { _ = try await device.service().change(from: .first, to: .second) }
                == .unreachable
        )
        #expect(try await device.service().verify(.first).isRight)
    }

    @Test(
        "P-51: a change whose answer is lost: the old one holds until the status told",
        arguments: [true, false]
    )
    func changeUnknown(_ arrived: Bool) async throws {
        let device = bench.device()
        try await device.service().set(.first)
        device.line.failNext(arrived ? .lostAnswer : .lostRequest)
        #expect(
            await accountError { _ = try await device.service().change(from: .first, to: .second) }
                == .outcomeUnknown
        )
        device.line.setOffline(true)
        #expect(try await device.service().verify(.first).isRight)
        device.line.setOffline(false)
        let notices = try await device.service().synchronise()?.notices
        #expect(notices == (arrived ? [.carriedOut(.change)] : [.notCarriedOut(.change)]))
        device.line.setOffline(true)
        #expect(try await device.service().verify(arrived ? .second : .first).isRight, "without the account")
        guard case .wrong = try await device.service().verify(arrived ? .first : .second) else {
            Issue.record("both open")
            return
        }
    }

    @Test("P-51: the same change sent again after a lost answer succeeds")
    func changeAgain() async throws {
        let device = bench.device()
        try await device.service().set(.first)
        device.line.failNext(.lostAnswer)
        _ = await accountError { _ = try await device.service().change(from: .first, to: .second) }
        #expect(try await device.service().change(from: .first, to: .second).isRight)
        #expect(try await device.service().status().standing == .confirmed)
    }

    @Test("P-51: a change that arrives when nobody waits any more is one from elsewhere")
    func changeLate() async throws {
        let device = bench.device()
        try await device.service().set(.first)
        device.line.failNext(.late)
        _ = await accountError { _ = try await device.service().change(from: .first, to: .second) }
        #expect(try await device.service().synchronise()?.notices == [.notCarriedOut(.change)])
        device.line.deliverLate()
        #expect(try await device.service().synchronise()?.notices == [.changedElsewhere])
        #expect(try await device.service().verify(.second).isRight)
    }

    @Test("P-51: right here and wrong there: it was changed elsewhere, and the try counts")
    func changeContradicted() async throws {
        let device = bench.device()
        try await device.service().set(.first)
        bench.server.replacePasscode(.second)
        guard case .wrong(1, _) = try await device.service().change(from: .first, to: .third) else {
            Issue.record("not refused")
            return
        }
        #expect(try await device.service().status().failures == 1)
        #expect(try await device.service().status().standing == .unconfirmed)
        #expect(try await device.service().change(from: .second, to: .third).isRight)
    }

    @Test("P-51: a status that is heard while the passcode is switched off leaves no record behind")
    func statusDuringRemoval() async throws {
        let device = bench.device()
        try await device.service().set(.first)
        let other = AccountBench.Device(sharing: device, line: bench.device().line)
        device.line.gate.close()
        let removal = Task { try await device.service().remove(.first) }
        await device.line.gate.waitForHeld(1)
        #expect(try await other.service().synchronise()?.notices == [.notCarriedOut(.switchOff)])
        device.line.gate.open()
        #expect(try await removal.value.isRight)
        #expect(try await device.isEmpty)
    }

    @Test("P-51: a status that is heard while an act is under way takes neither it nor the key away")
    func statusDuringChange() async throws {
        let device = bench.device()
        let service = try device.service()
        let key = try await service.set(.first).key
        // Another process of the device, with a line of its own.
        let other = AccountBench.Device(sharing: device, line: bench.device().line)
        device.line.gate.close()
        let change = Task { try await service.change(from: .first, to: .second) }
        await device.line.gate.waitForHeld(1)
        #expect(try await other.service().synchronise()?.notices == [.notCarriedOut(.change)])
        device.line.gate.open()
        guard case .right(let changed) = try await change.value else {
            Issue.record("not changed")
            return
        }
        #expect(changed.key?.text == key?.text)
        try await service.synchronise()
        guard case .wrong = try await service.verify(.first) else {
            Issue.record("the old passcode still opens")
            return
        }
        guard case .right(let proof) = try await service.verify(.second) else {
            Issue.record("the new passcode does not open")
            return
        }
        #expect(proof.key?.text == key?.text, "a change keeps the key")
    }

    @Test("P-6, P-51: tries at once, of which the account judges each, are each counted")
    func concurrentTries() async throws {
        bench.server.replacePasscode(.first)
        let service = try bench.device().service()
        try await service.synchronise()
        let answers = try await withThrowingTaskGroup(of: PasscodeAnswer.self) { group in
            for _ in 0..<4 { group.addTask { try await service.verify(.second) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let counts = answers.compactMap { answer -> Int? in
            if case .wrong(let failures, _) = answer { failures } else { nil }
        }
        #expect(counts.sorted() == [1, 2, 3, 4])
        #expect(bench.server.failures == 4)
    }
}
