import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Changes that overlap while the account cannot be reached (P-51)", .timeLimit(.minutes(2)))
struct OverlappingChangeTests {
    private let bench = AccountBench()

    @Test("P-51: of two offline changes at once one takes place, and only that one reports it")
    func changedTwice() async throws {
        let device = bench.device()
        device.line.setOffline(true)
        try await device.service().set(.first)
        var other = AccountBench.Device(sharing: device, line: bench.device().line)
        other.line.setOffline(true)
        let sealer = FastPasscodeSealer()
        other.sealer = sealer
        sealer.gate.close()
        let late = Task { [other] in try await other.service().change(from: .first, to: .third) }
        await sealer.gate.waitForHeld(1)
        #expect(try await device.service().change(from: .first, to: .second).isRight)
        sealer.gate.open()
        let error = await #expect(throws: PasscodeError.self) { try await late.value }
        #expect(error?.account == .conflict)
        #expect(try await device.service().verify(.second).isRight)
        // The other change ends between the failed request and the record.
        let store = InterruptedSecretStore(
            InMemorySecretStore(device.storage),
            before: .write,
            number: 4
        ) { _ = try? await device.service().change(from: .second, to: .first) }
        guard case .wrong = try await device.service(store: store).change(from: .second, to: .third) else {
            Issue.record("the other change was replaced")
            return
        }
        #expect(try await device.service().verify(.first).isRight)
    }

    @Test("P-51: a passcode that arrives while it is changed offline is not changed on this device alone")
    func sentDuringChange() async throws {
        let device = bench.device()
        device.line.setOffline(true)
        try await device.service().set(.first)
        device.line.gate.close()
        let change = Task { try await device.service().change(from: .first, to: .second) }
        await device.line.gate.waitForHeld(1)
        let other = AccountBench.Device(sharing: device, line: bench.device().line)
        try await other.service().push(.first)
        #expect(bench.server.holds(.first))
        device.line.gate.open()
        let error = await #expect(throws: PasscodeError.self) { try await change.value }
        #expect(error?.account == .unreachable)
        #expect(try await device.service().status().standing == .confirmed)
        #expect(try await device.service().verify(.first).isRight)
    }

    @Test("P-50, P-51: a passcode that arrives while it is removed is switched off at the account, too")
    func sentDuringRemoval() async throws {
        let device = bench.device()
        device.line.setOffline(true)
        try await device.service().set(.first)
        device.line.setOffline(false)
        var other = AccountBench.Device(sharing: device, line: bench.device().line)
        let sealer = FastPasscodeSealer()
        other.sealer = sealer
        sealer.gate.close()
        let removal = Task { [other] in try await other.service().remove(.first) }
        await sealer.gate.waitForHeld(1)
        try await device.service().push(.first)
        #expect(bench.server.holds(.first))
        sealer.gate.open()
        #expect(try await removal.value.isRight)
        #expect(!bench.server.status.hasPasscode)
        #expect(try await device.isEmpty)
    }

    @Test("P-51: the arrival of a passcode that was replaced offline confirms nothing of its successor")
    func replacedDuringUpload() async throws {
        let device = bench.device()
        device.line.setOffline(true)
        try await device.service().set(.first)
        device.line.setOffline(false)
        var other = AccountBench.Device(sharing: device, line: bench.device().line)
        other.line.setOffline(true)
        let sealer = FastPasscodeSealer()
        other.sealer = sealer
        sealer.gate.close()
        let change = Task { [other] in try await other.service().change(from: .first, to: .second) }
        await sealer.gate.waitForHeld(1)
        device.line.gate.close()
        let upload = Task { try await device.service().push(.first) }
        await device.line.gate.waitForHeld(1)
        sealer.gate.open()
        #expect(try await change.value.isRight)
        device.line.gate.open()
        try? await upload.value
        #expect(bench.server.holds(.first))
        #expect(try await device.service().status().standing == .pendingUpload)
        #expect(try await device.service().synchronise()?.notices == [.changedElsewhere])
        #expect(try await device.service().verify(.first).isRight, "the account is right")
    }
}
