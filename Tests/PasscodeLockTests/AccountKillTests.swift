import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// A process that ends between any two steps of an act, with every fault of the line at the same time.
@Suite("An act that is cut short (P-3, P-51)", .timeLimit(.minutes(5)))
struct AccountKillTests {
    enum Act: CaseIterable {
        case set, change, reset, remove, firstVerify, push

        var call: InMemoryPasscodeAccount.Call {
            switch self {
            case .set, .push: .set
            case .change: .change
            case .reset: .reset
            case .remove: .update
            case .firstVerify: .verify
            }
        }
    }

    private static let faults: [InMemoryPasscodeAccount.Fault?] = [
        nil, .unreachable, .lostRequest, .lostAnswer, .serverFailure,
    ]

    private func isRight(_ service: PasscodeService, _ passcode: SecretBytes) async throws -> Bool {
        try await service.verify(passcode).isRight
    }

    @Test(
        "P-51: killed anywhere, the account's passcode opens after the reconnect and no other",
        arguments: Act.allCases
    )
    func killed(_ act: Act) async throws {
        for fault in Self.faults {
            for changes in 0..<7 {
                for withEffect in [true, false] {
                    try await check(act, fault, changes, withEffect)
                }
            }
        }
    }

    @Test("P-6, P-7, P-51: after a lost answer, another new passcode is no wrong current one")
    func otherChange() async throws {
        let bench = AccountBench()
        var device = bench.device()
        device.configuration.throttle = .unlimited.afterFailures(1, .erase)
        let service = try device.service()
        try await service.set(.first)
        device.line.failNext(.change, .lostAnswer)
        let error = await #expect(throws: PasscodeError.self) {
            try await service.change(from: .first, to: .second)
        }
        #expect(error?.account == .outcomeUnknown)
        #expect(try await service.change(from: .second, to: .third).isRight)
        #expect(bench.server.holds(.third))
        #expect(await device.host.signedOut.isEmpty)
    }

    @Test("P-7, P-35, P-51: after the lost answer of a reset, another new passcode is no wrong one either")
    func otherReset() async throws {
        let bench = AccountBench()
        var device = bench.device()
        device.configuration.throttle = .unlimited.afterFailures(1, .signOut)
        let service = try device.service()
        try await service.set(.first)
        let request = try await service.requestReset()
        let code = try #require(bench.server.mailedCode)
        device.line.failNext(.reset, .lostAnswer)
        await #expect(throws: PasscodeError.self) {
            try await service.reset(code: code, of: request, to: .second)
        }
        guard case .usedUp = try await service.reset(code: code, of: request, to: .third) else {
            Issue.record("the code counted twice")
            return
        }
        #expect(await device.host.signedOut.isEmpty)
        #expect(try await service.status().failures == 0)
        #expect(try await service.verify(.second).isRight)
    }

    private func check(
        _ act: Act,
        _ fault: InMemoryPasscodeAccount.Fault?,
        _ changes: Int,
        _ withEffect: Bool
    ) async throws {
        let what: Comment =
            "\(act), \(String(describing: fault)), after \(changes) changes, effect: \(withEffect)"
        let bench = AccountBench()
        let device = bench.device()
        let store = MortalStore(device.storage)
        let service = try device.service(store: store)
        switch act {
        case .set: break
        case .change, .reset, .remove: try await service.set(.first)
        case .firstVerify: bench.server.replacePasscode(.first)
        case .push:
            device.line.setOffline(true)
            try await service.set(.first)
            device.line.setOffline(false)
        }
        if act == .firstVerify { try await service.synchronise() }
        let request = act == .reset ? try await service.requestReset() : .random()
        let hadPasscode = try await service.status().isSet

        store.die(afterChanges: changes, withEffect: withEffect)
        if let fault { device.line.failNext(act.call, fault) }
        switch act {
        case .set: _ = try? await service.set(.first)
        case .change: _ = try? await service.change(from: .first, to: .second)
        case .reset:
            let code = bench.server.mailedCode ?? .third
            _ = try? await service.reset(code: code, of: request, to: .second)
        case .remove: _ = try? await service.remove(.first)
        case .firstVerify: _ = try? await service.verify(.first)
        case .push: try? await service.push(.first)
        }
        store.restart()
        device.line.mend()

        // Offline first: of two passcodes at most one opens, and one that was there is not lost by itself.
        let status = try await service.status()
        if hadPasscode, act != .remove { #expect(status.isSet, what) }
        if status.isSet, status.standing != .unconfirmed {
            device.line.setOffline(true)
            let opens = [try await isRight(service, .first), try await isRight(service, .second)]
            #expect(opens.count { $0 } == 1, what)
            device.line.setOffline(false)
        }

        try await service.synchronise()
        let after = try await service.status()
        if bench.server.holds(.first) || bench.server.holds(.second) {
            let isFirst = bench.server.holds(.first)
            #expect(after.isSet, what)
            #expect(try await !isRight(service, isFirst ? .second : .first), what)
            #expect(try await isRight(service, isFirst ? .first : .second), what)
            device.line.setOffline(true)
            #expect(try await isRight(service, isFirst ? .first : .second), what)
        } else if after.isSet {
            // Never sent, or not arrived: it is pending, and nothing is lost.
            #expect(after.standing == .pendingUpload, what)
            #expect(try await isRight(service, .first), what)
            try await service.push(.first)
            #expect(bench.server.holds(.first), what)
        } else {
            #expect(act == .remove || act == .set, what)
        }
    }
}
